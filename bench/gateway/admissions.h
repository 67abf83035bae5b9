/*
 * When a client's store published which ticks: compact samples in memory of fixed size, joined with
 * the gateway's tick log after the run. Nothing but an array store happens while it runs.
 */
#ifndef BENCH_GATEWAY_ADMISSIONS_H
#define BENCH_GATEWAY_ADMISSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "why.h"

typedef struct admission {
    int64_t published_utc_ns;
    uint64_t seq;     /* of the newest covered tick */
    uint32_t covered; /* ticks seq - covered + 1 to seq */
    uint16_t id;
} admission;

/* Full: the newest are left out and counted, so that a run's beginning stays whole. */
typedef struct admissions {
    admission *at;
    size_t count;
    size_t capacity;
    uint64_t left_out;
} admissions;

/* Pages are taken from the system when they are first written to. */
bool admissions_init(admissions *a, size_t capacity);
void admissions_deinit(admissions *a);

static inline void admissions_add(admissions *a, const admission *one)
{
    if (a->count < a->capacity) {
        a->at[a->count++] = *one;
    } else {
        a->left_out++;
    }
}

#endif
