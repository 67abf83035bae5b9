#include "row_lookup.h"

/* Why a row shows nothing. */
static const char *word_of(const tg_client *client, const watch_row *watch, tg_instrument_id *id)
{
    if (watch->sub.v == 0) {
        return "waiting";
    }
    const tg_err err = tg_client_subscription(client, watch->sub, id);
    if (err == TG_OK) {
        return "no data yet";
    }
    if (err == TG_ERR_NOT_FOUND) {
        return "no such name";
    }
    if (err == TG_ERR_NOT_ENTITLED) {
        return "not entitled";
    }
    return err == TG_ERR_LIMIT ? "over limit" : "waiting";
}

watch_view row_lookup(feed *from, const tg_view *view, const watch_row *watch, int64_t now_mono_ns,
                      row_copy *copy)
{
    watch_view out = {.venue = watch->venue, .symbol = watch->symbol};
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    out.word = word_of(feed_client(from), watch, &id);
    if (id == TG_INSTRUMENT_NONE || tg_view_instrument(view, id, &copy->instrument) != TG_OK ||
        tg_view_row(view, id, now_mono_ns, &copy->row) != TG_OK) {
        return out;
    }
    out.instrument = &copy->instrument;
    /* The names that belong to the values, not those that were asked for. */
    out.venue = tg_view_venue_name(view, copy->instrument.venue);
    out.symbol = copy->instrument.symbol;
    if (copy->row.quality != TG_QUALITY_UNKNOWN) {
        out.row = &copy->row;
        out.word = tg_quality_name(copy->row.quality);
    }
    return out;
}
