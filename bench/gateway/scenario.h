/* Traces of the bad quarter-hours: everybody does the same thing at the same time. Seeded. */
#ifndef BENCH_GATEWAY_SCENARIO_H
#define BENCH_GATEWAY_SCENARIO_H

#include <stdint.h>

#include "trace.h"

typedef enum scenario_kind {
    SCENARIO_OPEN,    /* before the market opens: within a while, most at its beginning */
    SCENARIO_RELEASE, /* a figure is released: all within a tenth of a second */
    SCENARIO_DEPLOY,  /* all are there; the gateway is drained and sends them away itself */
    SCENARIO_VPN_LOSS /* a share is cut off at once, some by RST, and comes back together */
} scenario_kind;

typedef struct scenario {
    scenario_kind kind;
    uint32_t clients;
    uint32_t within_ms;     /* how long connecting takes altogether; release: ignored */
    uint32_t share_percent; /* vpn-loss: who is cut off */
    uint64_t seed;
} scenario;

#define SCENARIO_RESET_PERCENT 6u    /* of those whom vpn-loss cuts off */
#define SCENARIO_SETTLE_MS     5000u /* from the last connect to the loss */
#define SCENARIO_OUTAGE_MS     2000u /* from the loss to the first who is back */

/* False: no such scenario. */
bool scenario_parse(const char *text, scenario_kind *out);
/* A sorted trace, appended to an empty *into. */
void scenario_generate(const scenario *s, trace *into);

#endif
