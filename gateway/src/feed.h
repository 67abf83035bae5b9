/**
 * The feed handlers of every venue: one, or two that see the same source.
 *
 * The second handler gets each tick a little later than the first, by a time that is drawn per tick
 * from the seed; so it brings real duplicates and real regressions. Rows of one tick stay together.
 * Rows without an id cannot be deduplicated: for those the second handler is a standby and silent.
 */
#ifndef TG_GATEWAY_FEED_H
#define TG_GATEWAY_FEED_H

#include <stddef.h>

#include <tickglass/err.h>

#include "row.h"

#define TG__FEED_DELAYED_MAX 65536u /* rows on their way through the second handler */

typedef struct tg__delayed_row {
    int64_t due_mono_ns;
    uint64_t order; /* of arrival: breaks ties */
    tg__row row;
} tg__delayed_row;

typedef struct tg__feed {
    uint64_t seed;
    int64_t skew_min_ns;
    int64_t skew_max_ns;
    uint64_t next_order;
    size_t count;
    tg__delayed_row *heap; /* NULL with one handler */
} tg__feed;

/* handler_count is 1 or 2; skews in ns, min <= max. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__feed_init(tg__feed *feed, unsigned handler_count, int64_t skew_min_ns,
                                   int64_t skew_max_ns, uint64_t seed);
void tg__feed_deinit(tg__feed *feed);

/* The source must wait while this is true; rows that are due make room. */
bool tg__feed_is_full(const tg__feed *feed);

/* The second handler will bring the row, too, if there is one. */
void tg__feed_delay(tg__feed *feed, const tg__row *row, int64_t mono_ns);

/* The next row that the second handler brings by mono_ns; false: none. */
bool tg__feed_take(tg__feed *feed, int64_t mono_ns, tg__row *row);

/* When the second handler brings its next row; INT64_MAX: never. */
int64_t tg__feed_next_mono_ns(const tg__feed *feed);

#endif
