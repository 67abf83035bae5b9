/* A tickglass-gateway of our own, for a bench: with a tick log and, if it has one, a metrics page.
 */
#ifndef BENCH_GATEWAY_GATEWAY_CHILD_H
#define BENCH_GATEWAY_GATEWAY_CHILD_H

#include <stdint.h>

#include <integration/gateway_process.h>

#include "names.h"

typedef struct gateway_child {
    gateway_process process;
    gateway_address address;
    char folder[64];       /* ours; outlives the process */
    char tick_log[96];     /* complete once the gateway has ended */
    uint16_t metrics_port; /* 0: this gateway has no metrics page */
} gateway_child;

typedef struct gateway_child_options {
    const char *program;
    uint32_t ticks_per_s;
    uint64_t seed;
} gateway_child_options;

/* False: why; a gateway without --tick-log cannot be measured. */
bool gateway_child_start(gateway_child *g, const gateway_child_options *options, why *reason);
/* SIGTERM, and how long it took to end. Its exit code, -1: it has none. */
int gateway_child_drain(gateway_child *g, double *seconds);
/* Ends it if it runs; keeps the tick log. */
void gateway_child_stop(gateway_child *g);
/* Removes everything. Idempotent. */
void gateway_child_close(gateway_child *g);

#endif
