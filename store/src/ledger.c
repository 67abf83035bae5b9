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

static uint64_t number(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed); /* see tg__tally_add() */
}

static void add(_Atomic uint64_t *of_row, _Atomic uint64_t *total, uint64_t more)
{
    tg__tally_add(of_row, more);
    tg__tally_add(total, more);
}

/* The row that is held stands for ticks that were lost so far. */
static uint64_t refill(tg_store *store, uint16_t row, uint64_t first, uint64_t last)
{
    const uint64_t filled = fill(&store->losses[row], first, last);
    if (filled > 0) {
        add(&store->losses[row].lost, &store->tally.lost, 0 - filled);
        add(&store->ledger[row].account.covered, &store->tally.unsaid, filled);
    }
    return filled;
}

/* A row that says said was received: it stands for covered ticks, and the versions say how many
 * there are. */
static void enter(tg_store *store, uint16_t row, uint64_t seq, uint64_t said, uint64_t covered,
                  uint64_t ticks)
{
    tg__account *account = &store->ledger[row].account;
    tg__tally_add(&account->covered, covered);
    tg__tally_add(&store->tally.unsaid, covered - said);
    tg__tally_add(&store->tally.beyond, ticks - said);
    atomic_store_explicit(&account->newest, seq, memory_order_relaxed);
    tg__tally_add(&account->received, 1);
}

/* The account goes on from the tick before the row's, whatever the numbers were so far. */
static void break_off(tg_store *store, uint16_t row, const tg_image *image, uint64_t claimed)
{
    tg__account *account = &store->ledger[row].account;
    const uint64_t ticks = number(&account->newest) - number(&account->base);
    const uint64_t base = image->seq - claimed - ticks;
    atomic_store_explicit(&account->base, base, memory_order_relaxed);
    store->ledger[row].account_epoch = image->epoch;
    forget_holes(&store->losses[row]);
}

void tg__ledger_irregular(tg_store *store, uint16_t row, const tg_image *image, uint64_t covered)
{
    tg__losses *losses = &store->losses[row];
    const tg__ledger_row *ledger = &store->ledger[row];
    const uint64_t held_seq = tg__ledger_seq(ledger);
    const bool goes_on = ledger->lineage == store->lineage && held_seq != 0;
    if (goes_on && image->seq == held_seq && image->epoch == ledger->epoch) {
        /* Its values had gone with their scale and are there again: not another tick. */
        tg__tally_add(&store->tally.confirmed_anew, 1);
        tg__tally_add(&store->tally.unsaid, 0 - covered);
        tg__tally_add(&store->tally.beyond, 0 - covered);
        tg__ledger_confirmed(store, row, image, covered);
        return;
    }
    const uint64_t claimed = covered > 0 ? covered : 1; /* not known: itself */
    if (!goes_on || image->seq <= held_seq) {
        break_off(store, row, image, claimed);
        enter(store, row, image->seq, covered, claimed, claimed);
        return;
    }
    const uint64_t advance = image->seq - held_seq;
    if (claimed < advance) {
        const uint64_t lost = advance - claimed;
        open_hole(losses, held_seq + 1, held_seq + lost);
        add(&losses->lost, &store->tally.lost, lost);
        enter(store, row, image->seq, covered, claimed, advance);
        return;
    }
    /* It may reach back behind what another channel brought before it. */
    const uint64_t again = claimed - advance;
    const uint64_t filled =
        again > 0 ? refill(store, row, first_covered(image->seq, claimed), held_seq) : 0;
    add(&losses->repeated, &store->tally.repeated, again - filled);
    enter(store, row, image->seq, covered, advance, advance);
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
    clear(&account->newest);
    clear(&account->base);
    clear(&account->covered);
    clear(&account->received);
    clear(&losses->repeated);
    clear(&losses->lost);
    clear(&losses->superseded);
    forget_holes(losses);
    store->ledger[row].account_epoch = 0;
}

/* Read amid a row, two counts may be of different rows: never a number below 0. */
static uint64_t conflated_of(uint64_t covered, uint64_t received)
{
    return covered > received ? covered - received : 0;
}

tg_err tg_view_ledger(const tg_view *view, tg_instrument_id id, tg_ledger *out)
{
    const uint16_t row = tg__table_row(view, id);
    TG_ENSURE(row != 0, TG_ERR_NOT_FOUND);
    const tg__account *account = &view->ledger[row].account;
    const tg__losses *losses = &view->losses[row];
    out->received = number(&account->received);
    out->conflated = conflated_of(number(&account->covered), out->received);
    out->lane_ticks = number(&account->newest) - number(&account->base);
    out->lost = number(&losses->lost);
    out->superseded = number(&losses->superseded);
    out->repeated = number(&losses->repeated);
    return TG_OK;
}

void tg__ledger_total(const tg__tally *tally, tg_ledger *out)
{
    out->received = number(&tally->admitted) - number(&tally->confirmed_anew);
    const uint64_t said = number(&tally->covered_ticks);
    out->conflated = conflated_of(said + number(&tally->unsaid), out->received);
    out->lane_ticks = said + number(&tally->beyond);
    out->lost = number(&tally->lost);
    out->superseded = number(&tally->superseded);
    out->repeated = number(&tally->repeated);
}
