/**
 * Which venues are stale, why, and what of it has been told. PROTOCOL.md 4.3.
 *
 * A venue is stale as long as any reason holds. That it was stale is always told, also when the
 * reason is gone again before the next boundary: rows may have been missed meanwhile.
 */
#ifndef TG_GATEWAY_VENUE_WATCH_H
#define TG_GATEWAY_VENUE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/market.h>

#include <tickglass/internal/control.h>

typedef enum tg__stale_reason {
    TG__STALE_NO_FEED = 1,       /* none of the venue's handlers is alive */
    TG__STALE_LANE_LATE = 2,     /* a lane with instruments of it owes its marker */
    TG__STALE_SEQUENCER_AWAY = 4 /* the sequencer restarts */
} tg__stale_reason;

typedef struct tg__venue_watch {
    uint8_t reasons[TG_VENUE_MAX]; /* tg__stale_reason bits that hold now */
    bool was_stale[TG_VENUE_MAX];  /* since the last telling */
    bool told_stale[TG_VENUE_MAX];
    uint64_t times_stale[TG_VENUE_MAX];
    bool changed; /* something may have to be told */
} tg__venue_watch;

/* All zero is a watch whose venues are live. */
void tg__venue_watch_set(tg__venue_watch *watch, tg_venue_id venue, tg__stale_reason reason,
                         bool holds);

typedef struct tg__venue_news {
    tg_venue_id venue;
    tg__venue_condition condition;
} tg__venue_news;

/* What is to be told next at this boundary, each once; false: nothing more. */
bool tg__venue_watch_next(tg__venue_watch *watch, tg__venue_news *news);

#endif
