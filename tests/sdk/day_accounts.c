#include "day_accounts.h"

#include "tg_cmocka.h"

void day_accounts_rows(day_accounts *accounts, rig *r, uint64_t lineage, const sim_message *message,
                       bool whole)
{
    accounts->damaged = accounts->damaged || !whole;
    const tg_view *view = tg_reader_pin(r->reader);
    for (uint32_t i = 0; i < message->row_count; i++) {
        const sim_row *row = &message->rows[i];
        tg_row shown;
        if (tg_view_row(view, row->id, r->now_ns, &shown) == TG_OK) { /* it has an entry */
            tick_account_row(&accounts->of[row->id], lineage, row->version.seq, row->covered);
        }
    }
    tg_reader_unpin(r->reader);
}

static void check_sum(const tg_ledger *ledger)
{
    assert_int_equal(ledger->lane_ticks,
                     ledger->received + ledger->conflated + ledger->lost + ledger->superseded);
}

static void expect(const tg_ledger *ledger, const tg_ledger *due)
{
    assert_int_equal(ledger->lane_ticks, due->lane_ticks);
    assert_int_equal(ledger->received, due->received);
    assert_int_equal(ledger->conflated, due->conflated);
    assert_int_equal(ledger->lost, due->lost);
    assert_int_equal(ledger->superseded, due->superseded);
    assert_int_equal(ledger->repeated, due->repeated);
}

static void add(tg_ledger *total, const tg_ledger *ledger)
{
    total->lane_ticks += ledger->lane_ticks;
    total->received += ledger->received;
    total->conflated += ledger->conflated;
    total->lost += ledger->lost;
    total->superseded += ledger->superseded;
    total->repeated += ledger->repeated;
}

/* True: in every part. */
static bool check_instrument(const day_accounts *accounts, rig *r, const tg_view *view,
                             tg_instrument_id id)
{
    const tick_account *account = &accounts->of[id];
    tg_ledger ledger;
    tg_row row;
    if (tg_view_ledger(view, id, &ledger) != TG_OK) {
        return false; /* not named since the lineage changed */
    }
    check_sum(&ledger);
    assert_int_equal(ledger.lane_ticks, account->ledger.lane_ticks);
    assert_int_equal(tg_view_row(view, id, r->now_ns, &row), TG_OK);
    if (row.quality == TG_QUALITY_LIVE) {
        assert_int_equal(account->newest, r->market.newest[id].seq);
    }
    if (!accounts->damaged) {
        expect(&ledger, &account->ledger);
    }
    return !accounts->damaged;
}

uint64_t day_accounts_check(const day_accounts *accounts, rig *r, uint64_t contradictions)
{
    tg_store_counters store = {.struct_size = sizeof store};
    tg_ledger total = {0, 0, 0, 0, 0, 0};
    uint64_t said = 0;
    uint64_t exact = 0;
    const tg_view *view = tg_reader_pin(r->reader);
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        exact += check_instrument(accounts, r, view, (tg_instrument_id)id);
        add(&total, &accounts->of[id].ledger);
        said += accounts->of[id].said;
    }
    tg_reader_unpin(r->reader);
    assert_int_equal(tg_store_counters_get(r->store, &store), TG_OK);
    const tg_ledger of_all = {store.lane_ticks, store.received,   store.conflated,
                              store.lost,       store.superseded, store.repeated};
    check_sum(&of_all);
    assert_int_equal(of_all.lane_ticks, total.lane_ticks);
    assert_int_equal(store.integrity_faults, contradictions);
    if (!accounts->damaged) {
        expect(&of_all, &total);
        assert_int_equal(store.covered_ticks, said);
    }
    return exact;
}
