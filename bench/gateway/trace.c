#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE   128
#define TIME_MS_MAX INT64_C(604800000) /* a week */

static const char header[] = "time_ms,event";

static const char *const kind_names[] = {"connect", "close", "reset"};

const char *trace_kind_name(trace_kind kind)
{
    return kind_names[kind];
}

void trace_add(trace *into, int64_t time_ms, trace_kind kind)
{
    if (into->count == into->capacity) {
        const size_t capacity = into->capacity == 0 ? 256 : into->capacity * 2;
        trace_event *const grown = realloc(into->events, capacity * sizeof *grown);
        if (grown == NULL) {
            perror("trace");
            exit(1);
        }
        into->events = grown;
        into->capacity = capacity;
    }
    into->events[into->count++] = (trace_event){time_ms, kind};
}

/* Merge sort from below: qsort() would mix the events of one moment. */
void trace_sort(trace *t)
{
    trace_event *const other = malloc((t->count + 1) * sizeof *other);
    if (other == NULL) {
        perror("trace");
        exit(1);
    }
    for (size_t width = 1; width < t->count; width *= 2) {
        for (size_t begin = 0; begin < t->count; begin += 2 * width) {
            const size_t middle = begin + width < t->count ? begin + width : t->count;
            const size_t end = middle + width < t->count ? middle + width : t->count;
            size_t left = begin;
            size_t right = middle;
            for (size_t to = begin; to < end; to++) {
                const bool take_left =
                    left < middle &&
                    (right == end || t->events[left].time_ms <= t->events[right].time_ms);
                other[to] = t->events[take_left ? left++ : right++];
            }
        }
        memcpy(t->events, other, t->count * sizeof *other);
    }
    free(other);
}

size_t trace_peak(const trace *t)
{
    size_t connected = 0;
    size_t peak = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->events[i].kind == TRACE_CONNECT) {
            connected++;
        } else if (connected > 0) {
            connected--;
        }
        peak = connected > peak ? connected : peak;
    }
    return peak;
}

void trace_deinit(trace *t)
{
    free(t->events);
    memset(t, 0, sizeof *t);
}

static bool read_kind(const char *text, trace_kind *out)
{
    for (size_t i = 0; i < sizeof kind_names / sizeof kind_names[0]; i++) {
        if (strcmp(text, kind_names[i]) == 0) {
            *out = (trace_kind)i;
            return true;
        }
    }
    return false;
}

static bool read_line(char *line, trace_event *out, why *reason)
{
    char *end = NULL;
    errno = 0;
    const long long time_ms = strtoll(line, &end, 10);
    if (line[0] < '0' || line[0] > '9' || *end != ',' || errno != 0 || time_ms > TIME_MS_MAX) {
        return why_say(reason, "\"%s\" does not begin with milliseconds and a comma", line);
    }
    out->time_ms = time_ms;
    if (!read_kind(end + 1, &out->kind)) {
        return why_say(reason, "\"%s\" is not connect, close or reset", end + 1);
    }
    return true;
}

bool trace_read(FILE *file, const char *name, trace *into, why *reason)
{
    char line[LINE_SIZE];
    size_t connected = 0;
    int64_t before_ms = 0;
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        trace_event event;
        why what;
        line[strcspn(line, "\r\n")] = '\0';
        if (number == 1) {
            if (strcmp(line, header) != 0) {
                return why_say(reason, "%s:1: the header is not \"%s\"", name, header);
            }
            continue;
        }
        if (!read_line(line, &event, &what)) {
            return why_say(reason, "%s:%u: %s", name, number, what.text);
        }
        if (event.time_ms < before_ms) {
            return why_say(reason, "%s:%u: earlier than the line before", name, number);
        }
        if (event.kind != TRACE_CONNECT && connected == 0) {
            return why_say(reason, "%s:%u: nobody is connected who could %s", name, number,
                           trace_kind_name(event.kind));
        }
        connected = event.kind == TRACE_CONNECT ? connected + 1 : connected - 1;
        before_ms = event.time_ms;
        trace_add(into, event.time_ms, event.kind);
    }
    if (ferror(file)) {
        return why_say(reason, "%s: %s", name, strerror(errno));
    }
    if (into->count == 0) {
        return why_say(reason, "%s: no event", name);
    }
    return true;
}

bool trace_write(FILE *file, const trace *t)
{
    bool good = fprintf(file, "%s\n", header) > 0;
    for (size_t i = 0; i < t->count && good; i++) {
        good = fprintf(file, "%lld,%s\n", (long long)t->events[i].time_ms,
                       trace_kind_name(t->events[i].kind)) > 0;
    }
    return good && fflush(file) == 0;
}
