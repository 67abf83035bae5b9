/*
 * A day of one engine: two gateways of one lineage, one of them behind, a third of another lineage,
 * and a script of what goes wrong. Whatever happens, versions on show never go back within a
 * lineage, every value belongs to its version, what is called live is what was sent last, nothing
 * is called live between a jump of the clocks and the gateway's answer, nor while frames are late,
 * the ledger of each instrument is that of the rows that came, tick by tick, and when the trouble
 * ends everything is live and equal to the market again. Two days of three have a provider of
 * tokens (day_tokens.h). Some instruments are on the priority channel: their depth never goes back
 * either, and a loss there leaves their rows alone. What does not hold fails the running test.
 */
#ifndef DAY_H
#define DAY_H

#include "day_log.h"
#include "day_script.h"

typedef struct day_result {
    uint64_t frames; /* deltas and snapshots that reached the engine */
    uint64_t faults; /* that took effect */
    uint64_t by_fault[DAY_FAULT_COUNT];
    uint64_t ledgers;  /* of instruments, that had to be right to the tick */
    uint64_t renewals; /* of tokens in session, that were accepted */
    uint64_t books;    /* live depth that was read */
    uint64_t jumps;    /* of the clocks, within a session */
    uint64_t late;     /* rows that were read while the latest frame was late */
} day_result;

/* Mistakes of the test's own, for the shrinker. */
typedef enum day_mistake {
    DAY_NO_MISTAKE,
    DAY_BREAK_AFTER_OVERFLOW, /* fails */
    DAY_TORN_TICKS,           /* fail */
    DAY_OLD_TOKEN             /* fails at the upgrade */
} day_mistake;

typedef struct day_options {
    /* Every action of the engine with its time and all its bytes; NULL: not kept. */
    day_log *log;
    day_mistake planted;
} day_options;

/* Adds to result. */
void day_live(const day_script *script, const day_options *options, day_result *result);

#endif
