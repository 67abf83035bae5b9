/* What the latency panel shows, as of one pass. */
#ifndef TG_TERMINAL_LATENCY_VIEW_H
#define TG_TERMINAL_LATENCY_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "clock_error.h"
#include "latency_span.h"
#include "process_stalls.h"
#include "stage_windows.h"

typedef struct latency_view {
    const stage_windows *windows;
    const process_stalls *stalls;
    const span_sum *sum; /* NULL: none yet */
    span_choice choice;
    bool current; /* sum is that of choice */
    clock_error clock;
    int64_t rtt_ns; /* -1: not measured */
    int64_t rtt_mono_ns;
    int64_t now_mono_ns;
} latency_view;

#endif
