#include <tickglass/internal/store_writer.h>

#include "store_state.h"

void tg__store_set_link(tg_store *store, tg__link_state state, int64_t now_mono_ns)
{
    tg__link_axis *link = &store->pending->link;
    const bool was_up = link->state == TG__LINK_UP;
    store->watch.all |= link->state != state;
    link->state = state;
    switch (state) {
    case TG__LINK_DOWN:
        link->doubt = TG_QUALITY_STALE;
        link->doubt_era = tg__era_begin(store);
        return;
    case TG__LINK_GAP:
        link->doubt = TG_QUALITY_GAP;
        link->doubt_era = tg__era_begin(store);
        return;
    case TG__LINK_RESYNCING:
        /* After a gap or a break the loss is the one that was noted then: what has been proved
         * since, by the priority channel for one, stays proved. */
        link->doubt = TG_QUALITY_RESYNCING;
        if (was_up) {
            link->doubt_era = tg__era_begin(store);
        }
        return;
    case TG__LINK_UP:
        /* Clears nothing: rows that no message has proved keep their doubt. */
        tg__store_channel_alive(store, now_mono_ns);
        return;
    }
}

void tg__store_set_late(tg_store *store, bool late)
{
    store->watch.all |= store->pending->link.late != late;
    store->pending->link.late = late;
}

void tg__store_channel_alive(tg_store *store, int64_t now_mono_ns)
{
    store->pending->link.alive_mono_ns = now_mono_ns;
}

void tg__store_set_channel_timeout(tg_store *store, int64_t timeout_ns)
{
    store->pending->link.timeout_ns = timeout_ns;
}

void tg__store_set_venue_stale(tg_store *store, tg_venue_id venue, bool stale)
{
    if (venue >= TG_VENUE_MAX || store->pending->venue[venue].stale == stale) {
        return;
    }
    tg__venue_axis *axis = &store->pending->venue[venue];
    axis->stale = stale;
    if (stale) {
        store->pending->loss.stale_venues++;
    } else {
        store->pending->loss.stale_venues--;
    }
    /* At the end as well: the loss reaches to here, and what came during it may be older. */
    axis->doubt_era = tg__era_begin(store);
    store->watch.all = true;
    store->venue_stamp = store->pending->number;
}

void tg__store_set_not_entitled(tg_store *store, tg_instrument_id id, bool refused)
{
    const uint16_t row = tg__table_row(store->pending, id);
    if (row == 0 || tg__table_has(store->pending, row, TG__ROW_NOT_ENTITLED) == refused) {
        return;
    }
    tg__row_flag(store, row, refused ? TG__ROW_NOT_ENTITLED : 0,
                 refused ? 0 : TG__ROW_NOT_ENTITLED);
    tg__row_touch(store, row);
    tg__watch_mark(store, row);
}

void tg__row_unprove(tg_store *store, uint16_t row, uint8_t flag)
{
    if (row == 0 || tg__table_has(store->pending, row, flag)) {
        return;
    }
    tg__row_flag(store, row, flag, 0);
    store->ledger[row].usual = 0;
    tg__row_touch(store, row);
    tg__watch_mark(store, row);
}

void tg__store_set_unfollowed(tg_store *store, tg_instrument_id id)
{
    tg__row_unprove(store, tg__table_row(store->pending, id), TG__ROW_UNFOLLOWED);
}
