/**
 * Symbols hashed to lanes, and what became of the rows of each venue.
 *
 * Restart: lanes come back with the images and ids of before, because a lane that forgot its ids
 * could not refuse the rows that the feeds bring again; but how many ticks it missed meanwhile it
 * does not know, so that every instrument goes on under a new epoch.
 */
#ifndef TG_GATEWAY_SEQUENCER_H
#define TG_GATEWAY_SEQUENCER_H

#include "directory.h"
#include "lane.h"

#define TG__LANE_COUNT 4u
#define TG__VENUE_ALL  TG_VENUE_MAX /* where an operation takes one venue or all of them */

/* Rows, not ticks: a bid and an ask that are one tick count as two rows. */
typedef struct tg__venue_counts {
    uint64_t admitted;
    uint64_t duplicates;
    uint64_t regressions;
    uint64_t
        missed; /* came while the sequencer was away, or found the queue of a frozen lane full */
} tg__venue_counts;

typedef struct tg__route {
    uint32_t lane;
    uint32_t index;
} tg__route;

typedef struct tg__sequencer {
    tg__lane lanes[TG__LANE_COUNT];
    tg__route *routes; /* by instrument id */
    const tg__directory *directory;
    bool away; /* between a failure and its restart: rows are lost, and no lane answers a cut */
    tg__venue_counts venues[TG_VENUE_MAX];
    uint8_t lanes_of[TG_VENUE_MAX]; /* bit per lane that has instruments of the venue */
} tg__sequencer;

TG_MUST_CHECK tg_err tg__sequencer_init(tg__sequencer *sequencer, const tg__directory *directory,
                                        uint32_t epoch, uint32_t time_resolution_ns);
void tg__sequencer_deinit(tg__sequencer *sequencer);

/* The image that the row changed, or NULL: refused, lost, or waiting for a frozen lane. */
const tg_image *tg__sequencer_offer(tg__sequencer *sequencer, const tg__row *row);

/* Every venue began again with new ids; epoch is newly allocated. */
void tg__sequencer_reset(tg__sequencer *sequencer, uint32_t epoch);

/* Continuity of a venue's instruments, or of all, was lost; epoch is newly allocated. */
void tg__sequencer_raise(tg__sequencer *sequencer, uint32_t venue, uint32_t epoch);

/* The same for the instruments of one lane. */
void tg__sequencer_raise_lane(tg__sequencer *sequencer, uint32_t lane, uint32_t epoch);

/* Another handler brings the venue's rows without ids from now on. */
void tg__sequencer_take_over(tg__sequencer *sequencer, tg_venue_id venue);

/* The sequencer fails; what waited for a frozen lane is lost with it. */
void tg__sequencer_stop(tg__sequencer *sequencer);
/* It is back, under an epoch that is newly allocated. */
void tg__sequencer_restart(tg__sequencer *sequencer, uint32_t epoch);

/* The lane answers the cut at boundary with its marker; false: it does not, and its changes wait.
 */
bool tg__sequencer_mark(tg__sequencer *sequencer, uint32_t lane, uint64_t boundary);

/* A bit per lane that has owed its marker for longer than the deadline. */
uint8_t tg__sequencer_late_lanes(const tg__sequencer *sequencer, uint64_t boundary);

#endif
