/**
 * Tells each transition of a row's quality, with its cause, into a log that overwrites its oldest.
 *
 * What the writer does to a row marks it, and the publication that shows it judges the marked rows;
 * a change of the link or of a venue has every row judged. What happens by time alone is found by
 * tg__store_sweep(), as often as that is called. A tick of a row that is as live as it can be
 * costs one comparison.
 */
#ifndef TICKGLASS_STORE_QUALITY_WATCH_H
#define TICKGLASS_STORE_QUALITY_WATCH_H

#include "overwrite_ring.h"
#include "quality.h"

#define TG__SWEEP_ROWS 8192 /* most rows of one sweep; the next goes on behind them */

/* Of a row: can its next tick change what was told? */
typedef enum tg__watched {
    TG__WATCHED_TRADING, /* only by saying that the venue has halted */
    TG__WATCHED_HALTED,  /* only by saying the contrary */
    TG__WATCHED_UNSETTLED
} tg__watched;

/* What was last told of a row. Zeroed: of a store that watches nothing. */
typedef struct tg__told {
    uint8_t quality; /* tg_quality */
    uint8_t cause;   /* tg_quality_cause */
    uint8_t watched; /* tg__watched */
    bool marked;     /* among the marked rows */
} tg__told;

typedef struct tg__quality_watch {
    tg__ring log;
    tg__ring_shape shape; /* capacity 0: nothing is watched */
    _Atomic uint64_t *records;
    uint16_t *marked;
    uint32_t marked_count;
    uint32_t hand; /* place among the known rows where the next sweep begins */
    bool all;      /* the next publication judges every row */
} tg__quality_watch;

#endif
