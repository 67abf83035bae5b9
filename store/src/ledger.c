#include <tickglass/store.h>

#include <tickglass/internal/control_flow.h>

#include "store_state.h"

/* Ticks first to last are accounted for now: how many of them were in holes. */
static uint64_t fill(tg__losses *losses, uint64_t first, uint64_t last)
{
    tg__hole left[TG__HOLES_MAX + 1]; /* only one hole can fall into two pieces */
    unsigned count = 0;
    uint64_t filled = 0;
    for (unsigned i = 0; i < TG__HOLES_MAX && losses->hole[i].last != 0; i++) {
        const tg__hole hole = losses->hole[i];
        if (hole.last < first || hole.first > last) {
            left[count++] = hole;
            continue;
        }
        const uint64_t from = hole.first > first ? hole.first : first;
        const uint64_t to = hole.last < last ? hole.last : last;
        filled += to - from + 1;
        if (hole.last > to) {
            left[count++] = (tg__hole){to + 1, hole.last};
        }
        if (hole.first < from) {
            left[count++] = (tg__hole){hole.first, from - 1};
        }
    }
    if (filled > 0) {
        for (unsigned i = 0; i < TG__HOLES_MAX; i++) {
            losses->hole[i] = i < count ? left[i] : (tg__hole){0, 0};
        }
    }
    return filled;
}

static void forget_holes(tg__losses *losses)
{
    for (unsigned i = 0; i < TG__HOLES_MAX; i++) {
        losses->hole[i] = (tg__hole){0, 0};
    }
}

static void open_hole(tg__losses *losses, uint64_t first, uint64_t last)
{
    for (unsigned i = TG__HOLES_MAX - 1; i > 0; i--) {
        losses->hole[i] = losses->hole[i - 1];
    }
    losses->hole[0] = (tg__hole){first, last};
}

/* The oldest tick that a row stands for. */
static uint64_t first_covered(uint64_t seq, uint64_t covered)
{
    return covered < seq ? seq - covered + 1 : 1;
}

static void add(_Atomic uint64_t *of_row, _Atomic uint64_t *total, uint64_t more)
{
    tg__tally_add(of_row, more);
    tg__tally_add(total, more);
}

/* The row that is held stands for ticks that were lost so far; the lane has no more of them. */
static uint64_t refill(tg_store *store, uint16_t row, uint64_t first, uint64_t last)
{
    const uint64_t filled = fill(&store->losses[row], first, last);
    if (filled > 0) {
        tg__account *account = &store->ledger[row].account;
        add(&store->losses[row].lost, &store->tally.lost, 0 - filled);
        add(&account->covered, &store->tally.unsaid, filled);
        add(&account->beyond, &store->tally.beyond, 0 - filled);
    }
    return filled;
}

/* A row that was received stands for covered ticks; the versions say beyond more. */
static void enter(tg_store *store, uint16_t row, uint64_t said, uint64_t covered, uint64_t beyond)
{
    tg__account *account = &store->ledger[row].account;
    tg__tally_add(&account->received, 1);
    tg__tally_add(&account->covered, covered);
    tg__tally_add(&store->tally.unsaid, covered - said);
    add(&account->beyond, &store->tally.beyond, beyond);
}

void tg__ledger_irregular(tg_store *store, uint16_t row, const tg_image *image, uint64_t covered)
{
    tg__ledger_row *ledger = &store->ledger[row];
    tg__losses *losses = &store->losses[row];
    const tg_image *held = &tg__table_cell(store->pending, row)->image;
    const bool goes_on = ledger->lineage == store->lineage && held->seq != 0;
    if (goes_on && image->seq == held->seq && image->epoch == held->epoch) {
        /* Its values had gone with their scale and are there again: not another tick. */
        tg__tally_add(&store->tally.confirmed_anew, 1);
        tg__tally_add(&store->tally.unsaid, 0 - covered);
        tg__ledger_confirmed(store, row, image, covered);
        return;
    }
    const uint64_t claimed = covered > 0 ? covered : 1; /* not known: itself */
    if (!goes_on || image->seq <= held->seq) {
        forget_holes(losses);
        ledger->account_epoch = image->epoch;
        enter(store, row, covered, claimed, 0);
        return;
    }
    const uint64_t advance = image->seq - held->seq;
    if (claimed <= advance) {
        const uint64_t lost = advance - claimed;
        if (lost > 0) {
            open_hole(losses, held->seq + 1, held->seq + lost);
            add(&losses->lost, &store->tally.lost, lost);
        }
        enter(store, row, covered, claimed, lost);
        return;
    }
    /* It reaches back behind what another channel brought before it. */
    const uint64_t again = claimed - advance;
    const uint64_t filled = refill(store, row, first_covered(image->seq, claimed), held->seq);
    add(&ledger->account.repeated, &store->tally.repeated, again - filled);
    enter(store, row, covered, advance, 0);
}

void tg__ledger_confirmed(tg_store *store, uint16_t row, const tg_image *image, uint64_t covered)
{
    if (covered > 0) {
        (void)refill(store, row, first_covered(image->seq, covered), image->seq);
    }
}

void tg__ledger_refused(tg_store *store, uint16_t row, const tg_image *image, uint64_t covered)
{
    tg__losses *losses = &store->losses[row];
    if (image->epoch < store->ledger[row].account_epoch ||
        store->ledger[row].lineage != store->lineage) {
        return; /* of a numbering that this account does not know */
    }
    const uint64_t filled =
        fill(losses, first_covered(image->seq, covered > 0 ? covered : 1), image->seq);
    if (filled > 0) {
        add(&losses->lost, &store->tally.lost, 0 - filled);
        add(&losses->superseded, &store->tally.superseded, filled);
    }
}

static void clear(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, 0, memory_order_relaxed);
}

void tg__ledger_clear(tg_store *store, uint16_t row)
{
    tg__account *account = &store->ledger[row].account;
    tg__losses *losses = &store->losses[row];
    clear(&account->received);
    clear(&account->covered);
    clear(&account->beyond);
    clear(&account->repeated);
    clear(&losses->lost);
    clear(&losses->superseded);
    forget_holes(losses);
    store->ledger[row].account_epoch = 0;
}

static uint64_t number(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed); /* see tg__tally_add() */
}

tg_err tg_view_ledger(const tg_view *view, tg_instrument_id id, tg_ledger *out)
{
    const uint16_t row = tg__table_row(view, id);
    TG_ENSURE(row != 0, TG_ERR_NOT_FOUND);
    const tg__account *account = &view->ledger[row].account;
    const tg__losses *losses = &view->losses[row];
    const uint64_t covered = number(&account->covered);
    out->lane_ticks = covered + number(&account->beyond);
    out->received = number(&account->received);
    out->conflated = covered - out->received;
    out->lost = number(&losses->lost);
    out->superseded = number(&losses->superseded);
    out->repeated = number(&account->repeated);
    return TG_OK;
}

void tg__ledger_total(const tg__tally *tally, tg_ledger *out)
{
    const uint64_t covered = number(&tally->covered_ticks) + number(&tally->unsaid);
    out->lane_ticks = covered + number(&tally->beyond);
    out->received = number(&tally->admitted) - number(&tally->confirmed_anew);
    out->conflated = covered - out->received;
    out->lost = number(&tally->lost);
    out->superseded = number(&tally->superseded);
    out->repeated = number(&tally->repeated);
}
