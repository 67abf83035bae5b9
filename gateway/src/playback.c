#include "playback.h"

#include <tickglass/internal/control_flow.h>

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

/* The source has ended and the second handler has brought all it had. */
static tg_err finish_round(tg__playback *p, tg__moment now, tg__cause *cause)
{
    if (!p->loop) {
        p->ended = true;
        return TG_OK;
    }
    uint32_t epoch = 0;
    TG_TRY(tg__epoch_store_next(p->epochs, &epoch, cause));
    TG_TRY(tg__source_rewind(&p->source, cause));
    tg__sequencer_reset(p->sequencer, epoch);
    return start_round(p, now, cause);
}

static void offer(tg__playback *p, const tg__row *row)
{
    const tg_image *image = tg__sequencer_offer(p->sequencer, row);
    if (image != NULL) {
        tg__hub_tick(p->hub, row->instrument, image);
        tg__bus_writer_tick(p->bus, row->instrument, image);
    }
}

static tg_err play_next(tg__playback *p, int64_t due_mono_ns, tg__cause *cause)
{
    tg__row row = p->next;
    row.ts_ns = tg__rebase_ts_ns(&p->rebase, p->next.ts_ns);
    if (p->writer != NULL) {
        TG_TRY(tg__tape_writer_add(p->writer, &row, cause));
    }
    offer(p, &row);
    tg__feed_delay(&p->feed, &row, due_mono_ns);
    p->rows++;
    return fetch(p, cause);
}

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
    int64_t last_feed_due = INT64_MIN;  /* or from the second handler */
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
            if (tg__feed_take(&p->feed, now.mono_ns, &row)) {
                offer(p, &row);
            }
        } else {
            last_source_ns = p->next.ts_ns;
            TG_TRY(play_next(p, from_source, cause));
        }
    }
}

tg_err tg__playback_run(tg__playback *playback, tg__moment now, uint32_t budget, tg__cause *cause)
{
    if (playback->ended) {
        return TG_OK;
    }
    const uint64_t rows_before = playback->rows;
    if (!playback->started) {
        TG_TRY(start_round(playback, now, cause));
    }
    TG_TRY(run_due(playback, now, budget, cause));
    if (playback->writer != NULL && playback->rows != rows_before) {
        TG_TRY(tg__tape_writer_flush(playback->writer, cause));
    }
    if (!playback->has_next && tg__feed_next_mono_ns(&playback->feed) == INT64_MAX) {
        return finish_round(playback, now, cause);
    }
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
