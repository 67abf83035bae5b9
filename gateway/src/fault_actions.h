/**
 * Faults on request, behind stable names: what a fault script may do to handlers, lanes and the
 * sequencer of the running program. They take effect at the playback's last run, so that a script
 * with times and a seed plays the same again.
 *
 * venue is a venue's id or TG__VENUE_ALL. handler is 0 (A) or 1 (B), the latter only with
 * --feeds 2. Every call may come again and in any state. TG_ERR_INVALID_ARGUMENT: there is no such
 * venue, handler or lane, or the value is out of range; nothing has happened then.
 */
#ifndef TG_GATEWAY_FAULT_ACTIONS_H
#define TG_GATEWAY_FAULT_ACTIONS_H

#include "playback.h"

/* The handler dies, and what it was still to bring with it. Both: the venue is stale. */
TG_MUST_CHECK tg_err tg__fault_kill_handler(tg__playback *playback, tg_venue_id venue,
                                            unsigned handler);
/* It starts anew; killed before, if it lives. Beside its living twin nobody notices. */
TG_MUST_CHECK tg_err tg__fault_restart_handler(tg__playback *playback, tg_venue_id venue,
                                               unsigned handler);
/* Each of its rows comes later by delay_ns, at most TG__FEED_LATE_MAX_NS; 0 ends it. */
TG_MUST_CHECK tg_err tg__fault_delay_handler(tg__playback *playback, tg_venue_id venue,
                                             unsigned handler, int64_t delay_ns);
/* Each of its ticks comes later by 0 to window_ns, so that they overtake each other; 0 ends it. */
TG_MUST_CHECK tg_err tg__fault_reorder_handler(tg__playback *playback, tg_venue_id venue,
                                               unsigned handler, int64_t window_ns);
/*
 * Each of its rows comes so many times more, at most TG__FEED_COPIES_MAX; 0 ends it. A row without
 * an id that comes twice is two ticks: nothing can tell.
 */
TG_MUST_CHECK tg_err tg__fault_duplicate_handler(tg__playback *playback, tg_venue_id venue,
                                                 unsigned handler, uint32_t copies);
/* It never gets so many of a million ticks; 0 ends it. */
TG_MUST_CHECK tg_err tg__fault_lose_handler(tg__playback *playback, tg_venue_id venue,
                                            unsigned handler, uint32_t ppm);
/* It brings nothing until it thaws, then all at once; what no memory was left for is dropped. */
TG_MUST_CHECK tg_err tg__fault_freeze_handler(tg__playback *playback, tg_venue_id venue,
                                              unsigned handler, bool frozen);
/* The same for all handlers of the venue: it is stale meanwhile. */
TG_MUST_CHECK tg_err tg__fault_freeze_venue(tg__playback *playback, tg_venue_id venue, bool frozen);

/* A lane, 0 to TG__LANE_COUNT - 1, owes its markers until it thaws; its venues are stale. */
TG_MUST_CHECK tg_err tg__fault_freeze_lane(tg__playback *playback, uint32_t lane, bool frozen);
/* The sequencer fails, and is back under a new epoch after TG__SEQUENCER_AWAY_NS. */
void tg__fault_restart_sequencer(tg__playback *playback);
/* The next frames tell boundaries that are off by so many, not 0; see tg__hub_wrong_boundary(). */
TG_MUST_CHECK tg_err tg__fault_wrong_boundary(tg__playback *playback, int64_t by);

#endif
