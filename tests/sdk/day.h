/*
 * A day of one engine: two gateways of one lineage, one of them behind, a third of another lineage,
 * and a script of what goes wrong. Whatever happens, versions on show never go back within a
 * lineage, every value belongs to its version, what is called live is what was sent last, nothing
 * is called live between a jump of the clocks and the gateway's answer, nor while frames are late,
 * the ledger balances, and when the trouble ends everything is live and equal to the market again.
 * What does not hold fails the running test.
 */
#ifndef DAY_H
#define DAY_H

#include "day_script.h"

typedef struct day_log {
    size_t size;
    size_t capacity;
    uint8_t *bytes;
} day_log;

typedef struct day_result {
    uint64_t frames; /* deltas and snapshots that reached the engine */
    uint64_t faults; /* that took effect */
    uint64_t by_fault[DAY_FAULT_COUNT];
    uint64_t ledgers; /* days whose ledger had to balance to the tick */
    uint64_t jumps;   /* of the clocks, within a session */
    uint64_t late;    /* rows that were read while the latest frame was late */
} day_result;

typedef struct day_options {
    /* Every action of the engine with its time and all its bytes; NULL: not kept. */
    day_log *log;
    /* A mistake of the test's own, for the shrinker: an overflow with a break after it fails. */
    bool planted;
} day_options;

/* Adds to result. */
void day_live(const day_script *script, const day_options *options, day_result *result);

void day_log_deinit(day_log *log);

#endif
