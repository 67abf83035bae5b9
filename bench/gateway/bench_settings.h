/* What the cases of bench_gateway share: how large, how long, and where rows go. */
#ifndef BENCH_GATEWAY_BENCH_SETTINGS_H
#define BENCH_GATEWAY_BENCH_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "why.h"

typedef struct bench_settings {
    const char *program; /* the gateway */
    const char *sizes;   /* of watchlists: distribution.h */
    bool json;
    bool quick;
    uint32_t terminals;
    uint32_t lists; /* different watchlists among them */
    uint32_t ticks_per_s;
    uint32_t seconds; /* of the tier */
    uint32_t pause_s; /* of the slow ones */
    uint32_t slow;    /* terminals that stop reading */
    uint32_t runs;    /* of the slow case */
    uint32_t hydrations;
    uint64_t seed;
} bench_settings;

/* One case each; rows go to standard output. False: it could not be measured. */
bool bench_tier(const bench_settings *settings, why *reason);
bool bench_hydration(const bench_settings *settings, why *reason);
bool bench_slow(const bench_settings *settings, why *reason);
bool bench_drain(const bench_settings *settings, why *reason);
bool bench_tokens(const bench_settings *settings, why *reason);

/* Whether a target is met; for people, if told, the value beside it. */
bool bench_judge(bool told, const char *what, double value, bool met, const char *target);

#endif
