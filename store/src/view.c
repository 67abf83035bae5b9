#include <tickglass/store.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "table.h"

uint64_t tg_view_number(const tg_view *view)
{
    return view->number;
}

int64_t tg_view_published_mono_ns(const tg_view *view)
{
    return view->published_mono_ns;
}

size_t tg_view_count(const tg_view *view)
{
    return view->count;
}

tg_instrument_id tg_view_id(const tg_view *view, size_t index)
{
    return index < view->count ? view->tag[view->known[index]].id : TG_INSTRUMENT_NONE;
}

static void read_image(const tg_view *view, uint16_t row, tg_image *image)
{
    const tg__hot *hot = &view->hot[row];
    if (!tg__table_has(view, row, TG__ROW_HAS_VALUE)) {
        memset(image, 0, sizeof *image); /* the row's version is a floor, not a value's */
        return;
    }
    image->seq = hot->seq;
    image->epoch = hot->epoch;
    image->present = hot->present;
    memcpy(image->value, hot->value, sizeof hot->value);
    memcpy(image->value + TG__HOT_VALUES, view->cold[row].value, sizeof view->cold[row].value);
    image->value[TG_FIELD_STATUS] = hot->status;
}

static tg_quality read_quality(const tg_view *view, uint16_t row, int64_t now_mono_ns)
{
    const tg__hot *hot = &view->hot[row];
    const tg__row_axis axis = {
        .proved_mono_ns = hot->proved_mono_ns,
        .proved_era = hot->proved_era,
        .cadence_ms = hot->cadence_ms,
        .has_value = tg__table_has(view, row, TG__ROW_HAS_VALUE),
        .not_entitled = tg__table_has(view, row, TG__ROW_NOT_ENTITLED),
        .delayed = tg__table_has(view, row, TG__ROW_DELAYED),
        .halted = hot->status == TG_TRADING_HALTED,
    };
    return tg__quality_at(&view->link, &view->venue[view->tag[row].venue].axis, &axis, now_mono_ns);
}

tg_err tg_view_row(const tg_view *view, tg_instrument_id id, int64_t now_mono_ns, tg_row *out)
{
    const uint16_t row = tg__table_row(view, id);
    TG_ENSURE(row != 0, TG_ERR_NOT_FOUND);
    const tg__hot *hot = &view->hot[row];
    const bool has_value = tg__table_has(view, row, TG__ROW_HAS_VALUE);
    const uint32_t both = TG_FIELD_BIT(TG_FIELD_BID_PRICE) | TG_FIELD_BIT(TG_FIELD_ASK_PRICE);
    read_image(view, row, &out->image);
    out->quality = read_quality(view, row, now_mono_ns);
    out->crossed = (out->image.present & both) == both &&
                   hot->value[TG_FIELD_BID_PRICE] > hot->value[TG_FIELD_ASK_PRICE];
    out->history_restarted = tg__table_has(view, row, TG__ROW_RESTARTED);
    out->age_ns = has_value ? tg__age_ns(hot->proved_mono_ns, now_mono_ns) : -1;
    out->received_mono_ns = has_value ? hot->received_mono_ns : 0;
    out->committed_mono_ns = has_value ? hot->received_mono_ns + hot->commit_delay_ns : 0;
    out->ts_gateway_ns = has_value ? hot->ts_gateway_ns : 0;
    out->changed_in = view->changes.stamp[row];
    return TG_OK;
}

const tg_instrument *tg_view_instrument(const tg_view *view, tg_instrument_id id)
{
    const uint16_t row = tg__table_row(view, id);
    return row == 0 ? NULL : &view->pool->entry[view->hot[row].entry];
}

const char *tg_view_venue_name(const tg_view *view, tg_venue_id venue)
{
    const bool named = venue < TG_VENUE_MAX && view->venue[venue].name[0] != '\0';
    return named ? view->venue[venue].name : "?";
}

tg_err tg_view_find(const tg_view *view, const char *venue, const char *symbol,
                    tg_instrument_id *out)
{
    TG_ENSURE(venue != NULL && symbol != NULL, TG_ERR_INVALID_ARGUMENT);
    for (uint16_t row = tg__table_name_chain(view, symbol); row != 0;
         row = view->chain[row].next_by_name) {
        if (tg__table_has(view, row, TG__ROW_KNOWN) &&
            strcmp(view->pool->entry[view->hot[row].entry].symbol, symbol) == 0 &&
            strcmp(tg_view_venue_name(view, view->tag[row].venue), venue) == 0) {
            *out = view->tag[row].id;
            return TG_OK;
        }
    }
    return TG_ERR_NOT_FOUND;
}

size_t tg_view_changed(const tg_view *view, uint64_t since, tg_instrument_id *ids, size_t capacity)
{
    size_t count = 0;
    for (uint16_t row = tg__recency_front(&view->changes);
         row != 0 && view->changes.stamp[row] > since; row = view->changes.order[row].older) {
        if (!tg__table_has(view, row, TG__ROW_KNOWN)) {
            continue;
        }
        if (count < capacity) {
            ids[count] = view->tag[row].id;
        }
        count++;
    }
    return count;
}
