/** From stamps to times, by the anchors that a record file carries. */
#ifndef TICKGLASS_TIME_MAP_H
#define TICKGLASS_TIME_MAP_H

#include <stddef.h>

#include "anchor.h"

typedef struct tg__time_map {
    tg__anchor *anchors; /**< ascending stamps */
    size_t count;
    size_t capacity;
    size_t segment; /**< where the last look-up ended; the next is near */
    size_t rated;   /**< 1 + the segment that rate is of; 0: none */
    double rate;    /**< ns of a stamp's unit */
    uint32_t clock_kind;
} tg__time_map;

void tg__time_map_deinit(tg__time_map *map);

/** Anchors that do not ascend are ignored and counted as steps by the caller. Returns TG_ERR_STATE
 * for such a one. */
TG_MUST_CHECK tg_err tg__time_map_add(tg__time_map *map, const tg__anchor *anchor);

/** CLOCK_MONOTONIC at a stamp of the recorder's clock; beyond the anchors at the nearest rate. */
int64_t tg__time_map_mono(tg__time_map *map, uint64_t stamp);

/** UTC at a time of CLOCK_MONOTONIC. A step of the wall clock lies between two anchors; times
 * between them keep the older offset. */
int64_t tg__time_map_utc(const tg__time_map *map, int64_t mono_ns);

/** The largest change of UTC against CLOCK_BOOTTIME between two anchors, in ns: 0 to some thousands
 * is drift, more is a step. */
int64_t tg__time_map_utc_step(const tg__time_map *map);

/** Time that the machine was suspended while the file was written, in ns. */
int64_t tg__time_map_suspended(const tg__time_map *map);

#endif
