/*
 * The stages' histograms of the last hour, ten seconds in each window: any of them add up exactly,
 * as if one histogram had counted all of that time. The memory is fixed: where an hour needs more,
 * the oldest windows go earlier.
 */
#ifndef TG_TERMINAL_STAGE_WINDOWS_H
#define TG_TERMINAL_STAGE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/histogram.h>

#include "latency_stage.h"
#include "process_stalls.h"

#define STAGE_WINDOW_NS   INT64_C(10000000000)
#define STAGE_WINDOWS_MAX 360
/* Packed counts. An hour of 300 rows 25 times a second takes some 18 MB; pages are touched only as
 * windows come. */
#define STAGE_WINDOWS_BYTES ((size_t)24 << 20)

typedef struct stage_figures {
    uint64_t count;
    uint64_t negative; /* below 0: of clocks that do not agree; not in count */
    uint64_t over;     /* over a minute; not in count */
    int64_t p50_ns;
    int64_t p99_ns;
    int64_t p999_ns;
    int64_t max_ns;
} stage_figures;

/* Of all that it has counted. Costs some hundred microseconds. Thread: its recording one. */
stage_figures stage_figures_of(const tg_histogram *histogram);

/* What is at hand of a window without its counts. */
typedef struct window_figures {
    uint64_t count;
    int64_t p99_ns;
    int64_t max_ns;
} window_figures;

typedef struct stage_window {
    uint64_t number; /* from 0, without holes */
    int64_t from_mono_ns;
    int64_t to_mono_ns;
    int64_t to_utc_ns;
    window_figures of[LATENCY_STAGE_COUNT];
    stall_tally stalls;
} stage_window;

typedef struct stage_windows stage_windows;

/* bytes is for the packed counts. TG_ERR_NO_MEMORY. Nothing is allocated afterwards. Thread: owner,
 * all of these. */
TG_MUST_CHECK tg_err stage_windows_open(size_t bytes, int64_t now_mono_ns, stage_windows **out);
/* NULL is allowed. */
void stage_windows_close(stage_windows *windows);

/* Into the window that runs. */
void stage_windows_record(stage_windows *windows, latency_stage stage, int64_t value_ns);

/*
 * The same for a stage of which somebody else counts all: what total has more than at the last call
 * goes into the window. TG_ERR_HISTOGRAM_RANGE, TG_ERR_INVALID_ARGUMENT: not such a total; it is
 * taken as the beginning of the next difference.
 */
TG_MUST_CHECK tg_err stage_windows_take_total(stage_windows *windows, latency_stage stage,
                                              const tg_histogram *total);

/* What the running window has so far. Owner: windows. */
const tg_histogram *stage_windows_running(const stage_windows *windows, latency_stage stage);
int64_t stage_windows_running_from(const stage_windows *windows);

/* The running window is over and kept; the next one begins. Costs one to three milliseconds. */
void stage_windows_end(stage_windows *windows, int64_t now_mono_ns, int64_t now_utc_ns,
                       const stall_tally *stalls);

/* The oldest is 0; index < count. */
size_t stage_windows_count(const stage_windows *windows);
const stage_window *stage_windows_at(const stage_windows *windows, size_t index);

/* Adds the counts of one window's stage to a histogram of the default shape.
 * TG_ERR_HISTOGRAM_RANGE: it has another one. */
TG_MUST_CHECK tg_err stage_windows_add(const stage_windows *windows, size_t index,
                                       latency_stage stage, tg_histogram *into);

/* Its packed counts, as tg_histogram_pack() has them. Owner: windows, until the next window ends.
 */
typedef struct packed_counts {
    const unsigned char *bytes;
    size_t size;
} packed_counts;

packed_counts stage_windows_packed(const stage_windows *windows, size_t index, latency_stage stage);

/* All that is kept, packed. */
size_t stage_windows_bytes_used(const stage_windows *windows);

#endif
