/**
 * A single-writer shard of the sequencer: gives its instruments' ticks their versions and keeps
 * their current images.
 *
 * seq is contiguous per instrument and counts the ticks that the lane admitted; it goes on over a
 * raise of the epoch, so that the ticks that a step covers are always a difference.
 */
#ifndef TG_GATEWAY_LANE_H
#define TG_GATEWAY_LANE_H

#include <stddef.h>

#include <tickglass/err.h>

#include "id_domain.h"

typedef struct tg__lane_instrument {
    tg_image image;
    tg__id_domain quotes;
    tg__id_domain trades;
    uint32_t session_epoch; /* whose open, high, low and volume the image holds */
    tg_instrument_id id;
    bool dirty;       /* changed since the last cut */
    bool volume_lost; /* over 64 bits: null until the session ends */
} tg__lane_instrument;

typedef struct tg__lane {
    tg__lane_instrument *instruments;
    uint32_t *dirty; /* indexes of the changed instruments */
    uint32_t dirty_count;
    uint32_t count;
    uint32_t epoch;
    uint32_t time_resolution_ns;
} tg__lane;

/* Room for capacity instruments. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__lane_init(tg__lane *lane, uint32_t capacity, uint32_t epoch,
                                   uint32_t time_resolution_ns);
void tg__lane_deinit(tg__lane *lane);

/* The index of the new instrument; the caller keeps within capacity. */
uint32_t tg__lane_add(tg__lane *lane, tg_instrument_id id);

/* A row that is new or completes a tick changes the image; others change nothing. */
tg__verdict tg__lane_offer(tg__lane *lane, uint32_t index, const tg__row *row);

/*
 * The lane's venues began again with new ids: later ticks get the higher epoch, ids are no longer
 * compared with earlier ones, and a new session starts.
 */
void tg__lane_reset(tg__lane *lane, uint32_t epoch);

/* An instrument that changed since the last cut, each once; NULL: no more. */
const tg__lane_instrument *tg__lane_cut_next(tg__lane *lane);

#endif
