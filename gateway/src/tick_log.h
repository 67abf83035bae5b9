/**
 * A journal of every tick that a lane admitted, for benches and oracles: they join what a client
 * received by (instrument, epoch, seq) and so know when the ticks were due that a row covers.
 *
 * Little-endian. A header of TG__TICK_LOG_HEADER_SIZE bytes:
 *   0  8  "TGTICKS1"
 *   8  4  size of a record
 *   12 8  lineage
 * then records of TG__TICK_LOG_RECORD_SIZE bytes, one for each version, in order of admission:
 *   0  2  instrument id
 *   2  2  flags, 0
 *   4  4  epoch
 *   8  8  seq
 *   16 8  exchange time, as scheduled: ns since 1970, not rounded to the time resolution
 *   24 8  admission on the same time line, to the turn of the loop: ns since 1970
 * A torn record at the end is what a crash or a full disk leaves.
 */
#ifndef TG_GATEWAY_TICK_LOG_H
#define TG_GATEWAY_TICK_LOG_H

#include <tickglass/market.h>

#include "cause.h"

#define TG__TICK_LOG_MAGIC       "TGTICKS1"
#define TG__TICK_LOG_HEADER_SIZE 20u
#define TG__TICK_LOG_RECORD_SIZE 32u
#define TG__TICK_LOG_BUFFER_SIZE 65536u /* bytes; full: written */

typedef struct tg__tick_log tg__tick_log;

/* Begins the file anew, for instrument ids below instrument_count. TG_ERR_IO, TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__tick_log_open(const char *path, uint64_t lineage,
                                       uint32_t instrument_count, tg__tick_log **out,
                                       tg__cause *cause);

/*
 * The lane admitted something that made image; only its first row makes a record of a version. A
 * failed write is told in the gateway's log and ends the journal: serving goes on.
 */
void tg__tick_log_add(tg__tick_log *log, tg_instrument_id id, const tg_image *image,
                      int64_t ts_exchange_ns, int64_t admitted_utc_ns);

/* Writes what is buffered. NULL is allowed, here and below. */
void tg__tick_log_flush(tg__tick_log *log);
void tg__tick_log_close(tg__tick_log *log);

#endif
