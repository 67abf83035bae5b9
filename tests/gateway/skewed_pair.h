/** A pair of feed handlers of which the first loses some ticks: what the second brings too late. */
#ifndef TEST_SKEWED_PAIR_H
#define TEST_SKEWED_PAIR_H

#include "sim.h"

typedef struct skewed_pair_counts {
    uint64_t ticks;        /* with an id */
    uint64_t lost;         /* by the first handler */
    uint64_t out_of_order; /* of those: a newer one of their id domain was there before them */
} skewed_pair_counts;

/*
 * Plays the market from its start up to end_ns. The first handler loses lost_ppm of the ticks that
 * have an id; the second brings each tick skew_min_ns to skew_max_ns later.
 */
skewed_pair_counts skewed_pair_play(tg__sim *sim, int64_t end_ns, uint32_t lost_ppm,
                                    int64_t skew_min_ns, int64_t skew_max_ns, uint64_t seed);

#endif
