/*
 * Connection logs of gateways reduced to a trace: when connections were opened, and how they ended.
 *
 *     2026-11-30T09:30:00.125Z connection 17 from 10.0.0.3: open, 201 in all
 *     2026-11-30T16:00:00.000Z connection 17 from 10.0.0.3: client_close with code 1000; …
 *     2026-11-30T16:00:00.001Z connection 18 from 10.0.0.4: reset; …
 *
 * "lost", "reset" and "timeout" become resets, every other end a close; other lines are passed
 * over. Several logs (of several gateways, say) become one trace whose time 0 is the earliest event
 * of all. An end whose beginning is in no log (it was opened before) is left out and counted, as
 * its number would have no client to close.
 */
#ifndef BENCH_GATEWAY_REDUCER_H
#define BENCH_GATEWAY_REDUCER_H

#include "trace.h"

typedef struct reduction {
    trace events;       /* UTC milliseconds until reducer_finish() */
    size_t passed_over; /* lines that tell of no connection's beginning or end */
    size_t unopened;    /* ends without a beginning */
} reduction;

/* One log; name is for why. A line that looks like a connection's but has no time is an error. */
bool reducer_add(reduction *into, FILE *log, const char *name, why *reason);
/* Sorts, and counts times from the first event. False: there is none. */
bool reducer_finish(reduction *r, why *reason);

#endif
