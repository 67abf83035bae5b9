#include <tickglass/store.h>

#include <tickglass/internal/control_flow.h>

#include "store_state.h"

/* All of it relaxed: one writer, and readers want each number, not their order. */

static void count_one(_Atomic uint32_t *counter)
{
    const uint32_t before = atomic_load_explicit(counter, memory_order_relaxed);
    if (before < UINT32_MAX) {
        atomic_store_explicit(counter, before + 1, memory_order_relaxed);
    }
}

void tg__refusal_count(tg_store *store, uint16_t row, tg__admission admission)
{
    tg__refusal_tally *of_row = &store->refusals[row];
    const tg_venue_id venue = tg__table_entry(store->pending, row)->venue;
    tg__refusal_tally *of_venue = &store->venue_refusals[venue];
    if (admission == TG__REFUSED_REGRESSION) {
        tg__tally_add(&store->tally.rejected_regression, 1);
        count_one(&of_row->regression);
        count_one(&of_venue->regression);
    } else if (admission == TG__REFUSED_EPOCH) {
        tg__tally_add(&store->tally.rejected_epoch, 1);
        count_one(&of_row->epoch);
        count_one(&of_venue->epoch);
    } else if (admission == TG__REFUSED_INTEGRITY) {
        tg__tally_add(&store->tally.integrity_faults, 1);
        count_one(&of_row->integrity);
        count_one(&of_venue->integrity);
    }
}

void tg__refusals_clear(tg__refusal_tally *tally)
{
    atomic_store_explicit(&tally->regression, 0, memory_order_relaxed);
    atomic_store_explicit(&tally->epoch, 0, memory_order_relaxed);
    atomic_store_explicit(&tally->integrity, 0, memory_order_relaxed);
}

static void read_tally(const tg__refusal_tally *tally, tg_refusals *out)
{
    out->regression = atomic_load_explicit(&tally->regression, memory_order_relaxed);
    out->epoch = atomic_load_explicit(&tally->epoch, memory_order_relaxed);
    out->integrity = atomic_load_explicit(&tally->integrity, memory_order_relaxed);
}

tg_err tg_view_refusals(const tg_view *view, tg_instrument_id id, tg_refusals *out)
{
    const uint16_t row = tg__table_row(view, id);
    TG_ENSURE(row != 0, TG_ERR_NOT_FOUND);
    read_tally(&view->refusals[row], out);
    return TG_OK;
}

tg_err tg_view_venue_refusals(const tg_view *view, tg_venue_id venue, tg_refusals *out)
{
    TG_ENSURE(venue < TG_VENUE_MAX, TG_ERR_NOT_FOUND);
    read_tally(&view->venue_refusals[venue], out);
    return TG_OK;
}
