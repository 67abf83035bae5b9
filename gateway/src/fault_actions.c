#include "fault_actions.h"

#include <tickglass/internal/control_flow.h>

/* The venues that are meant, as [*first, *end); each has the handler. */
static tg_err targets_of(const tg__playback *playback, tg_venue_id venue, unsigned handler,
                         uint32_t *first, uint32_t *end)
{
    TG_ENSURE(handler < playback->feed.handler_count, TG_ERR_INVALID_ARGUMENT);
    const uint32_t count = playback->sequencer->directory->venue_count;
    TG_ENSURE(venue == TG__VENUE_ALL || venue < count, TG_ERR_INVALID_ARGUMENT);
    *first = venue == TG__VENUE_ALL ? 0 : venue;
    *end = venue == TG__VENUE_ALL ? count : venue + 1u;
    return TG_OK;
}

tg_err tg__fault_kill_handler(tg__playback *playback, tg_venue_id venue, unsigned handler)
{
    uint32_t at = 0;
    uint32_t end = 0;
    TG_TRY(targets_of(playback, venue, handler, &at, &end));
    for (; at < end; at++) {
        tg__feed_kill(&playback->feed, (tg_venue_id)at, handler, playback->mono_ns);
    }
    return TG_OK;
}

tg_err tg__fault_restart_handler(tg__playback *playback, tg_venue_id venue, unsigned handler)
{
    uint32_t at = 0;
    uint32_t end = 0;
    TG_TRY(targets_of(playback, venue, handler, &at, &end));
    for (; at < end; at++) {
        tg__feed_restart(&playback->feed, (tg_venue_id)at, handler, playback->mono_ns);
    }
    return TG_OK;
}

tg_err tg__fault_delay_handler(tg__playback *playback, tg_venue_id venue, unsigned handler,
                               int64_t delay_ns)
{
    uint32_t at = 0;
    uint32_t end = 0;
    TG_ENSURE(delay_ns >= 0 && delay_ns <= TG__FEED_LATE_MAX_NS, TG_ERR_INVALID_ARGUMENT);
    TG_TRY(targets_of(playback, venue, handler, &at, &end));
    for (; at < end; at++) {
        tg__feed_handler(&playback->feed, (tg_venue_id)at, handler)->delay_ns = delay_ns;
    }
    return TG_OK;
}

tg_err tg__fault_reorder_handler(tg__playback *playback, tg_venue_id venue, unsigned handler,
                                 int64_t window_ns)
{
    uint32_t at = 0;
    uint32_t end = 0;
    TG_ENSURE(window_ns >= 0 && window_ns <= TG__FEED_LATE_MAX_NS, TG_ERR_INVALID_ARGUMENT);
    TG_TRY(targets_of(playback, venue, handler, &at, &end));
    for (; at < end; at++) {
        tg__feed_handler(&playback->feed, (tg_venue_id)at, handler)->reorder_ns = window_ns;
    }
    return TG_OK;
}

tg_err tg__fault_duplicate_handler(tg__playback *playback, tg_venue_id venue, unsigned handler,
                                   uint32_t copies)
{
    uint32_t at = 0;
    uint32_t end = 0;
    TG_ENSURE(copies <= TG__FEED_COPIES_MAX, TG_ERR_INVALID_ARGUMENT);
    TG_TRY(targets_of(playback, venue, handler, &at, &end));
    for (; at < end; at++) {
        tg__feed_handler(&playback->feed, (tg_venue_id)at, handler)->copies = copies;
    }
    return TG_OK;
}

tg_err tg__fault_lose_handler(tg__playback *playback, tg_venue_id venue, unsigned handler,
                              uint32_t ppm)
{
    uint32_t at = 0;
    uint32_t end = 0;
    TG_ENSURE(ppm <= TG__FEED_PPM, TG_ERR_INVALID_ARGUMENT);
    TG_TRY(targets_of(playback, venue, handler, &at, &end));
    for (; at < end; at++) {
        tg__feed_handler(&playback->feed, (tg_venue_id)at, handler)->lose_ppm = ppm;
    }
    return TG_OK;
}

tg_err tg__fault_freeze_handler(tg__playback *playback, tg_venue_id venue, unsigned handler,
                                bool frozen)
{
    uint32_t at = 0;
    uint32_t end = 0;
    TG_TRY(targets_of(playback, venue, handler, &at, &end));
    for (; at < end; at++) {
        tg__feed_freeze(&playback->feed, (tg_venue_id)at, handler, frozen, playback->mono_ns);
    }
    return TG_OK;
}

tg_err tg__fault_freeze_venue(tg__playback *playback, tg_venue_id venue, bool frozen)
{
    for (unsigned handler = 0; handler < playback->feed.handler_count; handler++) {
        TG_TRY(tg__fault_freeze_handler(playback, venue, handler, frozen));
    }
    return TG_OK;
}

tg_err tg__fault_freeze_lane(tg__playback *playback, uint32_t lane, bool frozen)
{
    TG_ENSURE(lane < TG__LANE_COUNT, TG_ERR_INVALID_ARGUMENT);
    playback->sequencer->lanes[lane].frozen = frozen;
    return TG_OK;
}

void tg__fault_restart_sequencer(tg__playback *playback)
{
    tg__sequencer_stop(playback->sequencer);
    playback->sequencer_back_ns = playback->mono_ns + TG__SEQUENCER_AWAY_NS;
}

tg_err tg__fault_wrong_boundary(tg__playback *playback, int64_t by)
{
    TG_ENSURE(by != 0 && by >= -TG__WRONG_BOUNDARY_MAX && by <= TG__WRONG_BOUNDARY_MAX,
              TG_ERR_INVALID_ARGUMENT);
    tg__hub_wrong_boundary(playback->hub, by);
    return TG_OK;
}
