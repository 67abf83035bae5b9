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
    const bool restarted = tg__table_has(store->pending, row, TG__ROW_HAS_VALUE) &&
                           !is_proved_newer(&tg__table_cell(store->pending, row)->image, image);
    tg__row_flag(store, row, restarted ? TG__ROW_RESTARTED : 0, restarted ? 0 : TG__ROW_RESTARTED);
    if (restarted) {
        tg__tally_add(&store->tally.history_restarts, 1);
    }
    store->ledger[row].lineage = store->lineage;
}

static inline uint32_t commit_delay_ns(const tg__arrival *arrival)
{
    const uint64_t delay =
        (uint64_t)arrival->now_mono_ns - (uint64_t)arrival->received_mono_ns; /* modulo 2^64 */
    if (delay <= UINT32_MAX) {
        return (uint32_t)delay;
    }
    return arrival->now_mono_ns > arrival->received_mono_ns ? UINT32_MAX : 0;
}

/* Cell holds image. */
static inline void prove(const tg_store *store, tg__cell *cell, const tg_image *image,
                         const tg__arrival *arrival)
{
    cell->proved_mono_ns = arrival->received_mono_ns;
    cell->proved_era = store->era | (tg__cell_is_remarkable(image) ? TG__ERA_REMARKED : 0);
}

/* The row's value, in a cell of its own, becomes image. */
static inline void write_row(tg_store *store, tg__cell *cell, const tg_image *image,
                             const tg__arrival *arrival)
{
    TG__STOP_POINT("a row has a new cell and not its values");
    cell->image = *image;
    TG__STOP_POINT("a row has its new values and not their times");
    cell->received_mono_ns = arrival->received_mono_ns;
    cell->ts_gateway_ns = arrival->ts_gateway_ns;
    cell->commit_delay_ns = commit_delay_ns(arrival);
    cell->changed_in = store->pending->number;
    prove(store, cell, image, arrival);
    tg__tally_add(&store->tally.admitted, 1);
}

/* What else a new value brings about, where it does. */
__attribute__((noinline)) static tg__admission follow_up(tg_store *store, uint16_t row,
                                                         const tg_image *image)
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
    write_row(store, tg__row_renew(store, row), image, arrival);
    store->ledger[row].epoch = image->epoch;
    tg__row_flag(store, row, TG__ROW_HAS_VALUE, TG__ROW_UNPROVED);
    (void)follow_up(store, row, image);
}

/*
 * The cell that row's next value goes to, and its plane, as long as no version but the current one
 * is kept: planes 0 and 1 take turns.
 */
static inline uint8_t plane_alone(const tg_store *store, uint16_t row)
{
    return store->shown[row] == 0;
}

static inline tg__cell *cell_alone(const tg_store *store, uint8_t plane, uint16_t row)
{
    return &store->plane_cells[plane][row];
}

void tg__store_expect(const tg_store *store, tg_instrument_id id)
{
    if (id >= store->row_max) {
        return;
    }
    const uint16_t row = (uint16_t)(id + 1u);
    __builtin_prefetch(&store->ledger[row], 1);
    const char *cell = (const char *)cell_alone(store, plane_alone(store, row), row);
    for (size_t line = 0; line < sizeof(tg__cell); line += TG__CACHE_LINE) {
        __builtin_prefetch(cell + line, 1);
    }
}

/*
 * Row has just been taken over: may its next tick take the short way? Yes, if it is where its id
 * says and the rule of admission has nothing to ask but the version. Whatever changes one of these
 * afterwards puts usual back to 0: another identity, its lineage and scale with it, losing its
 * channel, being contradicted, and a quality that any tick can change.
 */
static void settle_usual(tg_store *store, uint16_t row, tg_instrument_id id)
{
    tg__ledger_row *ledger = &store->ledger[row];
    const bool usual =
        tg__table_is_own(store->pending, id) && ledger->told.watched == TG__WATCHED_TRADING;
    ledger->usual = usual ? (uint64_t)ledger->epoch + 1 : 0;
}

/*
 * Nearly every tick is the next one of a row that lacks nothing, and trades. The rule would say
 * TG__ADMITTED: the epoch is the one that is held, the seq a higher one. That it rises by what is
 * covered, from 1 to itself, also means that it has not gone round its 64 bits.
 */
static inline bool goes_on(const tg__ledger_row *ledger, const tg_image *image, uint64_t covered)
{
    return (uint64_t)image->epoch + 1 == ledger->usual && covered - 1 < image->seq &&
           image->seq - covered == tg__ledger_seq(ledger) &&
           image->value[TG_FIELD_STATUS] != TG_TRADING_HALTED;
}

/* Cell is the row's, in the pending version. */
static inline tg__admission admit_usual(tg_store *store, uint16_t row, tg__cell *cell,
                                        const tg_image *image, uint64_t covered,
                                        const tg__arrival *arrival)
{
    tg__tally_add(&store->tally.covered_ticks, covered);
    tg__ledger_regular(&store->ledger[row].account, image->seq, covered);
    write_row(store, cell, image, arrival);
    return store->history.ring_count == 0 ? TG__ADMITTED : follow_up(store, row, image);
}

/* Whatever the tick is. */
__attribute__((noinline)) static tg__admission admit_with_care(tg_store *store, tg_instrument_id id,
                                                               const tg_image *image,
                                                               uint64_t covered,
                                                               const tg__arrival *arrival)
{
    if (id < store->row_max && goes_on(&store->ledger[id + 1], image, covered)) {
        /* Usual, but a reader holds an old version: any plane may be taken. */
        const uint16_t own = (uint16_t)(id + 1u);
        return admit_usual(store, own, tg__row_renew(store, own), image, covered, arrival);
    }
    const uint16_t row = tg__table_row(store->pending, id);
    if (row == 0) {
        return TG__REFUSED_UNKNOWN;
    }
    const tg__ledger_row *ledger = &store->ledger[row];
    const tg__holding holding = {
        .version = {ledger->epoch, tg__ledger_seq(ledger)},
        .epoch_min = ledger->epoch_min,
        .has_value = tg__table_has(store->pending, row, TG__ROW_HAS_VALUE),
        .comparable = ledger->lineage == store->lineage,
        .values_equal = tg__ledger_seq(ledger) == image->seq && ledger->epoch == image->epoch &&
                        values_equal(&tg__table_cell(store->pending, row)->image, image),
    };
    const tg__admission admission =
        tg__admission_decide(&holding, tg_image_version(image), image->present == 0);
    switch (admission) {
    case TG__ADMITTED:
        tg__tally_add(&store->tally.covered_ticks, covered);
        tg__ledger_admitted(store, row, image, covered, holding.comparable);
        take_over(store, row, image, arrival);
        settle_usual(store, row, id);
        break;
    case TG__CONFIRMED:
        if (holding.has_value && holding.comparable) {
            prove(store, tg__row_edit(store, row), image, arrival);
            tg__row_flag(store, row, 0, TG__ROW_UNPROVED);
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
        tg__row_unprove(store, row, TG__ROW_CONTRADICTED);
        tg__refusal_count(store, row, admission);
        break;
    case TG__REFUSED_UNKNOWN:
        tg__refusal_count(store, row, admission);
        break;
    }
    return admission;
}

/* tg__row_renew(), as long as no version but the current one is kept. */
static inline tg__cell *renew_alone(tg_store *store, uint16_t row)
{
    tg_view *pending = store->pending;
    const uint8_t plane = plane_alone(store, row);
    if (pending->plane[row] != plane) {
        tg__log_put(&store->log, pending->number, row);
        pending->plane[row] = plane;
    }
    return cell_alone(store, plane, row);
}

tg__admission tg__store_admit(tg_store *store, tg_instrument_id id, const tg_image *image,
                              uint64_t covered, const tg__arrival *arrival)
{
    const uint16_t row = (uint16_t)(id + 1u);
    if (id >= store->alone_ids || !goes_on(&store->ledger[row], image, covered)) {
        return admit_with_care(store, id, image, covered, arrival);
    }
    return admit_usual(store, row, renew_alone(store, row), image, covered, arrival);
}
