#include "tg_cmocka.h"

#include <stdlib.h>

#include "market_fixture.h"
#include "recorder/seeded_random.h"

static tg__admission offer(tg_store *store, uint32_t epoch, uint64_t seq, uint64_t covered)
{
    const tg_image image = quote(epoch, seq, (int64_t)(seq % 1000));
    const tg__arrival arrival = {S, S, S};
    return tg__store_admit(store, 1, &image, covered, &arrival);
}

static tg_ledger ledger_of(tg_store *store)
{
    tg_reader *reader = reader_of(store);
    tg_ledger ledger;
    assert_int_equal(tg_view_ledger(tg_reader_pin(reader), 1, &ledger), TG_OK);
    tg_reader_close(reader);
    return ledger;
}

static uint64_t sum_of(const tg_ledger *of)
{
    return of->received + of->conflated + of->lost + of->superseded;
}

static void assert_ledger(tg_store *store, tg_ledger expected)
{
    const tg_ledger real = ledger_of(store);
    assert_int_equal(real.lane_ticks, expected.lane_ticks);
    assert_int_equal(real.received, expected.received);
    assert_int_equal(real.conflated, expected.conflated);
    assert_int_equal(real.lost, expected.lost);
    assert_int_equal(real.superseded, expected.superseded);
    assert_int_equal(real.repeated, expected.repeated);
    assert_int_equal(sum_of(&real), real.lane_ticks);
}

/* One instrument whose account began with the image of a snapshot at seq 100. */
static tg_store *begun(void)
{
    tg_store *store = store_of(4, 2);
    name_venue(store, 0, "XCME");
    define(store, 1, "A");
    tg__store_publish(store, S);
    assert_int_equal(offer(store, 1, 100, 0), TG__ADMITTED);
    return store;
}

static void a_snapshot_row_counts_for_itself(void **state)
{
    (void)state;
    tg_store *store = begun();
    assert_ledger(store, (tg_ledger){.lane_ticks = 1, .received = 1});
    assert_int_equal(offer(store, 1, 110, 0), TG__ADMITTED); /* and what it jumps over is lost */
    assert_ledger(store, (tg_ledger){.lane_ticks = 11, .received = 2, .lost = 9});
    tg__store_close(store);
}

static void a_row_is_received_and_what_it_covers_besides_conflated(void **state)
{
    (void)state;
    tg_store *store = begun();
    assert_int_equal(offer(store, 1, 101, 1), TG__ADMITTED);
    assert_int_equal(offer(store, 1, 106, 5), TG__ADMITTED);
    assert_ledger(store, (tg_ledger){.lane_ticks = 7, .received = 3, .conflated = 4});
    tg__store_close(store);
}

static void an_advance_over_what_is_covered_is_lost_until_an_older_row_comes(void **state)
{
    (void)state;
    tg_store *store = begun();
    assert_int_equal(offer(store, 1, 110, 2), TG__ADMITTED); /* 101 to 108 are missing */
    assert_ledger(store, (tg_ledger){.lane_ticks = 11, .received = 2, .conflated = 1, .lost = 8});
    assert_int_equal(offer(store, 1, 105, 3), TG__REFUSED_REGRESSION); /* out of the middle */
    assert_ledger(
        store,
        (tg_ledger){.lane_ticks = 11, .received = 2, .conflated = 1, .lost = 5, .superseded = 3});
    assert_int_equal(offer(store, 1, 105, 3), TG__REFUSED_REGRESSION); /* twice: nothing more */
    assert_int_equal(offer(store, 1, 108, 8), TG__REFUSED_REGRESSION); /* all that is left */
    assert_ledger(store,
                  (tg_ledger){.lane_ticks = 11, .received = 2, .conflated = 1, .superseded = 8});
    tg__store_close(store);
}

static void priority_rows_between_conflated_ones_are_counted_once(void **state)
{
    (void)state;
    tg_store *store = begun();
    assert_int_equal(offer(store, 1, 103, 1), TG__ADMITTED); /* priority; its own channel began */
    assert_ledger(store, (tg_ledger){.lane_ticks = 4, .received = 2, .lost = 2});
    assert_int_equal(offer(store, 1, 105, 5), TG__ADMITTED); /* conflated, from 100: reaches back */
    assert_ledger(store,
                  (tg_ledger){.lane_ticks = 6, .received = 3, .conflated = 3, .repeated = 1});
    tg__store_close(store);
}

static void a_confirming_row_says_what_was_folded_into_it(void **state)
{
    (void)state;
    tg_store *store = begun();
    assert_int_equal(offer(store, 1, 104, 0), TG__ADMITTED);
    assert_ledger(store, (tg_ledger){.lane_ticks = 5, .received = 2, .lost = 3});
    assert_int_equal(offer(store, 1, 104, 4), TG__CONFIRMED);
    assert_ledger(store, (tg_ledger){.lane_ticks = 5, .received = 2, .conflated = 3});
    tg__store_close(store);
}

static void the_seq_goes_on_over_a_raise_of_the_epoch(void **state)
{
    (void)state;
    tg_store *store = begun();
    assert_int_equal(offer(store, 2, 104, 2), TG__ADMITTED); /* 101 and 102 are missing */
    assert_int_equal(offer(store, 1, 101, 1), TG__REFUSED_EPOCH);
    assert_ledger(
        store,
        (tg_ledger){.lane_ticks = 5, .received = 2, .conflated = 1, .lost = 1, .superseded = 1});
    tg__store_close(store);
}

static void a_seq_that_begins_anew_is_a_break_and_loses_nothing(void **state)
{
    (void)state;
    tg_store *store = begun();
    assert_int_equal(offer(store, 1, 110, 5), TG__ADMITTED);
    assert_int_equal(offer(store, 7, 3, 2), TG__ADMITTED);
    assert_int_equal(offer(store, 7, 6, 1), TG__ADMITTED);      /* 4 and 5 are missing */
    assert_int_equal(offer(store, 1, 5, 5), TG__REFUSED_EPOCH); /* of the numbering before */
    assert_ledger(store, (tg_ledger){.lane_ticks = 16, .received = 4, .conflated = 5, .lost = 7});
    tg__store_restart(store, 9, 1);
    name_venue(store, 0, "XCME");
    define(store, 1, "A");
    tg__store_publish(store, S);
    assert_int_equal(offer(store, 1, 900, 0), TG__ADMITTED); /* another lineage */
    assert_int_equal(offer(store, 1, 901, 1), TG__ADMITTED);
    assert_ledger(store, (tg_ledger){.lane_ticks = 18, .received = 6, .conflated = 5, .lost = 7});
    tg__store_close(store);
}

static void values_that_come_again_in_another_scale_are_no_other_tick(void **state)
{
    (void)state;
    tg_store *store = begun();
    tg_instrument finer = instrument_of(1, 0, "A");
    finer.price_exponent = -4;
    assert_int_equal(tg__store_define_instrument(store, &finer), TG_OK);
    assert_int_equal(offer(store, 1, 100, 0), TG__ADMITTED);
    assert_ledger(store, (tg_ledger){.lane_ticks = 1, .received = 1});
    tg__store_close(store);
}

static void the_account_holds_at_the_ends_of_the_numbers(void **state)
{
    (void)state;
    tg_store *store = begun();
    assert_int_equal(offer(store, 1, UINT64_MAX, 2), TG__ADMITTED);
    assert_int_equal(offer(store, 1, UINT64_MAX - 2, UINT64_MAX), TG__REFUSED_REGRESSION);
    assert_ledger(store, (tg_ledger){.lane_ticks = UINT64_MAX - 99,
                                     .received = 2,
                                     .conflated = 1,
                                     .superseded = UINT64_MAX - 102});
    tg__store_close(store);
}

/* A row whose covered count is right only modulo 2^64 follows no tick: holes of before would lie
 * over those of after, and what comes into one would come into all. */
static void a_seq_that_goes_round_its_bits_is_a_break(void **state)
{
    (void)state;
    const uint64_t late = UINT64_MAX - 10;
    tg_store *store = begun();
    assert_int_equal(offer(store, 2, late, 1), TG__ADMITTED);
    for (uint32_t epoch = 3; epoch < 6; epoch++) {
        assert_int_equal(offer(store, epoch, 2, 13), TG__ADMITTED);
        assert_int_equal(offer(store, epoch, late, 1), TG__ADMITTED);
    }
    assert_int_equal(offer(store, 5, 500, 1), TG__REFUSED_REGRESSION);
    assert_ledger(store, (tg_ledger){.lane_ticks = 1 + (late - 100) + 3 * (13 + late - 2),
                                     .received = 8,
                                     .conflated = 3 * UINT64_C(12),
                                     .lost = (late - 101) + 3 * (late - 3) - 1,
                                     .superseded = 1});
    tg__store_close(store);
}

static void a_removed_instrument_takes_its_account_along_and_the_total_stays(void **state)
{
    (void)state;
    tg_store *store = begun();
    assert_int_equal(offer(store, 1, 105, 3), TG__ADMITTED);
    assert_int_equal(tg__store_remove(store, 1), TG_OK);
    tg__store_restart(store, 0, 1);
    define(store, 1, "B");
    tg__store_publish(store, S);
    assert_ledger(store, (tg_ledger){.lane_ticks = 0});
    assert_int_equal(counters_of(store).lane_ticks, 6);
    assert_int_equal(counters_of(store).lost, 2);
    tg_ledger unknown;
    tg_reader *reader = reader_of(store);
    assert_int_equal(tg_view_ledger(tg_reader_pin(reader), 2, &unknown), TG_ERR_NOT_FOUND);
    tg_reader_close(reader);
    tg__store_close(store);
}

/*
 * The other end: one lane, two gateways, each with a conflated and a priority channel of the
 * instrument. They count for themselves which ticks they made and which of them a row that arrived
 * stood for; the store's ledger must come to the same.
 */
enum {
    gateways = 2,
    channels = 2 * gateways, /* conflated ones first */
    ticks_max = 60000,
    late_max = 4
};

typedef struct sent_row {
    uint64_t seq;
    uint64_t covered;
    uint32_t epoch;
    uint64_t due; /* step at which it arrives; 0: none */
} sent_row;

typedef struct sender {
    seeded_random random;
    uint64_t step;
    uint64_t made; /* ticks of the lane: seqs 1 to made */
    uint32_t epoch_of[ticks_max + 1];
    uint8_t arrived[ticks_max + 1]; /* a row that stood for it did */
    uint64_t told[channels];        /* seq of the image that the channel last carried */
    sent_row late[late_max];        /* on their way */
    uint64_t first;                 /* the account's first tick; 0: none yet */
    uint64_t newest;                /* that arrived */
    uint64_t admitted;
    uint64_t dropped;
    uint64_t reordered;
} sender;

static void arrive(sender *by, tg_store *store, const sent_row *row)
{
    const uint64_t claimed = row->covered > 0 ? row->covered : 1;
    const tg__admission admission = offer(store, row->epoch, row->seq, row->covered);
    const bool newer = row->seq > by->newest;
    assert_int_equal(admission == TG__ADMITTED, newer);
    by->admitted += newer ? 1 : 0;
    by->first = by->first == 0 ? row->seq - claimed + 1 : by->first;
    by->newest = newer ? row->seq : by->newest;
    for (uint64_t seq = row->seq - claimed + 1; seq <= row->seq; seq++) {
        by->arrived[seq] = 1;
    }
}

/* A row of the channel is cut and sent; the link may lose, double or delay it. */
static void send_row(sender *by, tg_store *store, unsigned channel, bool orderly)
{
    sent_row row = {
        .seq = by->made, .covered = by->made - by->told[channel], .epoch = by->epoch_of[by->made]};
    by->told[channel] = by->made;
    if (row.covered == 0) {
        return;
    }
    if (by->first == 0 || random_below(&by->random, 40) == 0) {
        row.covered = 0; /* a snapshot */
    }
    const uint64_t fate = random_below(&by->random, orderly ? 100 : 10);
    if (fate == 0) {
        by->dropped++;
        return;
    }
    if (fate <= 2) {
        for (unsigned i = 0; i < late_max; i++) {
            if (by->late[i].due == 0) {
                row.due = by->step + 1 + random_below(&by->random, orderly ? 2 : 40);
                by->late[i] = row;
                by->reordered++;
                return;
            }
        }
    }
    arrive(by, store, &row);
    if (fate == 3) {
        arrive(by, store, &row);
    }
}

static void make_ticks(sender *by)
{
    const uint64_t count = 1 + random_below(&by->random, 3);
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t epoch = by->made == 0 ? 1 : by->epoch_of[by->made];
        by->made++;
        by->epoch_of[by->made] = epoch + (random_below(&by->random, 400) == 0 ? 1 : 0);
    }
}

static void run_sender(sender *by, tg_store *store, unsigned used, bool orderly)
{
    while (by->made + 4 < ticks_max) {
        by->step++;
        for (unsigned i = 0; i < late_max; i++) {
            if (by->late[i].due != 0 && by->late[i].due <= by->step) {
                arrive(by, store, &by->late[i]);
                by->late[i].due = 0;
            }
        }
        make_ticks(by);
        for (unsigned channel = 0; channel < used; channel++) {
            if (random_below(&by->random, 2) == 0) {
                send_row(by, store, channel, orderly);
            }
        }
    }
}

static uint64_t never_arrived(const sender *by)
{
    uint64_t count = 0;
    for (uint64_t seq = by->first; seq <= by->newest; seq++) {
        count += by->arrived[seq] == 0 ? 1 : 0;
    }
    return count;
}

static sender *sender_of(uint64_t seed)
{
    sender *by = calloc(1, sizeof *by);
    assert_non_null(by);
    by->random = random_start("store.ledger", seed);
    return by;
}

static tg_store *empty(void)
{
    tg_store *store = store_of(4, 2);
    define(store, 1, "A");
    tg__store_publish(store, S);
    return store;
}

static void assert_totals(tg_store *store)
{
    const tg_store_counters total = counters_of(store);
    const tg_ledger ledger = ledger_of(store);
    assert_int_equal(total.lane_ticks, ledger.lane_ticks);
    assert_int_equal(total.received, ledger.received);
    assert_int_equal(total.conflated, ledger.conflated);
    assert_int_equal(total.lost, ledger.lost);
    assert_int_equal(total.superseded, ledger.superseded);
    assert_int_equal(total.repeated, ledger.repeated);
}

static void the_ledger_comes_to_the_senders_own_counts(void **state)
{
    (void)state;
    for (unsigned used = 1; used <= channels; used++) {
        tg_store *store = empty();
        sender *by = sender_of(100 + used);
        run_sender(by, store, used, true);
        const tg_ledger ledger = ledger_of(store);
        assert_int_equal(ledger.lane_ticks, by->newest - by->first + 1);
        assert_int_equal(ledger.received, by->admitted);
        assert_int_equal(ledger.lost, never_arrived(by));
        assert_int_equal(sum_of(&ledger), ledger.lane_ticks);
        assert_totals(store);
        assert_true(by->dropped > 0 && by->reordered > 0 && ledger.superseded > 0);
        assert_true(used == 1 || ledger.repeated > 0);
        free(by);
        tg__store_close(store);
    }
}

static void more_holes_than_are_kept_only_overstate_the_loss(void **state)
{
    (void)state;
    tg_store *store = empty();
    sender *by = sender_of(7);
    run_sender(by, store, 1, false);
    const tg_ledger ledger = ledger_of(store);
    assert_int_equal(ledger.lane_ticks, by->newest - by->first + 1);
    assert_int_equal(ledger.received, by->admitted);
    assert_int_equal(sum_of(&ledger), ledger.lane_ticks);
    assert_true(ledger.lost > never_arrived(by));
    assert_totals(store);
    free(by);
    tg__store_close(store);
}

static void a_sender_whose_covered_counts_do_not_add_up_is_seen(void **state)
{
    (void)state;
    tg_store *store = begun();
    for (uint64_t seq = 102; seq <= 120; seq += 2) { /* nothing is dropped */
        assert_int_equal(offer(store, 1, seq, seq == 110 ? 1 : 2), TG__ADMITTED);
    }
    assert_ledger(store, (tg_ledger){.lane_ticks = 21, .received = 11, .conflated = 9, .lost = 1});
    assert_int_equal(offer(store, 1, 122, 3), TG__ADMITTED);
    assert_int_equal(ledger_of(store).repeated, 1); /* on the only channel there is */
    tg__store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_row_counts_for_itself),
        cmocka_unit_test(a_row_is_received_and_what_it_covers_besides_conflated),
        cmocka_unit_test(an_advance_over_what_is_covered_is_lost_until_an_older_row_comes),
        cmocka_unit_test(priority_rows_between_conflated_ones_are_counted_once),
        cmocka_unit_test(a_confirming_row_says_what_was_folded_into_it),
        cmocka_unit_test(the_seq_goes_on_over_a_raise_of_the_epoch),
        cmocka_unit_test(a_seq_that_begins_anew_is_a_break_and_loses_nothing),
        cmocka_unit_test(values_that_come_again_in_another_scale_are_no_other_tick),
        cmocka_unit_test(the_account_holds_at_the_ends_of_the_numbers),
        cmocka_unit_test(a_seq_that_goes_round_its_bits_is_a_break),
        cmocka_unit_test(a_removed_instrument_takes_its_account_along_and_the_total_stays),
        cmocka_unit_test(the_ledger_comes_to_the_senders_own_counts),
        cmocka_unit_test(more_holes_than_are_kept_only_overstate_the_loss),
        cmocka_unit_test(a_sender_whose_covered_counts_do_not_add_up_is_seen),
    };
    return cmocka_run_group_tests_name("store.ledger", tests, NULL, NULL);
}
