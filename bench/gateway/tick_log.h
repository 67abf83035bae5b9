/*
 * The gateway's journal of admitted ticks (tickglass-gateway --tick-log FILE), little-endian:
 *
 *     "TGTICKS1"  u32 record size (32 or more)  u64 lineage
 *     records: u16 instrument  u16 flags  u32 epoch  u64 seq  i64 scheduled ns  i64 admitted ns
 *
 * Times are UTC. seq is contiguous per instrument, over raises of the epoch too. A tick whose other
 * half came later stands twice with the same seq: its first time counts. A torn last record, as a
 * killed gateway leaves it, is passed over.
 */
#ifndef BENCH_GATEWAY_TICK_LOG_H
#define BENCH_GATEWAY_TICK_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "why.h"

typedef struct tick_log tick_log;

/* False: why names the file and, if one is bad, the record. */
bool tick_log_open(const char *path, tick_log **out, why *reason);
void tick_log_close(tick_log *log);

uint64_t tick_log_count(const tick_log *log);
/* Ticks a second, between the first and the last scheduled time. */
double tick_log_rate(const tick_log *log);
/* False: the log does not hold that tick. */
bool tick_log_scheduled(const tick_log *log, uint16_t id, uint64_t seq, int64_t *utc_ns);

#endif
