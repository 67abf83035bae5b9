#include <tickglass/internal/store_writer.h>

#include <string.h>

#include "admission.h"
#include "stop_point.h"
#include "store_state.h"

static bool values_equal(const tg__hot *hot, const tg__cold *cold, const tg_image *image)
{
    return hot->present == image->present &&
           memcmp(hot->value, image->value, sizeof hot->value) == 0 &&
           hot->status == image->value[TG_FIELD_STATUS] &&
           memcmp(cold->value, image->value + TG__HOT_VALUES, sizeof cold->value) == 0;
}

static bool has_exchange_time(uint32_t present)
{
    return (present & TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE)) != 0;
}

/* The first image of another lineage: versions do not compare, but exchange times may. */
static bool is_proved_newer(const tg__hot *hot, const tg_image *image)
{
    return has_exchange_time(hot->present) && has_exchange_time(image->present) &&
           image->value[TG_FIELD_TS_EXCHANGE] > hot->value[TG_FIELD_TS_EXCHANGE];
}

static void mark_restart(tg_store *store, uint16_t row, const tg_image *image)
{
    uint8_t *flags = &store->pending->tag[row].flags;
    *flags = (uint8_t)(*flags & ~TG__ROW_RESTARTED);
    if ((*flags & TG__ROW_HAS_VALUE) != 0 && !is_proved_newer(&store->pending->hot[row], image)) {
        *flags |= TG__ROW_RESTARTED;
        tg__tally_add(&store->tally.history_restarts, 1);
    }
    store->ledger[row].lineage = store->lineage;
}

static void write_values(tg_store *store, uint16_t row, const tg_image *image)
{
    const tg_view *pending = store->pending;
    tg__hot *hot = &pending->hot[row];
    tg__cold *cold = &pending->cold[row];
    hot->seq = image->seq;
    hot->epoch = image->epoch;
    hot->present = image->present;
    TG__STOP_POINT("a row has its new version and its old values");
    memcpy(hot->value, image->value, sizeof hot->value);
    hot->status = image->value[TG_FIELD_STATUS];
    if (memcmp(cold->value, image->value + TG__HOT_VALUES, sizeof cold->value) != 0) {
        memcpy(cold->value, image->value + TG__HOT_VALUES, sizeof cold->value);
        store->ledger[row].cold_stamp = pending->number;
    }
}

static uint32_t commit_delay_ns(const tg__arrival *arrival)
{
    const int64_t delay = tg__age_ns(arrival->received_mono_ns, arrival->now_mono_ns);
    return delay > UINT32_MAX ? UINT32_MAX : (uint32_t)delay;
}

static void prove(const tg_store *store, tg__hot *hot, const tg__arrival *arrival)
{
    hot->proved_mono_ns = arrival->received_mono_ns;
    hot->proved_era = store->era;
}

static void take_over(tg_store *store, uint16_t row, const tg_image *image,
                      const tg__arrival *arrival)
{
    tg__hot *hot = &store->pending->hot[row];
    tg__tag *tag = &store->pending->tag[row];
    if (store->ledger[row].lineage != store->lineage) {
        mark_restart(store, row, image);
    }
    write_values(store, row, image);
    hot->received_mono_ns = arrival->received_mono_ns;
    hot->commit_delay_ns = commit_delay_ns(arrival);
    hot->ts_gateway_ns = arrival->ts_gateway_ns;
    prove(store, hot, arrival);
    TG__STOP_POINT("a row is written and not in the list of changes");
    tg__row_change(store, row);
    if (store->history.ring_count > 0) {
        tg__history_add(store, row);
    }
    tg__watch_tick(store, row, hot);
    if ((tag->flags & (TG__ROW_HAS_VALUE | TG__ROW_UNFOLLOWED)) != TG__ROW_HAS_VALUE) {
        tag->flags = (uint8_t)((tag->flags | TG__ROW_HAS_VALUE) & ~TG__ROW_UNFOLLOWED);
    }
}

tg__admission tg__store_admit(tg_store *store, tg_instrument_id id, const tg_image *image,
                              uint64_t covered, const tg__arrival *arrival)
{
    const uint16_t row = tg__table_row(store->pending, id);
    if (row == 0) {
        return TG__REFUSED_UNKNOWN;
    }
    const tg__hot *hot = &store->pending->hot[row];
    const tg__holding holding = {
        .version = {hot->epoch, hot->seq},
        .epoch_min = store->ledger[row].epoch_min,
        .has_value = tg__table_has(store->pending, row, TG__ROW_HAS_VALUE),
        .comparable = store->ledger[row].lineage == store->lineage,
        .values_equal = hot->seq == image->seq && hot->epoch == image->epoch &&
                        values_equal(hot, &store->pending->cold[row], image),
    };
    const tg__admission admission =
        tg__admission_decide(&holding, tg_image_version(image), image->present == 0);
    switch (admission) {
    case TG__ADMITTED:
        tg__tally_add(&store->tally.covered_ticks, covered);
        tg__ledger_admitted(store, row, image, covered, holding.comparable);
        take_over(store, row, image, arrival);
        tg__tally_add(&store->tally.admitted, 1);
        break;
    case TG__CONFIRMED:
        if (holding.has_value && holding.comparable) {
            prove(store, &store->pending->hot[row], arrival);
            uint8_t *flags = &store->pending->tag[row].flags;
            *flags = (uint8_t)(*flags & ~TG__ROW_UNFOLLOWED);
            tg__row_touch(store, row);
            tg__watch_tick(store, row, hot);
            tg__ledger_confirmed(store, row, image, covered);
        }
        tg__tally_add(&store->tally.confirmed, 1);
        break;
    case TG__REFUSED_REGRESSION:
    case TG__REFUSED_EPOCH:
        tg__ledger_refused(store, row, image, covered);
        tg__refusal_count(store, row, admission);
        break;
    case TG__REFUSED_INTEGRITY:
    case TG__REFUSED_UNKNOWN:
        tg__refusal_count(store, row, admission);
        break;
    }
    return admission;
}
