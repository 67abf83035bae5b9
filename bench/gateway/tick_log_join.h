/*
 * Tick-to-admit: from the scheduled times of the oldest and the newest tick that a row covers to
 * the publication of that row by a client's store.
 */
#ifndef BENCH_GATEWAY_TICK_LOG_JOIN_H
#define BENCH_GATEWAY_TICK_LOG_JOIN_H

#include "admissions.h"
#include "latency.h"
#include "tick_log.h"

typedef struct tick_latency {
    tg_histogram *oldest;
    tg_histogram *newest;
    uint64_t unmatched; /* rows of which the log lacks a tick */
} tick_latency;

void tick_latency_open(tick_latency *l);
void tick_latency_close(tick_latency *l);

typedef struct time_window {
    int64_t from_ns; /* UTC */
    int64_t to_ns;
} time_window;

#define TIME_WINDOW_ALL ((time_window){INT64_MIN, INT64_MAX})

/* Adds a client's samples that were published within the window. */
void tick_log_join(tick_latency *into, const admissions *rows, time_window window,
                   const tick_log *log);

#endif
