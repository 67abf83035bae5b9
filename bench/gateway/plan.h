/*
 * Who does what: a trace's anonymous events given to numbered clients.
 *
 * Who connects has been away the longest; who leaves is drawn from those who are there.
 */
#ifndef BENCH_GATEWAY_PLAN_H
#define BENCH_GATEWAY_PLAN_H

#include "trace.h"

typedef struct plan_step {
    int64_t time_ms;
    trace_kind kind;
    uint32_t client;
    bool ends_by_reset; /* of a connect: how this session will end */
} plan_step;

typedef struct plan {
    plan_step *steps;
    size_t count;
} plan;

/* clients >= trace_peak(). */
void plan_init(plan *p, const trace *from, uint32_t clients, uint64_t seed);
void plan_deinit(plan *p);

#endif
