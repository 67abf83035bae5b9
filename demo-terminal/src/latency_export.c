#include "latency_export.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/histogram_form.h>

/* Windows that nobody ends or forgets meanwhile. */
typedef struct window_copy {
    size_t count;
    stage_window *windows;
    packed_counts *packed; /* LATENCY_STAGE_COUNT of each; they point into bytes */
    unsigned char *bytes;
} window_copy;

struct latency_export {
    void (*woken)(void *ctx);
    void *ctx;
    bool running; /* the owner's: a thread was started and not joined */
    pthread_t thread;
    window_copy copy;
    char name[LATENCY_EXPORT_NAME_SIZE];
    tg_err err;
    int why;           /* errno, with TG_ERR_IO */
    _Atomic bool over; /* written by the thread after err and why */
};

static void copy_free(window_copy *copy)
{
    free(copy->windows);
    free(copy->packed);
    free(copy->bytes);
    *copy = (window_copy){0};
}

static tg_err copy_windows(const stage_windows *windows, size_t first, size_t count,
                           window_copy *copy)
{
    *copy = (window_copy){.count = count};
    copy->windows = calloc(count, sizeof *copy->windows);
    copy->packed = calloc(count * LATENCY_STAGE_COUNT, sizeof *copy->packed);
    copy->bytes = malloc(stage_windows_bytes_used(windows));
    if (copy->windows == NULL || copy->packed == NULL || copy->bytes == NULL) {
        copy_free(copy);
        return TG_ERR_NO_MEMORY;
    }
    unsigned char *at = copy->bytes;
    for (size_t i = 0; i < count; i++) {
        copy->windows[i] = *stage_windows_at(windows, first + i);
        for (int stage = 0; stage < LATENCY_STAGE_COUNT; stage++) {
            const packed_counts packed =
                stage_windows_packed(windows, first + i, (latency_stage)stage);
            memcpy(at, packed.bytes, packed.size);
            copy->packed[i * LATENCY_STAGE_COUNT + (size_t)stage] =
                (packed_counts){at, packed.size};
            at += packed.size;
        }
    }
    return TG_OK;
}

static int64_t from_utc_ns(const stage_window *window)
{
    return window->to_utc_ns - (window->to_mono_ns - window->from_mono_ns);
}

typedef struct line_buffer {
    char *text;
    size_t size;
} line_buffer;

static tg_err put_interval(FILE *to, line_buffer *line, const stage_window *window,
                           latency_stage stage, const tg_histogram *histogram)
{
    size_t needed = 0;
    const char *tag = latency_stage_tag(stage);
    tg_err err = tg_hlog_interval(tag, from_utc_ns(window), window->to_utc_ns, histogram,
                                  line->text, line->size, &needed);
    if (err == TG_ERR_BUFFER_TOO_SMALL) {
        char *larger = realloc(line->text, needed);
        if (larger == NULL) {
            return TG_ERR_NO_MEMORY;
        }
        *line = (line_buffer){larger, needed};
        err = tg_hlog_interval(tag, from_utc_ns(window), window->to_utc_ns, histogram, line->text,
                               line->size, &needed);
    }
    if (err == TG_OK && fputs(line->text, to) < 0) {
        err = TG_ERR_IO;
    }
    return err;
}

static tg_err put_log(FILE *to, const window_copy *copy, tg_histogram *histogram)
{
    char head[256];
    size_t needed = 0;
    line_buffer line = {NULL, 0};
    tg_err err = tg_hlog_head(copy->count > 0 ? from_utc_ns(&copy->windows[0]) : 0, head,
                              sizeof head, &needed);
    if (err == TG_OK && fputs(head, to) < 0) {
        err = TG_ERR_IO;
    }
    for (size_t i = 0; i < copy->count * LATENCY_STAGE_COUNT && err == TG_OK; i++) {
        const stage_window *window = &copy->windows[i / LATENCY_STAGE_COUNT];
        const latency_stage stage = (latency_stage)(i % LATENCY_STAGE_COUNT);
        if (window->of[stage].count == 0) {
            continue;
        }
        tg_histogram_reset(histogram);
        err = tg_histogram_add_packed(histogram, copy->packed[i].bytes, copy->packed[i].size);
        if (err == TG_OK) {
            err = put_interval(to, &line, window, stage, histogram);
        }
    }
    free(line.text);
    return err;
}

/* Integers only: no locale changes them. */
static void put_row(FILE *to, latency_stage stage, const window_copy *copy,
                    const tg_histogram *histogram)
{
    static const double percentiles[] = {50, 75, 90, 95, 99, 99.9, 99.99};
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    (void)fprintf(to, "%s,%" PRId64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRId64,
                  latency_stage_tag(stage), from_utc_ns(&copy->windows[0]),
                  copy->windows[copy->count - 1].to_utc_ns, summary.count, summary.negative,
                  summary.over, summary.min);
    for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++) {
        (void)fprintf(to, ",%" PRId64, tg_histogram_percentile(histogram, percentiles[i]));
    }
    (void)fprintf(to, ",%" PRId64 "\n", summary.max);
}

static tg_err put_table(FILE *to, const window_copy *copy, tg_histogram *histogram)
{
    (void)fputs("stage,from_utc_ns,to_utc_ns,count,negative,over_60s,min_ns,p50_ns,p75_ns,p90_ns,"
                "p95_ns,p99_ns,p99_9_ns,p99_99_ns,max_ns\n",
                to);
    for (size_t stage = 0; stage < LATENCY_STAGE_COUNT; stage++) {
        tg_histogram_reset(histogram);
        for (size_t i = 0; i < copy->count; i++) {
            const packed_counts *packed = &copy->packed[i * LATENCY_STAGE_COUNT + stage];
            const tg_err err = tg_histogram_add_packed(histogram, packed->bytes, packed->size);
            if (err != TG_OK) {
                return err;
            }
        }
        put_row(to, (latency_stage)stage, copy, histogram);
    }
    return TG_OK;
}

typedef tg_err (*put_file)(FILE *to, const window_copy *copy, tg_histogram *histogram);

static tg_err write_file(const char *path, const window_copy *copy, put_file put)
{
    tg_histogram *histogram = NULL;
    tg_err err = tg_histogram_open(NULL, &histogram);
    if (err != TG_OK) {
        return err;
    }
    FILE *to = fopen(path, "wx");
    err = to != NULL ? put(to, copy, histogram) : TG_ERR_IO;
    int why = errno;
    if (to != NULL) {
        const bool wrote = ferror(to) == 0;
        const bool closed = fclose(to) == 0;
        if (err == TG_OK && !(wrote && closed)) {
            why = errno;
            err = TG_ERR_IO;
        }
        if (err != TG_OK) {
            (void)remove(path); /* half a file would be taken for a whole one */
        }
    }
    tg_histogram_close(histogram);
    errno = why;
    return err;
}

static void *write_files(void *arg)
{
    latency_export *self = arg;
    char path[LATENCY_EXPORT_NAME_SIZE + 8];
    (void)snprintf(path, sizeof path, "%s.hlog", self->name);
    self->err = write_file(path, &self->copy, put_log);
    if (self->err == TG_OK) {
        (void)snprintf(path, sizeof path, "%s.csv", self->name);
        self->err = write_file(path, &self->copy, put_table);
    }
    self->why = errno;
    /* Release: pairs with the acquire in latency_export_take_result. */
    atomic_store_explicit(&self->over, true, memory_order_release);
    self->woken(self->ctx);
    return NULL;
}

tg_err latency_export_open(void (*woken)(void *ctx), void *ctx, latency_export **out)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    (*out)->woken = woken;
    (*out)->ctx = ctx;
    return TG_OK;
}

static void join(latency_export *self)
{
    if (self->running) {
        (void)pthread_join(self->thread, NULL);
        self->running = false;
        copy_free(&self->copy);
    }
}

void latency_export_close(latency_export *self)
{
    if (self != NULL) {
        join(self);
        free(self);
    }
}

tg_err latency_export_start(latency_export *self, const stage_windows *windows, size_t first,
                            size_t count, const char *name)
{
    if (self->running) {
        return TG_ERR_FULL;
    }
    if (count == 0) {
        return TG_ERR_NOT_FOUND;
    }
    if (strlen(name) >= sizeof self->name) {
        return TG_ERR_INVALID_ARGUMENT;
    }
    (void)strcpy(self->name, name);
    const tg_err err = copy_windows(windows, first, count, &self->copy);
    if (err != TG_OK) {
        return err;
    }
    atomic_store_explicit(&self->over, false, memory_order_relaxed);
    if (pthread_create(&self->thread, NULL, write_files, self) != 0) {
        copy_free(&self->copy);
        return TG_ERR_NO_MEMORY;
    }
    self->running = true;
    return TG_OK;
}

bool latency_export_take_result(latency_export *self, char *text, size_t size, bool *bad)
{
    /* Acquire: pairs with the release in write_files. */
    if (!self->running || !atomic_load_explicit(&self->over, memory_order_acquire)) {
        return false;
    }
    join(self);
    *bad = self->err != TG_OK;
    if (self->err == TG_OK) {
        (void)snprintf(text, size, "written: %s.hlog and .csv", self->name);
    } else {
        (void)snprintf(text, size, "%s: %s", self->name,
                       self->err == TG_ERR_IO ? strerror(self->why) : tg_err_text(self->err));
    }
    return true;
}

tg_err latency_export_write_log(const stage_windows *windows, const char *path)
{
    window_copy copy = {0};
    const size_t count = stage_windows_count(windows);
    tg_err err = count > 0 ? copy_windows(windows, 0, count, &copy) : TG_OK;
    if (err == TG_OK) {
        err = write_file(path, &copy, put_log);
    }
    const int why = errno;
    copy_free(&copy);
    errno = why;
    return err;
}
