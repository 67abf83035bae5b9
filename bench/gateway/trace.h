/*
 * When terminals come and go: a list of anonymous events, in a file
 *
 *     time_ms,event
 *     0,connect
 *     1250,close
 *     1251,reset
 *
 * Times ascend and count from the start of the run. Who connects, closes or is reset is chosen by
 * the plan (plan.h): a connection log says how many came and went, not who they were.
 */
#ifndef BENCH_GATEWAY_TRACE_H
#define BENCH_GATEWAY_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "why.h"

typedef enum trace_kind {
    TRACE_CONNECT,
    TRACE_CLOSE, /* a good-bye of the client's */
    TRACE_RESET  /* by RST, without a word */
} trace_kind;

typedef struct trace_event {
    int64_t time_ms;
    trace_kind kind;
} trace_event;

typedef struct trace {
    trace_event *events;
    size_t count;
    size_t capacity;
} trace;

/* "connect", "close", "reset". */
const char *trace_kind_name(trace_kind kind);

/* Any order; memory that runs out ends the program, there is nothing to measure then. */
void trace_add(trace *into, int64_t time_ms, trace_kind kind);
/* By time; events of one moment keep their order. */
void trace_sort(trace *t);
/* The most that are connected at once. */
size_t trace_peak(const trace *t);
void trace_deinit(trace *t);

/* Appends to *into. False: why names the line. name is the file's, for why. */
bool trace_read(FILE *file, const char *name, trace *into, why *reason);
bool trace_write(FILE *file, const trace *t);

#endif
