#include "reducer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 2048 /* the gateway's have at most 1,024 */

/* Connections of one log that are open, by their numbers. */
typedef struct open_set {
    unsigned long long *numbers;
    size_t count;
    size_t capacity;
} open_set;

static void open_add(open_set *set, unsigned long long number)
{
    if (set->count == set->capacity) {
        set->capacity = set->capacity == 0 ? 256 : set->capacity * 2;
        set->numbers = realloc(set->numbers, set->capacity * sizeof *set->numbers);
        if (set->numbers == NULL) {
            perror("reduce");
            exit(1);
        }
    }
    set->numbers[set->count++] = number;
}

static bool open_remove(open_set *set, unsigned long long number)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->numbers[i] == number) {
            set->numbers[i] = set->numbers[--set->count];
            return true;
        }
    }
    return false;
}

/* Days since 1970-01-01 of the proleptic Gregorian calendar, years from March on. */
static int64_t days_of(int year, int month, int day)
{
    const int64_t y = month <= 2 ? year - 1 : year;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + of_year - 719468;
}

/* "2026-11-30T09:30:00.125Z " at the line's beginning. */
static bool read_time(const char *line, int64_t *utc_ms)
{
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int milli = 0;
    int length = 0;
    if (sscanf(line, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ %n", &year, &month, &day, &hour, &minute,
               &second, &milli, &length) != 7 ||
        length != 25 || month < 1 || month > 12) {
        return false;
    }
    *utc_ms = days_of(year, month, day) * 86400000 + hour * 3600000 + minute * 60000 +
              second * 1000 + milli;
    return true;
}

/*
 * What the words behind "connection N from ADDR: " say; false: neither a beginning nor an end. An
 * end is told with the sums of the connection behind it.
 */
static bool read_kind(const char *words, trace_kind *kind)
{
    static const char *const wordless[] = {"lost", "reset", "timeout"};
    if (strncmp(words, "open, ", 6) == 0) {
        *kind = TRACE_CONNECT;
        return true;
    }
    *kind = TRACE_CLOSE;
    for (size_t i = 0; i < sizeof wordless / sizeof wordless[0]; i++) {
        if (strcspn(words, ",; ") == strlen(wordless[i]) &&
            strncmp(words, wordless[i], strlen(wordless[i])) == 0) {
            *kind = TRACE_RESET;
        }
    }
    return strstr(words, " messages, ") != NULL && strstr(words, " bytes, ") != NULL;
}

static bool take_line(reduction *into, open_set *open, const char *line, why *reason)
{
    unsigned long long number = 0;
    int length = 0;
    trace_kind kind = TRACE_CLOSE;
    int64_t utc_ms = 0;
    const char *const from = strstr(line, "connection ");
    if (from == NULL || sscanf(from, "connection %llu from %*[^ ] %n", &number, &length) != 1 ||
        length == 0 || from[length - 2] != ':' || !read_kind(from + length, &kind)) {
        into->passed_over++;
        return true;
    }
    if (!read_time(line, &utc_ms) || from != line + 25) {
        return why_say(reason, "no time at its beginning");
    }
    if (kind == TRACE_CONNECT) {
        open_add(open, number);
    } else if (!open_remove(open, number)) {
        into->unopened++;
        return true;
    }
    trace_add(&into->events, utc_ms, kind);
    return true;
}

bool reducer_add(reduction *into, FILE *log, const char *name, why *reason)
{
    char line[LINE_SIZE];
    open_set open = {NULL, 0, 0};
    bool good = true;
    for (unsigned number = 1; good && fgets(line, sizeof line, log) != NULL; number++) {
        why what;
        line[strcspn(line, "\r\n")] = '\0';
        good = take_line(into, &open, line, &what) ||
               why_say(reason, "%s:%u: %s", name, number, what.text);
    }
    free(open.numbers);
    if (good && ferror(log)) {
        return why_say(reason, "%s: %s", name, strerror(errno));
    }
    return good;
}

bool reducer_finish(reduction *r, why *reason)
{
    if (r->events.count == 0) {
        return why_say(reason, "no connection was opened in these logs");
    }
    trace_sort(&r->events);
    const int64_t first_ms = r->events.events[0].time_ms;
    for (size_t i = 0; i < r->events.count; i++) {
        r->events.events[i].time_ms -= first_ms;
    }
    return true;
}
