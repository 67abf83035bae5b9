/**
 * The past of an instrument, for drawing: buckets of a fixed length in time, each with the extremes
 * of what was received in it.
 *
 * A bucket in the making belongs to the version, as a row does; it goes from version to version
 * with its row. Closed buckets lie in one ring for each instrument, for all versions, where the
 * oldest is overwritten. A version says up to which bucket its cut reaches, so a reader sees just
 * what belongs to its view, less what has been overwritten since.
 *
 * A ring is given to an instrument with its first tick. When all are given, that of an instrument
 * that no channel carries any more, or whose id has gone, is given on.
 */
#ifndef TICKGLASS_STORE_HISTORY_H
#define TICKGLASS_STORE_HISTORY_H

#include <tickglass/store.h>

#include "overwrite_ring.h"

/* Of one instrument in one version. */
typedef struct tg__history_open {
    tg_history_point point; /* rows 0: none yet */
    uint64_t first;         /* number of the instrument's oldest bucket, overwritten or not */
    uint64_t head;          /* of the newest closed one; below first: none */
} tg__history_open;

/* What all versions share. Rings are numbered from 1; 0 is none. */
typedef struct tg__history {
    tg__ring_shape shape;
    uint32_t ring_count; /* 0: no history */
    int64_t step_ns;
    tg__ring *ring;
    _Atomic uint64_t *records;

    /* The writer's. */
    int64_t *until_mono_ns; /* by ring: end of the bucket in the making */
    uint16_t *row_of;       /* by ring; 0: it is free */
    uint16_t *free;
    uint32_t free_count;
    uint16_t hand; /* ring that was last asked to be given on */
} tg__history;

static inline _Atomic uint64_t *tg__history_records(const tg__history *history, uint16_t ring)
{
    return history->records + (size_t)(ring - 1) * history->shape.capacity * history->shape.words;
}

#endif
