/*
 * A fleet of engines on virtual time in front of a gateway that dies and returns, or that is
 * drained. The engines are the product's, the admission limiter, the times that the refused are
 * given and the drain's steps are the real gateway's; sessions are tests/sdk/sim_gateway's.
 *
 * Nothing here takes real time or differs between two runs with one seed.
 */
#ifndef BENCH_SDK_STORM_H
#define BENCH_SDK_STORM_H

#include <stdbool.h>
#include <stdint.h>

/* How a refusal is worded, and what a client makes of it. */
typedef enum storm_refusal {
    STORM_REFUSAL_SPREAD,  /* Retry-After by the turn of the refused, as the gateway does */
    STORM_REFUSAL_ONE,     /* one and the same number for all, as a balancer may */
    STORM_REFUSAL_IGNORED, /* control: the engine is not told of it; must be found */
} storm_refusal;

typedef struct storm_options {
    uint32_t clients;
    uint32_t backoff_first_ms;
    uint32_t backoff_cap_ms;
    uint32_t upgrades_per_s;
    uint32_t upgrade_burst;
    uint64_t seed;
    storm_refusal refusal;
    bool silent;   /* death of the machine: no reset, and a SYN has no answer but is sent again */
    bool hangs_up; /* a balancer stands before it, which accepts and closes while it is dead */
    bool untold;   /* control: the gateway does not tell how widely to come back */
    bool equal_steps; /* control: all engines draw alike; must be found */
} storm_options;

/* 10,000 clients of the defaults, the gateway's own defaults. */
void storm_options_init(storm_options *options);

typedef struct storm_result {
    uint64_t attempts; /* from the beginning of the recovery to its end */
    uint64_t admissions;
    uint64_t refusals;
    uint64_t attempts_dead; /* between death and return */
    uint32_t peak_attempts_100ms;
    double peak_over_mean;
    uint32_t early_connects; /* before a floor or before the engine's own draw, at any time */
    uint32_t not_live;       /* when the limit was over */
    double seconds;          /* until all were live; the limit if they were not */
    double limit_seconds;
    uint64_t resyncs; /* asked for since the trouble began */
    uint32_t peak_resyncs_100ms;
    double resync_peak_over_mean; /* over the time in which they were asked for */
} storm_result;

/* The gateway dies for outage_ms and returns. The recovery begins with the return. */
void storm_outage(const storm_options *options, uint32_t outage_ms, storm_result *result);

/* The gateway hangs for pause_ms and goes on: connections that it lost meanwhile come back. The
 * recovery begins with the first one that was given up. */
void storm_pause(const storm_options *options, uint32_t pause_ms, storm_result *result);

/* The dictionary has another generation, of which all hear within a heartbeat: they leave and join
 * anew. */
void storm_generation(const storm_options *options, storm_result *result);

/* The gateway loses one boundary for all, who see the gap with the next one. No session ends; live
 * means that images have come. */
void storm_gap(const storm_options *options, storm_result *result);

/* Its frames fail to come for stall_ms, though it answers: everybody's channel is overdue at one
 * and the same time. */
void storm_stall(const storm_options *options, uint32_t stall_ms, storm_result *result);

/* All clients are sent on in the steps of the gateway's drain, to one that admits. The recovery
 * begins with the first step. */
void storm_drain(const storm_options *options, storm_result *result);

#endif
