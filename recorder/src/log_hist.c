#include "log_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/hlog.h>

#include "histogram_snapshot.h"
#include "log_progress.h"

#define NAMES_MAX 256

/* All windows of one name. */
typedef struct named {
    char name[TG__HISTOGRAM_NAME_MAX + 1];
    tg_histogram *sum;
    uint64_t windows;
    uint64_t incomplete;
    int64_t first_utc_ns;
    int64_t last_utc_ns;
} named;

/* A window of which some pieces are there. A thread writes one at a time, piece after piece; those
 * of other threads, of the same name or not, may lie in between. */
typedef struct begun_window {
    uint64_t recorder; /* of all its files: a window may go on in the next one */
    uint32_t thread;
    named *of;
    tg__text_buffer stream;
    uint32_t next_piece;
} begun_window;

typedef struct gathering {
    named *names;
    size_t count;
    begun_window *begun; /* at most one for each thread */
    size_t begun_count;
    size_t begun_capacity;
    bool hlog;        /* print each window instead of adding it up */
    bool hlog_headed; /* its header is out */
    int64_t from_utc_ns;
    int64_t to_utc_ns;
} gathering;

static named *find(gathering *g, const char *name, size_t name_size)
{
    const size_t size = name_size <= TG__HISTOGRAM_NAME_MAX ? name_size : TG__HISTOGRAM_NAME_MAX;
    for (size_t i = 0; i < g->count; i++) {
        if (strlen(g->names[i].name) == size && memcmp(g->names[i].name, name, size) == 0) {
            return &g->names[i];
        }
    }
    if (g->count == NAMES_MAX) {
        return NULL;
    }
    named *made = &g->names[g->count++];
    memset(made, 0, sizeof *made);
    memcpy(made->name, name, size);
    return made;
}

static tg_err print_hlog(gathering *g, const named *n, const tg_histogram *window,
                         int64_t from_utc_ns, int64_t to_utc_ns)
{
    tg__text_buffer text = {NULL, 0, 0, false};
    if (!g->hlog_headed) {
        tg__hlog_add_header(&text, from_utc_ns);
    }
    const tg_err err = tg__hlog_add_interval(&text, n->name, from_utc_ns, to_utc_ns, window);
    if (err == TG_OK) {
        g->hlog_headed = true;
        (void)fwrite(text.bytes, 1, text.size, stdout);
    }
    tg__text_buffer_deinit(&text);
    return err;
}

/* The same counts as a log has them, whose lowest value is 1. Takes *histogram over. */
static tg_err as_in_a_log(tg_histogram **histogram)
{
    tg__text_buffer text = {NULL, 0, 0, false};
    tg_histogram *made = NULL;
    tg_err err = tg__hlog_encode(*histogram, &text);
    if (err == TG_OK) {
        err = tg__hlog_decode(text.bytes, text.size, &made);
    }
    tg__text_buffer_deinit(&text);
    if (err == TG_OK) {
        tg_histogram_close(*histogram);
        *histogram = made;
    }
    return err;
}

/* One of them may come from a record and the other one from a log. */
static tg_err add_to_sum(named *n, tg_histogram **window)
{
    tg_err err = tg_histogram_add(n->sum, *window);
    if (err == TG_ERR_HISTOGRAM_RANGE) {
        err = as_in_a_log(&n->sum);
        if (err == TG_OK) {
            err = as_in_a_log(window);
        }
        if (err == TG_OK) {
            err = tg_histogram_add(n->sum, *window);
        }
    }
    return err;
}

/* Takes the window over. It belongs to a span of time if it begins in it: spans that follow each
 * other then have each window once, whenever it was recorded. */
static tg_err add_window(gathering *g, named *n, tg_histogram *window, int64_t from_utc_ns,
                         int64_t to_utc_ns)
{
    tg_err err = TG_OK;
    if (from_utc_ns < g->from_utc_ns || from_utc_ns >= g->to_utc_ns) {
        tg_histogram_close(window);
        return TG_OK;
    }
    if (g->hlog) {
        err = print_hlog(g, n, window, from_utc_ns, to_utc_ns);
    } else if (n->sum == NULL) {
        n->sum = window;
        window = NULL;
    } else {
        err = add_to_sum(n, &window);
    }
    tg_histogram_close(window);
    if (err == TG_OK) {
        n->first_utc_ns =
            n->windows == 0 || from_utc_ns < n->first_utc_ns ? from_utc_ns : n->first_utc_ns;
        n->last_utc_ns = n->windows == 0 || to_utc_ns > n->last_utc_ns ? to_utc_ns : n->last_utc_ns;
        n->windows++;
    }
    return err;
}

static tg_err add_stream(gathering *g, const begun_window *window, const tg__log_record *record,
                         const tg__histogram_piece *piece)
{
    tg_histogram *counts = NULL;
    const tg_err err = tg__histogram_from_stream((const unsigned char *)window->stream.bytes,
                                                 window->stream.size, &counts);
    return err != TG_OK ? err
                        : add_window(g, window->of, counts,
                                     tg__time_map_utc(&record->file->times, piece->from_mono_ns),
                                     tg__time_map_utc(&record->file->times, piece->to_mono_ns));
}

/* NULL: the thread has begun none. */
static begun_window *find_begun(const gathering *g, const tg__log_record *record)
{
    for (size_t i = 0; i < g->begun_count; i++) {
        begun_window *window = &g->begun[i];
        if (window->thread == record->thread &&
            window->recorder == record->file->info.recorder_id) {
            return window;
        }
    }
    return NULL;
}

static void forget(gathering *g, begun_window *window)
{
    tg__text_buffer_deinit(&window->stream);
    *window = g->begun[--g->begun_count];
}

static void leave_incomplete(gathering *g, begun_window *window)
{
    window->of->incomplete++;
    forget(g, window);
}

/* NULL: no memory. */
static begun_window *begin_window(gathering *g, const tg__log_record *record, named *of)
{
    if (g->begun_count == g->begun_capacity) {
        const size_t capacity = g->begun_capacity == 0 ? 16 : g->begun_capacity * 2;
        begun_window *larger = realloc(g->begun, capacity * sizeof *larger);
        if (larger == NULL) {
            return NULL;
        }
        g->begun = larger;
        g->begun_capacity = capacity;
    }
    begun_window *window = &g->begun[g->begun_count++];
    *window = (begun_window){.recorder = record->file->info.recorder_id,
                             .thread = record->thread,
                             .of = of,
                             .next_piece = 1};
    return window;
}

/* Damaged or incomplete windows are counted and left out; only want of memory ends it. */
static tg_err take_piece(gathering *g, const tg__log_record *record,
                         const tg__histogram_piece *piece)
{
    named *n = find(g, piece->name, piece->name_size);
    if (n == NULL) {
        return TG_ERR_FULL;
    }
    begun_window *window = find_begun(g, record);
    if (window != NULL && (window->of != n || window->next_piece != piece->number)) {
        leave_incomplete(g, window);
        window = NULL;
    }
    if (window == NULL) {
        if (piece->number != 1) {
            return TG_OK; /* of a window whose beginning is not there */
        }
        window = begin_window(g, record, n);
        TG_ENSURE(window != NULL, TG_ERR_NO_MEMORY);
    }
    tg__text_add(&window->stream, (const char *)piece->bytes, piece->size);
    TG_ENSURE(!window->stream.failed, TG_ERR_NO_MEMORY);
    window->next_piece++;
    if (piece->number < piece->count) {
        return TG_OK;
    }
    const tg_err err = add_stream(g, window, record, piece);
    n->incomplete += err != TG_OK;
    forget(g, window);
    return err == TG_ERR_NO_MEMORY ? err : TG_OK;
}

static tg_err gather(const log_options *opt, log_input *input, gathering *g)
{
    log_options wanted = *opt; /* whenever it was recorded: see add_window() */
    wanted.from_utc_ns = INT64_MIN;
    wanted.to_utc_ns = INT64_MAX;
    tg__log_merge merge;
    tg_err err = tg__log_merge_open(input->files, input->count, &merge);
    tg__log_record record;
    log_progress progress;
    log_progress_start(&progress, input);
    while (err == TG_OK) {
        err = tg__log_merge_next(&merge, &record);
        log_progress_step(&progress);
        tg__histogram_piece piece;
        if (err != TG_OK || !log_wants(&wanted, &record) ||
            tg__histogram_piece_read(&record, &piece) != TG_OK) {
            continue;
        }
        if (opt->name == NULL || (strlen(opt->name) == piece.name_size &&
                                  memcmp(opt->name, piece.name, piece.name_size) == 0)) {
            err = take_piece(g, &record, &piece);
        }
    }
    log_progress_end(&progress);
    tg__log_merge_close(&merge);
    while (g->begun_count != 0) {
        leave_incomplete(g, &g->begun[0]);
    }
    return err == TG_ERR_NOT_FOUND ? TG_OK : err;
}

static void print_named(const named *n, bool json)
{
    static const double asked[] = {50, 90, 99, 99.9, 99.99, 100};
    tg_histogram_summary summary;
    tg_histogram_summary_get(n->sum, &summary);
    tg__text_buffer text = {NULL, 0, 0, false};
    if (json) {
        tg__text_add_json(&text, n->name, strlen(n->name));
        (void)printf("{\"histogram\":%.*s,\"windows\":%" PRIu64 ",\"incomplete\":%" PRIu64
                     ",\"count\":%" PRIu64 ",\"negative\":%" PRIu64 ",\"over\":%" PRIu64
                     ",\"min\":%" PRId64 ",\"mean\":%.15g",
                     (int)text.size, text.bytes, n->windows, n->incomplete, summary.count,
                     summary.negative, summary.over, summary.min, summary.mean);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
            (void)printf(",\"p%g\":%" PRId64, asked[i], tg_histogram_percentile(n->sum, asked[i]));
        }
        (void)printf("}\n");
    } else {
        tg__text_add_plain(&text, n->name, strlen(n->name));
        tg__text_add_string(&text, " ");
        tg__text_add_utc(&text, n->first_utc_ns, NULL);
        tg__text_add_string(&text, " to ");
        tg__text_add_utc(&text, n->last_utc_ns, NULL);
        (void)printf("%.*s, %" PRIu64 " windows\n    count %" PRIu64 " min %" PRId64 " mean %.1f",
                     (int)text.size, text.bytes, n->windows, summary.count, summary.min,
                     summary.mean);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
            (void)printf(" p%g %" PRId64, asked[i], tg_histogram_percentile(n->sum, asked[i]));
        }
        (void)printf("\n");
        if (summary.negative + summary.over + summary.saturated + n->incomplete != 0) {
            (void)printf("    besides: %" PRIu64 " negative, %" PRIu64 " over the range, %" PRIu64
                         " saturated; %" PRIu64 " windows incomplete\n",
                         summary.negative, summary.over, summary.saturated, n->incomplete);
        }
    }
    tg__text_buffer_deinit(&text);
}

/* ---- .hlog files, which other programs wrote ------------------------------------------------- */

static bool is_hlog(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false; /* opening it as a record says why */
    }
    const int first = fgetc(file);
    (void)fclose(file);
    return first == '#' || first == '"';
}

/* A comma-separated field of line; at moves behind it. */
static char *take_field(char **at)
{
    char *field = *at;
    char *end = strchr(field, ',');
    if (end != NULL) {
        *end = '\0';
        *at = end + 1;
    } else {
        *at = field + strlen(field);
    }
    return field;
}

/* base_s is added to the stamps of logs that count from their start. */
static tg_err take_line(const log_options *opt, gathering *g, char *line, double base_s)
{
    const char *tag = "";
    if (strncmp(line, "Tag=", 4) == 0) {
        tag = take_field(&line) + 4;
    }
    char *end = NULL;
    const double from_s = strtod(take_field(&line), &end) + base_s;
    if (*end != '\0' || from_s < 0 || from_s > 9e9) {
        return TG_ERR_SYNTAX;
    }
    const double length_s = strtod(take_field(&line), &end);
    if (*end != '\0' || length_s < 0 || length_s > 1e9) {
        return TG_ERR_SYNTAX;
    }
    (void)take_field(&line); /* the largest value, which the counts say too */
    if (opt->name != NULL && strcmp(opt->name, tag) != 0) {
        return TG_OK;
    }
    tg_histogram *window = NULL;
    const tg_err err = tg__hlog_decode(line, strlen(line), &window);
    if (err != TG_OK) {
        return err;
    }
    named *n = find(g, tag, strlen(tag));
    if (n == NULL) {
        tg_histogram_close(window);
        return TG_ERR_FULL;
    }
    return add_window(g, n, window, (int64_t)(from_s * 1e9), (int64_t)((from_s + length_s) * 1e9));
}

static int take_hlog(const log_options *opt, gathering *g, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *line = NULL;
    size_t capacity = 0;
    double base_s = 0;
    int status = file != NULL ? LOG_OK : log_fail(path, TG_ERR_IO);
    for (uint64_t number = 1; status == LOG_OK && getline(&line, &capacity, file) >= 0; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "#[BaseTime: ", 12) == 0) {
            base_s = strtod(line + 12, NULL);
        }
        if (line[0] == '#' || line[0] == '"' || line[0] == '\0') {
            continue;
        }
        const tg_err err = take_line(opt, g, line, base_s);
        if (err != TG_OK) {
            (void)fprintf(stderr, "tickglass-log: %s:%" PRIu64 ": %s (%s)\n", path, number,
                          tg_err_text(err), tg_err_name(err));
            status = LOG_DAMAGED;
        }
    }
    free(line);
    if (file != NULL) {
        (void)fclose(file);
    }
    return status;
}

static int take_all(const log_options *opt, gathering *g)
{
    log_options records = *opt; /* those of the paths that are records */
    records.path_count = 0;
    records.paths = calloc((size_t)opt->path_count, sizeof *records.paths);
    int status = records.paths != NULL ? LOG_OK : log_fail("memory", TG_ERR_NO_MEMORY);
    for (int i = 0; i < opt->path_count && status == LOG_OK; i++) {
        if (is_hlog(opt->paths[i])) {
            status = take_hlog(opt, g, opt->paths[i]);
        } else {
            records.paths[records.path_count++] = opt->paths[i];
        }
    }
    if (status == LOG_OK && records.path_count != 0) {
        log_input input;
        status = log_input_open(&records, &input);
        if (status == LOG_OK) {
            const tg_err err = gather(opt, &input, g);
            status = err == TG_OK ? log_input_problems(&input) : log_fail(records.paths[0], err);
        }
        log_input_close(&input);
    }
    free(records.paths);
    return status;
}

int log_hist(const log_options *opt)
{
    gathering g = {.names = calloc(NAMES_MAX, sizeof *g.names),
                   .hlog = opt->hlog,
                   .from_utc_ns = opt->from_utc_ns,
                   .to_utc_ns = opt->to_utc_ns};
    if (g.names == NULL) {
        return log_fail("memory", TG_ERR_NO_MEMORY);
    }
    const int status = take_all(opt, &g);
    for (size_t i = 0; i < g.count; i++) {
        if (g.names[i].sum != NULL) {
            print_named(&g.names[i], opt->json);
        }
        tg_histogram_close(g.names[i].sum);
    }
    free(g.begun);
    free(g.names);
    return status;
}
