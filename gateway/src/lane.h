/**
 * A single-writer shard of the sequencer: gives its instruments' ticks their versions and keeps
 * their current images.
 *
 * seq is contiguous per instrument and counts the ticks that the lane admitted; it goes on over a
 * raise of the epoch, so that the ticks that a step covers are always a difference.
 *
 * A cut asks every lane for its marker. A lane that does not answer, because it is frozen, keeps
 * its rows in a bounded queue; what does not fit is dropped and counted, and the lane has lost
 * continuity then. The cut never waits: it goes on with what the lane last gave, and a lane that
 * owes its marker for longer than the deadline is late.
 */
#ifndef TG_GATEWAY_LANE_H
#define TG_GATEWAY_LANE_H

#include <stddef.h>

#include <tickglass/err.h>

#include "id_domain.h"

#define TG__LANE_PENDING_MAX   8192u /* rows that wait for a frozen lane */
#define TG__LANE_DEADLINE_CUTS 2u    /* boundaries that a marker may be owed for: 20 ms */

typedef struct tg__lane_instrument {
    tg_image image;
    tg__id_domain quotes;
    tg__id_domain trades;
    tg__time_domain without_ids;
    uint32_t epoch; /* of its next tick */
    tg_instrument_id id;
    bool dirty;       /* changed since the last cut */
    bool begins_anew; /* its next tick opens a session: no open, high, low and volume from before */
    bool trades_missed; /* high, low and volume cannot be known: null until the session ends */
    bool volume_lost;   /* over 64 bits: null until the session ends */
} tg__lane_instrument;

typedef struct tg__lane {
    tg__lane_instrument *instruments;
    uint32_t *dirty; /* indexes of the changed instruments */
    uint32_t dirty_count;
    uint32_t count;
    uint32_t epoch; /* of instruments that are added */
    uint32_t time_resolution_ns;
    bool frozen;
    bool missed;              /* rows were dropped since it was frozen */
    uint64_t marker_boundary; /* of the last cut that it answered */
    tg__row *pending;         /* a ring of TG__LANE_PENDING_MAX; full: the row is dropped */
    uint32_t pending_first;
    uint32_t pending_count;
    uint64_t pending_dropped;
} tg__lane;

/* Room for capacity instruments. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__lane_init(tg__lane *lane, uint32_t capacity, uint32_t epoch,
                                   uint32_t time_resolution_ns);
void tg__lane_deinit(tg__lane *lane);

/* The index of the new instrument; the caller keeps within capacity. */
uint32_t tg__lane_add(tg__lane *lane, tg_instrument_id id);

/* A row that is new or completes a tick changes the image; others change nothing. */
tg__verdict tg__lane_offer(tg__lane *lane, uint32_t index, const tg__row *row);

/* A row waits until the lane is not frozen any more. */
void tg__lane_hold(tg__lane *lane, const tg__row *row);

/* The oldest row that waits; false: none, or the lane is frozen. */
bool tg__lane_take_pending(tg__lane *lane, tg__row *row);
/* Drops it, also of a frozen lane; false: none. */
bool tg__lane_drop_pending(tg__lane *lane, tg__row *row);

/* Also of a frozen lane: rows that choose() does not want are dropped, and missed. Returns how
 * many.
 */
uint32_t tg__lane_sift_pending(tg__lane *lane, bool (*choose)(const void *ctx, const tg__row *row),
                               const void *ctx);

/*
 * Continuity of the instrument was lost: its next tick gets the higher epoch. Its ids stay, so that
 * rows that are not newer are refused (without ids: by exchange time); and nobody knows what
 * trades were missed.
 */
void tg__lane_raise(tg__lane *lane, uint32_t index, uint32_t epoch);

/*
 * The lane's venues began again with new ids: later ticks get the higher epoch, ids are no longer
 * compared with earlier ones, and a new session starts.
 */
void tg__lane_reset(tg__lane *lane, uint32_t epoch);

/* The lane answers the cut at boundary; false: it is frozen, or has thawed and is not done with
 * what waited and what was missed. What it changed waits then. */
bool tg__lane_mark(tg__lane *lane, uint64_t boundary);

/* It has owed its marker for longer than the deadline. */
bool tg__lane_is_late(const tg__lane *lane, uint64_t boundary);

/* An instrument that changed since the last cut, each once; NULL: no more. */
const tg__lane_instrument *tg__lane_cut_next(tg__lane *lane);

#endif
