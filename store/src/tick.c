#include <tickglass/internal/store_writer.h>

#include <string.h>

#include "admission.h"
#include "stop_point.h"
#include "store_state.h"

static bool values_equal(const tg_image *a, const tg_image *b)
{
    return a->present == b->present && memcmp(a->value, b->value, sizeof a->value) == 0;
}

static bool has_exchange_time(uint32_t present)
{
    return (present & TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE)) != 0;
}

/* The first image of another lineage: versions do not compare, but exchange times may. */
static bool is_proved_newer(const tg_image *held, const tg_image *image)
{
    return has_exchange_time(held->present) && has_exchange_time(image->present) &&
           image->value[TG_FIELD_TS_EXCHANGE] > held->value[TG_FIELD_TS_EXCHANGE];
}

static void mark_restart(tg_store *store, uint16_t row, const tg_image *image)
{
    uint8_t *flags = &store->pending->tag[row].flags;
    *flags = (uint8_t)(*flags & ~TG__ROW_RESTARTED);
    if ((*flags & TG__ROW_HAS_VALUE) != 0 &&
        !is_proved_newer(&tg__table_cell(store->pending, row)->image, image)) {
        *flags |= TG__ROW_RESTARTED;
        tg__tally_add(&store->tally.history_restarts, 1);
    }
    store->ledger[row].lineage = store->lineage;
}

static uint32_t commit_delay_ns(const tg__arrival *arrival)
{
    const int64_t delay = tg__age_ns(arrival->received_mono_ns, arrival->now_mono_ns);
    return delay > UINT32_MAX ? UINT32_MAX : (uint32_t)delay;
}

static void prove(const tg_store *store, tg__cell *cell, const tg__arrival *arrival)
{
    cell->proved_mono_ns = arrival->received_mono_ns;
    cell->proved_era = store->era;
}

/* The row's value, in a cell of its own, becomes image. */
static inline void write_row(tg_store *store, uint16_t row, tg__cell *cell, const tg_image *image,
                             const tg__arrival *arrival)
{
    TG__STOP_POINT("a row has a new cell and not its values");
    cell->image = *image;
    TG__STOP_POINT("a row has its new values and not their times");
    cell->received_mono_ns = arrival->received_mono_ns;
    cell->ts_gateway_ns = arrival->ts_gateway_ns;
    cell->commit_delay_ns = commit_delay_ns(arrival);
    cell->changed_in = store->pending->number;
    prove(store, cell, arrival);
    store->ledger[row].seq = image->seq;
    tg__tally_add(&store->tally.admitted, 1);
}

/* What else a new value brings about, where it does. */
static tg__admission follow_up(tg_store *store, uint16_t row, const tg_image *image)
{
    if (store->history.ring_count > 0) {
        tg__history_add(store, row);
    }
    tg__watch_tick(store, row, image);
    return TG__ADMITTED;
}

static void take_over(tg_store *store, uint16_t row, const tg_image *image,
                      const tg__arrival *arrival)
{
    if (store->ledger[row].lineage != store->lineage) {
        mark_restart(store, row, image);
    }
    write_row(store, row, tg__row_renew(store, row), image, arrival);
    store->ledger[row].epoch = image->epoch;
    uint8_t *flags = &store->pending->tag[row].flags;
    *flags = (uint8_t)((*flags | TG__ROW_HAS_VALUE) & ~TG__ROW_UNFOLLOWED);
    (void)follow_up(store, row, image);
}

void tg__store_expect(const tg_store *store, tg_instrument_id id)
{
    const tg_view *pending = store->pending;
    const uint32_t row = (uint32_t)id + 1;
    if (row > pending->row_max) {
        return;
    }
    __builtin_prefetch(&store->ledger[row], 1);
    /* The cell that it will most likely be written to. */
    const char *cell = (const char *)tg__table_cell_in(
        pending, store->kept[0]->plane[row] == 0 ? 1 : 0, (uint16_t)row);
    for (size_t line = 0; line < sizeof(tg__cell); line += TG__CACHE_LINE) {
        __builtin_prefetch(cell + line, 1);
    }
}

/* Whatever the tick is. */
__attribute__((noinline)) static tg__admission admit_with_care(tg_store *store, tg_instrument_id id,
                                                               const tg_image *image,
                                                               uint64_t covered,
                                                               const tg__arrival *arrival)
{
    const uint16_t row = tg__table_row(store->pending, id);
    if (row == 0) {
        return TG__REFUSED_UNKNOWN;
    }
    const tg__ledger_row *ledger = &store->ledger[row];
    const tg__holding holding = {
        .version = {ledger->epoch, ledger->seq},
        .epoch_min = ledger->epoch_min,
        .has_value = tg__table_has(store->pending, row, TG__ROW_HAS_VALUE),
        .comparable = ledger->lineage == store->lineage,
        .values_equal = ledger->seq == image->seq && ledger->epoch == image->epoch &&
                        values_equal(&tg__table_cell(store->pending, row)->image, image),
    };
    const tg__admission admission =
        tg__admission_decide(&holding, tg_image_version(image), image->present == 0);
    switch (admission) {
    case TG__ADMITTED:
        tg__tally_add(&store->tally.covered_ticks, covered);
        tg__ledger_admitted(store, row, image, covered, holding.comparable);
        take_over(store, row, image, arrival);
        break;
    case TG__CONFIRMED:
        if (holding.has_value && holding.comparable) {
            prove(store, tg__row_edit(store, row), arrival);
            uint8_t *flags = &store->pending->tag[row].flags;
            *flags = (uint8_t)(*flags & ~TG__ROW_UNFOLLOWED);
            tg__watch_tick(store, row, image);
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

/*
 * Nearly every tick: the next one of a row that lacks nothing and is where its id says, while
 * nobody holds an old version. Asks the same rule; of the rest it knows that there is nothing to
 * do.
 */
static inline bool goes_on(const tg_store *store, uint16_t row, const tg_image *image,
                           uint64_t covered)
{
    const tg__ledger_row *ledger = &store->ledger[row];
    const tg__holding holding = {
        .version = {ledger->epoch, ledger->seq},
        .epoch_min = ledger->epoch_min,
        .has_value = true,
        .comparable = true,
        .values_equal = false,
    };
    const uint8_t flags = store->pending->tag[row].flags;
    return store->kept_count == 1 && ledger->lineage == store->lineage &&
           ledger->epoch == image->epoch &&
           (flags & (TG__ROW_HAS_VALUE | TG__ROW_UNFOLLOWED)) == TG__ROW_HAS_VALUE &&
           covered == image->seq - ledger->seq && covered != 0 &&
           tg__admission_decide(&holding, tg_image_version(image), false) == TG__ADMITTED;
}

tg__admission tg__store_admit(tg_store *store, tg_instrument_id id, const tg_image *image,
                              uint64_t covered, const tg__arrival *arrival)
{
    const uint16_t row = (uint16_t)(id + 1u);
    if (!tg__table_is_own(store->pending, id) || !goes_on(store, row, image, covered)) {
        return admit_with_care(store, id, image, covered, arrival);
    }
    tg__tally_add(&store->tally.covered_ticks, covered);
    tg__ledger_regular(store, row, image->seq, covered);
    const uint8_t free = store->kept[0]->plane[row] == 0 ? 1 : 0; /* as none else is kept */
    write_row(store, row, tg__row_renew_in(store, row, free), image, arrival);
    return store->history.ring_count == 0 && !tg__watch_minds(store, row, image)
               ? TG__ADMITTED
               : follow_up(store, row, image);
}
