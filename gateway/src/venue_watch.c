#include "venue_watch.h"

void tg__venue_watch_set(tg__venue_watch *watch, tg_venue_id venue, tg__stale_reason reason,
                         bool holds)
{
    const uint8_t before = watch->reasons[venue];
    const uint8_t after = (uint8_t)(holds ? before | (unsigned)reason : before & ~(unsigned)reason);
    if (after == before) {
        return;
    }
    watch->reasons[venue] = after;
    watch->was_stale[venue] = true;
    watch->times_stale[venue] += before == 0;
    watch->changed = true;
}

static bool tell(tg__venue_watch *watch, tg_venue_id venue, tg__venue_condition condition,
                 tg__venue_news *news)
{
    watch->told_stale[venue] = condition == TG__VENUE_STALE;
    news->venue = venue;
    news->condition = condition;
    return true;
}

bool tg__venue_watch_next(tg__venue_watch *watch, tg__venue_news *news)
{
    if (!watch->changed) {
        return false;
    }
    for (uint32_t venue = 0; venue < TG_VENUE_MAX; venue++) {
        const bool was_stale = watch->was_stale[venue];
        watch->was_stale[venue] = false;
        if (was_stale && !watch->told_stale[venue]) {
            return tell(watch, (tg_venue_id)venue, TG__VENUE_STALE, news);
        }
        if (watch->told_stale[venue] && watch->reasons[venue] == 0) {
            return tell(watch, (tg_venue_id)venue, TG__VENUE_LIVE, news);
        }
    }
    watch->changed = false;
    return false;
}
