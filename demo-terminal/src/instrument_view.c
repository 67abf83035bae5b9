#include "instrument_view.h"

#include <stdlib.h>
#include <string.h>

#include "quality_look.h"

tg_err instrument_view_open(instrument_view *shown, size_t history_capacity)
{
    memset(shown, 0, sizeof *shown);
    shown->history = calloc(history_capacity, sizeof *shown->history);
    shown->history_capacity = history_capacity;
    return shown->history != NULL ? TG_OK : TG_ERR_NO_MEMORY;
}

void instrument_view_close(instrument_view *shown)
{
    free(shown->history);
    shown->history = NULL;
}

void instrument_view_clear(instrument_view *shown)
{
    const instrument_view before = *shown;
    memset(shown, 0, sizeof *shown);
    shown->history = before.history;
    shown->history_capacity = before.history_capacity;
    shown->history_read = before.history_read;
    shown->history_of = before.history_of;
    shown->priority = "";
}

/* Points are added at the end and do not change any more once another one has begun: where the last
 * one is that of the view before, all others are there already. */
static void read_history(instrument_view *shown, const tg_view *view, tg_instrument_id id)
{
    tg_history_point newest;
    size_t count = 0;
    shown->has_history = tg_view_history(view, id, &newest, 1, &count) == TG_OK;
    const size_t read = shown->history_of == id ? shown->history_read : 0;
    if (count == 1 && read > 0 && shown->history[read - 1].begin_mono_ns == newest.begin_mono_ns) {
        shown->history[read - 1] = newest;
        shown->history_count = read;
    } else {
        /* It fails as the one before. */
        (void)!tg_view_history(view, id, shown->history, shown->history_capacity,
                               &shown->history_count);
    }
    shown->history_read = shown->history_count;
    shown->history_of = id;
}

void instrument_view_read(instrument_view *shown, const tg_view *view, const watch_view *seen,
                          int64_t now_mono_ns, int64_t now_utc_ns)
{
    instrument_view_clear(shown);
    shown->opened = true;
    shown->seen = *seen;
    shown->now_mono_ns = now_mono_ns;
    shown->now_utc_ns = now_utc_ns;
    if (seen->instrument == NULL) {
        return;
    }
    const tg_instrument_id id = seen->instrument->id;
    shown->has_depth = tg_view_depth(view, id, now_mono_ns, &shown->depth) == TG_OK;
    read_history(shown, view, id);
    tg_ledger ledger;
    if (tg_view_ledger(view, id, &ledger) == TG_OK) {
        shown->lost = ledger.lost;
    }
}

bool instrument_view_is_suspect(const instrument_view *shown)
{
    return shown->seen.row == NULL || quality_is_suspect(shown->seen.row->quality);
}

bool instrument_view_value(const instrument_view *shown, tg_field field, int64_t *value)
{
    const tg_row *row = shown->seen.row;
    if (row == NULL || shown->seen.instrument == NULL || !tg_image_has(&row->image, field)) {
        return false;
    }
    *value = row->image.value[field];
    return true;
}
