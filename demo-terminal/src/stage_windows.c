#include "stage_windows.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/histogram_form.h>

typedef struct kept_window {
    stage_window window;
    size_t at; /* in the bytes */
    size_t size[LATENCY_STAGE_COUNT];
} kept_window;

struct stage_windows {
    tg_histogram *running[LATENCY_STAGE_COUNT];
    tg_histogram *total_before[LATENCY_STAGE_COUNT]; /* NULL: nobody else counts it */
    int64_t from_mono_ns;
    uint64_t next_number;
    size_t first; /* kept[first] is the oldest */
    size_t count;
    kept_window kept[STAGE_WINDOWS_MAX];
    size_t free_at; /* behind the newest */
    size_t capacity;
    unsigned char *bytes; /* a window lies in one piece */
    unsigned char *fresh; /* the window that ends, before it has its place */
};

/* More than 18,432 counters of the default shape can take. */
#define STAGE_BYTES_MAX ((size_t)208 << 10)

stage_figures stage_figures_of(const tg_histogram *histogram)
{
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    stage_figures figures = {.count = summary.count,
                             .negative = summary.negative,
                             .over = summary.over,
                             .max_ns = summary.max};
    if (summary.count > 0) {
        figures.p50_ns = tg_histogram_percentile(histogram, 50);
        figures.p99_ns = tg_histogram_percentile(histogram, 99);
        figures.p999_ns = tg_histogram_percentile(histogram, 99.9);
    }
    return figures;
}

static bool is_a_total(latency_stage stage)
{
    return stage == LATENCY_DECODE || stage == LATENCY_COMMIT;
}

tg_err stage_windows_open(size_t bytes, int64_t now_mono_ns, stage_windows **out)
{
    *out = NULL;
    stage_windows *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    self->from_mono_ns = now_mono_ns;
    self->capacity = bytes;
    self->bytes = malloc(bytes);
    self->fresh = malloc(STAGE_BYTES_MAX * LATENCY_STAGE_COUNT);
    tg_err err = self->bytes != NULL && self->fresh != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    for (int i = 0; i < LATENCY_STAGE_COUNT && err == TG_OK; i++) {
        err = tg_histogram_open(NULL, &self->running[i]);
        if (err == TG_OK && is_a_total((latency_stage)i)) {
            err = tg_histogram_open(NULL, &self->total_before[i]);
        }
    }
    if (err != TG_OK) {
        stage_windows_close(self);
        return err;
    }
    *out = self;
    return TG_OK;
}

void stage_windows_close(stage_windows *self)
{
    if (self == NULL) {
        return;
    }
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        tg_histogram_close(self->running[i]);
        tg_histogram_close(self->total_before[i]);
    }
    free(self->bytes);
    free(self->fresh);
    free(self);
}

void stage_windows_record(stage_windows *self, latency_stage stage, int64_t value_ns)
{
    tg_histogram_record(self->running[stage], value_ns);
}

tg_err stage_windows_take_total(stage_windows *self, latency_stage stage, const tg_histogram *total)
{
    tg_histogram *before = self->total_before[stage];
    if (before == NULL) {
        return TG_ERR_INVALID_ARGUMENT;
    }
    const tg_err err = tg_histogram_add_difference(self->running[stage], total, before);
    tg_histogram_reset(before);
    const tg_err kept = tg_histogram_add(before, total);
    return err != TG_OK ? err : kept;
}

const tg_histogram *stage_windows_running(const stage_windows *self, latency_stage stage)
{
    return self->running[stage];
}

int64_t stage_windows_running_from(const stage_windows *self)
{
    return self->from_mono_ns;
}

static void forget_oldest(stage_windows *self)
{
    self->first = (self->first + 1) % STAGE_WINDOWS_MAX;
    self->count--;
}

static const kept_window *kept_at(const stage_windows *self, size_t index)
{
    return &self->kept[(self->first + index) % STAGE_WINDOWS_MAX];
}

static size_t size_of(const kept_window *kept)
{
    size_t all = 0;
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        all += kept->size[i];
    }
    return all;
}

/* Of the bytes, what is kept. */
typedef struct extent {
    size_t begin;
    size_t end;
    size_t used;
} extent;

static extent extent_of(const stage_windows *self)
{
    extent all = {self->capacity, 0, 0};
    for (size_t i = 0; i < self->count; i++) {
        const kept_window *kept = kept_at(self, i);
        const size_t size = size_of(kept);
        all.begin = kept->at < all.begin ? kept->at : all.begin;
        all.end = kept->at + size > all.end ? kept->at + size : all.end;
        all.used += size;
    }
    return all;
}

static bool is_free(const stage_windows *self, size_t at, size_t size)
{
    if (at > self->capacity || size > self->capacity - at) {
        return false;
    }
    for (size_t i = 0; i < self->count; i++) {
        const kept_window *kept = kept_at(self, i);
        if (at < kept->at + size_of(kept) && kept->at < at + size) {
            return false;
        }
    }
    return true;
}

/* Where size bytes have room beside what is kept; false: nowhere. A ring, but for one thing: it
 * goes back to the beginning as soon as there is twice the room there of all that is kept. Quiet
 * hours shall not touch all of the memory one after the other. Where that turns out too little, it
 * goes on behind everything, if there is as much; so what has to go goes for want of room alone. */
static bool find_room(stage_windows *self, size_t size, size_t *at)
{
    const extent all = extent_of(self);
    const size_t ample = 2 * all.used + size;
    const size_t back = all.begin >= ample ? 0 : self->free_at;
    const size_t on = self->capacity - all.end >= ample ? all.end : self->free_at;
    const size_t places[] = {back, self->free_at, on, 0};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (is_free(self, places[i], size)) {
            *at = places[i];
            return true;
        }
    }
    return false;
}

/* All of the running window, one stage behind the other. */
static size_t pack_running(stage_windows *self, size_t size[LATENCY_STAGE_COUNT])
{
    size_t all = 0;
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        /* There is room for the largest of this shape. */
        (void)!tg_histogram_pack(self->running[i], self->fresh + all, STAGE_BYTES_MAX, &size[i]);
        all += size[i];
    }
    return all;
}

static void keep(stage_windows *self, const stage_window *window)
{
    size_t size[LATENCY_STAGE_COUNT];
    const size_t all = pack_running(self, size);
    size_t at = 0;
    if (self->count == STAGE_WINDOWS_MAX) {
        forget_oldest(self);
    }
    while (!find_room(self, all, &at)) {
        if (self->count == 0) {
            return; /* more than all of the memory */
        }
        forget_oldest(self);
    }
    kept_window *kept = &self->kept[(self->first + self->count) % STAGE_WINDOWS_MAX];
    kept->window = *window;
    kept->at = at;
    memcpy(kept->size, size, sizeof size);
    memcpy(self->bytes + at, self->fresh, all);
    self->free_at = at + all;
    self->count++;
}

static window_figures figures_of_running(const tg_histogram *running)
{
    tg_histogram_summary summary;
    tg_histogram_summary_get(running, &summary);
    window_figures figures = {.count = summary.count, .max_ns = summary.max};
    if (summary.count > 0) {
        figures.p99_ns = tg_histogram_percentile(running, 99);
    }
    return figures;
}

void stage_windows_end(stage_windows *self, int64_t now_mono_ns, int64_t now_utc_ns,
                       const stall_tally *stalls)
{
    stage_window window = {.number = self->next_number++,
                           .from_mono_ns = self->from_mono_ns,
                           .to_mono_ns = now_mono_ns,
                           .to_utc_ns = now_utc_ns,
                           .stalls = *stalls};
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        window.of[i] = figures_of_running(self->running[i]);
    }
    keep(self, &window);
    for (int i = 0; i < LATENCY_STAGE_COUNT; i++) {
        tg_histogram_reset(self->running[i]);
    }
    self->from_mono_ns = now_mono_ns;
}

size_t stage_windows_count(const stage_windows *self)
{
    return self->count;
}

const stage_window *stage_windows_at(const stage_windows *self, size_t index)
{
    return &kept_at(self, index)->window;
}

packed_counts stage_windows_packed(const stage_windows *self, size_t index, latency_stage stage)
{
    const kept_window *kept = kept_at(self, index);
    size_t at = kept->at;
    for (int i = 0; i < (int)stage; i++) {
        at += kept->size[i];
    }
    const packed_counts packed = {self->bytes + at, kept->size[stage]};
    return packed;
}

tg_err stage_windows_add(const stage_windows *self, size_t index, latency_stage stage,
                         tg_histogram *into)
{
    const packed_counts packed = stage_windows_packed(self, index, stage);
    return tg_histogram_add_packed(into, packed.bytes, packed.size);
}

size_t stage_windows_bytes_used(const stage_windows *self)
{
    return extent_of(self).used;
}
