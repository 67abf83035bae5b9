/*
 * The swarm's own judge: the versions that a client was shown, for each instrument. It knows
 * nothing of how the store admits; it compares what is read from the views.
 */
#ifndef BENCH_GATEWAY_SHOWN_H
#define BENCH_GATEWAY_SHOWN_H

#include <stdint.h>

#include "why.h"

typedef enum shown_step {
    SHOWN_FIRST,      /* nothing to compare with, in this session at least */
    SHOWN_FOLLOWS,    /* newer than *before, of the same session */
    SHOWN_AGAIN,      /* the same version */
    SHOWN_REGRESSION, /* older: what must never be */
    SHOWN_RESTART     /* the store says that another lineage began */
} shown_step;

typedef struct shown_entry {
    uint64_t seq;
    uint32_t epoch;
    uint32_t session; /* that showed it; 0: never shown */
} shown_entry;

typedef struct shown {
    shown_entry *entries; /* by instrument id; untouched pages take no memory */
    uint32_t session;     /* from 1 */
} shown;

bool shown_init(shown *s);
void shown_deinit(shown *s);

/* From now on first versions have no predecessor: what happened in between was not received. */
void shown_new_session(shown *s);

/* The highest version stays remembered, across sessions. before: seq of the version before, if any.
 */
shown_step shown_take(shown *s, uint16_t id, uint32_t epoch, uint64_t seq, bool restarted,
                      uint64_t *before);

#endif
