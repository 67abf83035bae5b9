/** Symbols hashed to lanes, and what became of the rows of each venue. */
#ifndef TG_GATEWAY_SEQUENCER_H
#define TG_GATEWAY_SEQUENCER_H

#include "directory.h"
#include "lane.h"

#define TG__LANE_COUNT 4u

/* Rows, not ticks: a bid and an ask that are one tick count as two rows. */
typedef struct tg__venue_counts {
    uint64_t admitted;
    uint64_t duplicates;
    uint64_t regressions;
} tg__venue_counts;

typedef struct tg__route {
    uint32_t lane;
    uint32_t index;
} tg__route;

typedef struct tg__sequencer {
    tg__lane lanes[TG__LANE_COUNT];
    tg__route *routes; /* by instrument id */
    const tg__directory *directory;
    tg__venue_counts venues[TG_VENUE_MAX];
} tg__sequencer;

TG_MUST_CHECK tg_err tg__sequencer_init(tg__sequencer *sequencer, const tg__directory *directory,
                                        uint32_t epoch, uint32_t time_resolution_ns);
void tg__sequencer_deinit(tg__sequencer *sequencer);

/* The image that the row changed, or NULL if it was a duplicate or a regression. */
const tg_image *tg__sequencer_offer(tg__sequencer *sequencer, const tg__row *row);

/* Every venue began again with new ids; epoch is newly allocated. */
void tg__sequencer_reset(tg__sequencer *sequencer, uint32_t epoch);

#endif
