#include "playback.h"

#include <inttypes.h>

#include <tickglass/internal/control_flow.h>

#include "log.h"

static tg_err fetch(tg__playback *p, tg__cause *cause)
{
    const tg_err err = tg__source_next(&p->source, &p->next, cause);
    p->has_next = err == TG_OK;
    return err == TG_ERR_NOT_FOUND ? TG_OK : err;
}

static tg_err start_round(tg__playback *p, tg__moment now, tg__cause *cause)
{
    tg__rebase_start(&p->rebase, tg__source_start_ns(&p->source), now.mono_ns, now.utc_ns);
    p->started = true;
    p->rounds++;
    TG_TRY(fetch(p, cause));
    if (!p->has_next && p->rows == 0) {
        p->ended = true; /* a tape without rows: going round would never stop */
    }
    return TG_OK;
}

/* The source has ended and the handlers have brought all that they will. */
static tg_err finish_round(tg__playback *p, tg__moment now, tg__cause *cause)
{
    if (!p->loop) {
        p->ended = p->feed.count == 0; /* a frozen handler may still bring what it holds */
        return TG_OK;
    }
    uint32_t epoch = 0;
    TG_TRY(tg__epoch_store_next(p->epochs, &epoch, cause));
    TG_TRY(tg__source_rewind(&p->source, cause));
    tg__feed_clear(&p->feed);
    tg__latest_rows_clear(&p->latest);
    tg__sequencer_reset(p->sequencer, epoch);
    return start_round(p, now, cause);
}

static void offer(tg__playback *p, const tg__row *row)
{
    const tg_image *image = tg__sequencer_offer(p->sequencer, row);
    if (image != NULL) {
        tg__hub_tick(p->hub, row->instrument, image);
        tg__bus_writer_tick(p->bus, row->instrument, image);
        const int64_t age_ns = tg__rebase_age_ns(&p->rebase, row->ts_ns, p->mono_ns);
        tg__metrics_row(p->metrics, row->instrument, p->hub->table.boundary + 1, p->mono_ns,
                        age_ns);
        tg__stage_record_tick(p->record, row->instrument, image, p->mono_ns, age_ns);
        if (p->tick_log != NULL) {
            tg__tick_log_add(p->tick_log, row->instrument, image, row->ts_ns,
                             tg__rebase_utc_ns(&p->rebase, p->mono_ns));
        }
    }
}

static tg_venue_id venue_of(const tg__playback *p, tg_instrument_id id)
{
    return p->sequencer->directory->instruments[id].venue;
}

static tg_err play_next(tg__playback *p, int64_t due_mono_ns, tg__cause *cause)
{
    tg__row row = p->next;
    row.ts_ns = tg__rebase_ts_ns(&p->rebase, p->next.ts_ns);
    if (p->writer != NULL) {
        TG_TRY(tg__tape_writer_add(p->writer, &row, cause));
    }
    tg__latest_rows_add(&p->latest, &row);
    unsigned at_once = tg__feed_receive(&p->feed, venue_of(p, row.instrument), &row, due_mono_ns);
    for (; at_once > 0; at_once--) {
        offer(p, &row);
    }
    p->rows++;
    return fetch(p, cause);
}

/* ---- what follows from a failure; none of it is the way of an ordinary row ---- */

static void restate(tg__playback *p, tg_instrument_id id)
{
    tg__row rows[TG__ROW_KINDS];
    const unsigned count = tg__latest_rows_get(&p->latest, id, rows);
    for (unsigned i = 0; i < count; i++) {
        offer(p, &rows[i]);
    }
}

static tg_err next_epoch(tg__playback *p, uint32_t *epoch, tg__cause *cause)
{
    p->raises++;
    return tg__epoch_store_next(p->epochs, epoch, cause); /* blocks on the disk: on failures only */
}

/* The venue's handlers missed rows, and bring what the venue tells anybody who connects. */
static tg_err recover_venue(tg__playback *p, tg_venue_id venue, tg__cause *cause)
{
    uint32_t epoch = 0;
    TG_TRY(next_epoch(p, &epoch, cause));
    tg__sequencer_raise(p->sequencer, venue, epoch);
    for (uint32_t id = 0; id < p->sequencer->directory->count; id++) {
        if (venue_of(p, (tg_instrument_id)id) == venue) {
            restate(p, (tg_instrument_id)id);
        }
    }
    return TG_OK;
}

static tg_err look_at_handlers(tg__playback *p, tg__cause *cause)
{
    if (!p->feed.disturbed) {
        return TG_OK;
    }
    for (uint32_t i = 0; i < p->sequencer->directory->venue_count; i++) {
        const tg_venue_id venue = (tg_venue_id)i;
        if (tg__feed_take_over(&p->feed, venue, p->mono_ns)) {
            tg__sequencer_take_over(p->sequencer, venue);
        }
        if (!tg__feed_is_alive(&p->feed, venue, p->mono_ns)) {
            tg__venue_watch_set(&p->watch, venue, TG__STALE_NO_FEED, true);
        }
        if (tg__feed_is_bringing(&p->feed, venue) && tg__feed_recover(&p->feed, venue)) {
            TG_TRY(recover_venue(p, venue, cause));
        }
    }
    return TG_OK;
}

static tg_err look_at_sequencer(tg__playback *p, tg__cause *cause)
{
    tg__sequencer *sequencer = p->sequencer;
    if (!sequencer->away || p->mono_ns < p->sequencer_back_ns) {
        return TG_OK;
    }
    uint32_t epoch = 0;
    TG_TRY(next_epoch(p, &epoch, cause));
    tg__sequencer_restart(sequencer, epoch);
    for (uint32_t id = 0; id < sequencer->directory->count; id++) {
        restate(p, (tg_instrument_id)id);
    }
    return TG_OK;
}

/* A lane that thawed works off what waited, in order; then it knows whether that was all. */
static tg_err look_at_lane(tg__playback *p, uint32_t at, tg__cause *cause)
{
    tg__lane *lane = &p->sequencer->lanes[at];
    tg__row row;
    while (tg__lane_take_pending(lane, &row)) {
        offer(p, &row);
    }
    if (lane->frozen || p->sequencer->away || !lane->missed) {
        return TG_OK;
    }
    uint32_t epoch = 0;
    TG_TRY(next_epoch(p, &epoch, cause));
    lane->missed = false;
    tg__sequencer_raise_lane(p->sequencer, at, epoch);
    for (uint32_t i = 0; i < lane->count; i++) {
        restate(p, lane->instruments[i].id);
    }
    return TG_OK;
}

static tg_err look_after(tg__playback *p, tg__cause *cause)
{
    TG_TRY(look_at_handlers(p, cause));
    TG_TRY(look_at_sequencer(p, cause));
    for (uint32_t i = 0; i < TG__LANE_COUNT; i++) {
        TG_TRY(look_at_lane(p, i, cause));
    }
    return TG_OK;
}

static void log_news(const tg__playback *p, const tg__venue_news *news, uint64_t boundary)
{
    const unsigned reasons = p->watch.reasons[news->venue];
    tg__log("venue %s is %s from boundary %" PRIu64 "%s%s%s",
            p->sequencer->directory->venues[news->venue].name,
            news->condition == TG__VENUE_LIVE ? "live" : "stale", boundary,
            (reasons & TG__STALE_NO_FEED) != 0 ? ": no feed" : "",
            (reasons & TG__STALE_LANE_LATE) != 0 ? ": a lane is late" : "",
            (reasons & TG__STALE_SEQUENCER_AWAY) != 0 ? ": the sequencer is away" : "");
}

void tg__playback_boundary(tg__playback *playback, tg__moment now)
{
    const tg__sequencer *sequencer = playback->sequencer;
    tg__hub_boundary(playback->hub, playback->sequencer, now);
    tg__bus_writer_cut(playback->bus, &playback->hub->table, now.mono_ns);
    const uint64_t boundary = playback->hub->table.boundary;
    const uint8_t late = tg__sequencer_late_lanes(sequencer, boundary);
    for (uint32_t i = 0; i < sequencer->directory->venue_count; i++) {
        tg__venue_watch_set(&playback->watch, (tg_venue_id)i, TG__STALE_LANE_LATE,
                            (sequencer->lanes_of[i] & late) != 0);
        tg__venue_watch_set(&playback->watch, (tg_venue_id)i, TG__STALE_SEQUENCER_AWAY,
                            sequencer->away);
    }
    tg__venue_news news;
    while (tg__venue_watch_next(&playback->watch, &news)) {
        log_news(playback, &news, boundary);
        tg__hub_venue_state(playback->hub, news.venue, news.condition, boundary, now);
        const tg__venue_state told = {news.venue, news.condition, boundary};
        tg__bus_writer_venue_state(playback->bus, &told);
    }
}

/* ---- the clock ---- */

/* When the next row of the source is due; INT64_MAX: it has none, or must wait for room. */
static int64_t source_due(const tg__playback *p, tg__moment now)
{
    if (!p->has_next || tg__feed_is_full(&p->feed)) {
        return INT64_MAX;
    }
    return p->rebase.speed_milli == 0 ? now.mono_ns
                                      : tg__rebase_due_mono_ns(&p->rebase, p->next.ts_ns);
}

static tg_err run_due(tg__playback *p, tg__moment now, uint32_t budget, tg__cause *cause)
{
    int64_t last_source_ns = INT64_MIN; /* of the row that was played last, from the source */
    int64_t last_feed_due = INT64_MIN;  /* or from those that waited at a handler */
    for (;;) {
        const int64_t from_source = source_due(p, now);
        const int64_t from_feed = tg__feed_next_mono_ns(&p->feed);
        const bool feed_first = from_feed < from_source;
        if ((feed_first ? from_feed : from_source) > now.mono_ns) {
            return TG_OK;
        }
        const bool together =
            feed_first ? from_feed == last_feed_due : p->next.ts_ns == last_source_ns;
        if (budget == 0 && !together) {
            return TG_OK;
        }
        budget -= budget > 0;
        if (feed_first) {
            tg__row row;
            last_feed_due = from_feed;
            if (tg__feed_take(&p->feed, from_feed, &row)) { /* not before the source's next */
                offer(p, &row);
            }
        } else {
            last_source_ns = p->next.ts_ns;
            TG_TRY(play_next(p, from_source, cause));
        }
    }
}

static tg_err play(tg__playback *p, tg__moment now, uint32_t budget, tg__cause *cause)
{
    const uint64_t rows_before = p->rows;
    if (!p->started) {
        TG_TRY(start_round(p, now, cause));
    }
    TG_TRY(run_due(p, now, budget, cause));
    if (p->writer != NULL && p->rows != rows_before) {
        TG_TRY(tg__tape_writer_flush(p->writer, cause));
    }
    if (!p->has_next && tg__feed_next_mono_ns(&p->feed) == INT64_MAX) {
        return finish_round(p, now, cause);
    }
    return TG_OK;
}

/* Not before all that is due has been brought: a handler that thaws brings old rows first. */
static void notice_live_venues(tg__playback *p)
{
    if (!p->feed.disturbed || tg__feed_next_mono_ns(&p->feed) <= p->mono_ns) {
        return;
    }
    for (uint32_t i = 0; i < p->sequencer->directory->venue_count; i++) {
        if (tg__feed_is_alive(&p->feed, (tg_venue_id)i, p->mono_ns)) {
            tg__venue_watch_set(&p->watch, (tg_venue_id)i, TG__STALE_NO_FEED, false);
        }
    }
}

tg_err tg__playback_run(tg__playback *playback, tg__moment now, uint32_t budget, tg__cause *cause)
{
    playback->mono_ns = now.mono_ns;
    TG_TRY(look_after(playback, cause));
    if (!playback->ended) {
        TG_TRY(play(playback, now, budget, cause));
    }
    notice_live_venues(playback);
    return TG_OK;
}

int64_t tg__playback_next_mono_ns(const tg__playback *playback, tg__moment now)
{
    if (playback->ended) {
        return INT64_MAX;
    }
    if (!playback->started) {
        return now.mono_ns;
    }
    const int64_t from_source = source_due(playback, now);
    const int64_t from_feed = tg__feed_next_mono_ns(&playback->feed);
    return from_feed < from_source ? from_feed : from_source;
}
