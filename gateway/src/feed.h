/**
 * The feed handlers of every venue: one, or two that see the same rows (A, B).
 *
 * B gets each tick a little later than A, by a time that is drawn per tick from the seed; so it
 * brings real duplicates and real regressions. Rows of one tick stay together.
 *
 * Rows with an id are brought by both; the lanes remove what came twice. Rows without one are
 * brought by the active handler alone. The other is a hot standby: it holds them silently for
 * TG__FEED_DETECT_NS, the time after which the active one's silence is noticed, and the greatest
 * skew; when it takes over it brings them all, so that nothing is missing, and what was shown
 * before the lanes refuse by exchange time. The one that comes back is the standby.
 *
 * A handler that was killed, or is frozen, counts as gone after TG__FEED_DETECT_NS. What it was
 * still to bring goes with it when it is killed, and comes all at once when it thaws (as rows of
 * one time, which no boundary cuts apart). Rows that no handler brings, and that no fault lost on
 * purpose, are missed: continuity is lost then.
 *
 * Rows that wait in ordinary times are bounded: when TG__FEED_DELAYED_MAX wait, the source waits.
 * Those that a fault holds back may not stop the other venues: over TG__FEED_HELD_MAX, the handler
 * drops them.
 */
#ifndef TG_GATEWAY_FEED_H
#define TG_GATEWAY_FEED_H

#include <stddef.h>

#include <tickglass/err.h>

#include "row.h"

#define TG__FEED_HANDLERS    2u
#define TG__FEED_DELAYED_MAX 65536u             /* rows on their way, in ordinary times */
#define TG__FEED_HELD_MAX    65536u             /* and that a fault holds back */
#define TG__FEED_DETECT_NS   INT64_C(100000000) /* until a handler's silence is noticed */
#define TG__FEED_COPIES_MAX  16u
#define TG__FEED_LATE_MAX_NS INT64_C(3600000000000) /* of a delay, or of a reordering window */
#define TG__FEED_PPM         1000000u

typedef struct tg__handler {
    bool up;
    bool frozen;
    int64_t up_since_ns;        /* mono, as are all below */
    int64_t gone_since_ns;      /* if it is not up, or frozen */
    int64_t last_ns;            /* when its latest row comes, before any jitter: it is a stream */
    int64_t last_without_id_ns; /* and when its latest row without an id comes */
    int64_t delay_ns;           /* each row comes later by this */
    int64_t reorder_ns;         /* each tick comes later by 0 to this, drawn from the seed */
    uint32_t copies;            /* each row comes so many times more */
    uint32_t lose_ppm;          /* share of ticks that it never gets, drawn from the seed */
} tg__handler;

typedef struct tg__feed_venue {
    tg__handler handlers[TG__FEED_HANDLERS];
    uint8_t active;       /* brings the rows without ids */
    bool missed;          /* rows that nobody will bring, since tg__feed_recover() */
    int64_t take_over_ns; /* when the active one's silence is noticed; INT64_MAX: never */
} tg__feed_venue;

typedef struct tg__feed_counts {
    uint64_t lost;    /* by the fault */
    uint64_t dropped; /* over TG__FEED_HELD_MAX, or of a handler that was killed */
    uint64_t take_overs;
} tg__feed_counts;

typedef struct tg__fed_row {
    int64_t due_ns;
    int64_t received_ns; /* when the venue sent it */
    uint64_t order;      /* of arrival: breaks ties */
    uint8_t venue;
    uint8_t handler;
    bool is_held;   /* by a fault */
    bool is_silent; /* without an id, at the standby */
    tg__row row;
} tg__fed_row;

typedef struct tg__feed {
    uint64_t seed;
    int64_t skew_min_ns;
    int64_t skew_max_ns;
    unsigned handler_count;
    uint32_t
        late_ppm;   /* ticks with an id that A never gets, in ordinary times, and B brings late */
    bool disturbed; /* a fault was ever asked for; else nobody needs to look at the handlers */
    uint64_t next_order;
    size_t count;
    size_t held; /* of count */
    tg__fed_row *heap;
    tg__feed_counts counts;
    tg__feed_venue venues[TG_VENUE_MAX];
} tg__feed;

/* handler_count is 1 or 2; skews in ns, min <= max. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__feed_init(tg__feed *feed, unsigned handler_count, int64_t skew_min_ns,
                                   int64_t skew_max_ns, uint64_t seed);
void tg__feed_deinit(tg__feed *feed);

/* The source must wait while this is true; rows that are due make room. */
bool tg__feed_is_full(const tg__feed *feed);

/*
 * The venue sends a row: every handler that is up gets it. Returns how many times it comes at once,
 * which is once from A in ordinary times; what comes later waits for tg__feed_take().
 */
unsigned tg__feed_receive(tg__feed *feed, tg_venue_id venue, const tg__row *row, int64_t mono_ns);

/* The next row that a handler brings by mono_ns; false: none. */
bool tg__feed_take(tg__feed *feed, int64_t mono_ns, tg__row *row);

/* When the next waiting row comes; INT64_MAX: never. */
int64_t tg__feed_next_mono_ns(const tg__feed *feed);

/* The source begins anew: what frozen handlers hold belongs to the old session and is dropped. */
void tg__feed_clear(tg__feed *feed);

/* ---- what faults do to a handler; venue and handler are in range ---- */

void tg__feed_kill(tg__feed *feed, tg_venue_id venue, unsigned handler, int64_t mono_ns);
/* Killed, if it is up, and started anew. Nothing happens to a handler that does not exist. */
void tg__feed_restart(tg__feed *feed, tg_venue_id venue, unsigned handler, int64_t mono_ns);
void tg__feed_freeze(tg__feed *feed, tg_venue_id venue, unsigned handler, bool frozen,
                     int64_t mono_ns);
/* For delay_ns, reorder_ns, copies and lose_ppm, each 0 to its greatest. */
tg__handler *tg__feed_handler(tg__feed *feed, tg_venue_id venue, unsigned handler);

/* ---- what follows from it ---- */

/* Lets the standby take over where that is due; true: it did, and its rows are due now. */
bool tg__feed_take_over(tg__feed *feed, tg_venue_id venue, int64_t mono_ns);
/* Whether any handler is, as far as has been noticed. */
bool tg__feed_is_alive(const tg__feed *feed, tg_venue_id venue, int64_t mono_ns);
/* Whether one is up and works. */
bool tg__feed_is_bringing(const tg__feed *feed, tg_venue_id venue);
/* Whether rows were missed; forgets it. */
bool tg__feed_recover(tg__feed *feed, tg_venue_id venue);

#endif
