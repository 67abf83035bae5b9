/*
 * Which windows of the last hour are looked at, and what they add up to. Adding up an hour takes
 * longer than a tick may wait: it is done in steps, between passes.
 */
#ifndef TG_TERMINAL_LATENCY_SPAN_H
#define TG_TERMINAL_LATENCY_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stage_windows.h"

/* Bins of a distribution: 0 is everything below 1,024 ns, then eight to each doubling. */
#define LATENCY_BINS_FIRST_NS   1024
#define LATENCY_BINS_PER_OCTAVE 8
#define LATENCY_BINS            (1 + 26 * LATENCY_BINS_PER_OCTAVE)

/* The smallest value of a bin; bin may be LATENCY_BINS. Thread: any. */
int64_t latency_bin_lowest_ns(size_t bin);

typedef struct latency_span latency_span;

/* TG_ERR_NO_MEMORY. Nothing is allocated afterwards. Thread: owner, all of these. */
TG_MUST_CHECK tg_err latency_span_open(latency_span **out);
/* NULL is allowed. */
void latency_span_close(latency_span *span);

typedef enum span_move {
    SPAN_EARLIER, /* by a window */
    SPAN_LATER,
    SPAN_PAGE_EARLIER, /* by the length of the span */
    SPAN_PAGE_LATER,
    SPAN_OLDEST,
    SPAN_NEWEST, /* and follow what comes */
    SPAN_WIDER,
    SPAN_NARROWER,
    SPAN_STAGE_BEFORE,
    SPAN_STAGE_AFTER
} span_move;

void latency_span_move(latency_span *span, const stage_windows *windows, span_move move);

/* That window of stage_windows_at() stands in the middle of the span, as far as there are others
 * around it. */
void latency_span_show(latency_span *span, const stage_windows *windows, size_t index);
void latency_span_choose_stage(latency_span *span, latency_stage stage);

/* The chosen windows, as far as they are kept. */
typedef struct span_choice {
    size_t first;  /* of stage_windows_at() */
    size_t count;  /* 0: there are none yet */
    size_t wanted; /* count may be less where fewer are kept */
    bool follows;
    latency_stage stage; /* whose curve is drawn */
} span_choice;

span_choice latency_span_choice(const latency_span *span, const stage_windows *windows);

/* Goes on: adds window_count windows at most, or looks at the sum of a stage; true: there is more
 * to do. */
bool latency_span_step(latency_span *span, const stage_windows *windows, size_t window_count);

/* What chosen windows add up to. */
typedef struct span_sum {
    stage_figures of[LATENCY_STAGE_COUNT];
    uint64_t bin[LATENCY_STAGE_COUNT][LATENCY_BINS];
    stall_tally stalls;
    int64_t from_mono_ns;
    int64_t to_mono_ns;
    int64_t from_utc_ns;
    int64_t to_utc_ns;
} span_sum;

/* What was added up last, which says itself of which time it is; NULL: nothing yet. Owner: span,
 * until the next step. */
const span_sum *latency_span_sum(const latency_span *span);

/* That is the choice, not one before it. */
bool latency_span_is_current(const latency_span *span, const stage_windows *windows);

#endif
