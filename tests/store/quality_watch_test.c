#include "tg_cmocka.h"

#include "market_fixture.h"
#include "recorder/seeded_random.h"

enum {
    kept = 16
};

typedef struct watching {
    tg_store *store;
    uint64_t since;
} watching;

static watching watch_of(uint32_t instruments)
{
    const tg__store_options options = {
        .instruments_max = instruments, .readers_max = 2, .transitions_max = kept};
    watching at = {store_with(options), 0};
    name_venue(at.store, 0, "XCME");
    tg__store_set_link(at.store, TG__LINK_RESYNCING, S);
    return at;
}

/* The next transition must be this one. */
static void assert_told(watching *at, tg_instrument_id id, tg_quality from, tg_quality to,
                        tg_quality_cause cause)
{
    tg_transition next;
    assert_int_equal(tg_store_transitions(at->store, at->since, &next, 1), 1);
    assert_int_equal(next.number, at->since + 1);
    assert_int_equal(next.id, id);
    assert_string_equal(tg_quality_name(next.from), tg_quality_name(from));
    assert_string_equal(tg_quality_name(next.to), tg_quality_name(to));
    assert_int_equal(next.cause, cause);
    at->since = next.number;
}

static void assert_nothing_told(watching *at)
{
    tg_transition next;
    assert_int_equal(tg_store_transitions(at->store, at->since, &next, 1), 0);
}

static void tick(watching *at, tg_instrument_id id, uint64_t seq, int64_t now)
{
    assert_int_equal(admit_at(at->store, id, quote(1, seq, 100), now), TG__ADMITTED);
    tg__store_publish(at->store, now + 5);
}

/* One instrument with a cadence of 100 ms, live. */
static watching live(void)
{
    watching at = watch_of(4);
    tg_instrument entry = instrument_of(1, 0, "A");
    entry.cadence_ms = 100;
    assert_int_equal(tg__store_define_instrument(at.store, &entry), TG_OK);
    tg__store_set_link(at.store, TG__LINK_UP, S);
    tg__store_publish(at.store, S);
    assert_nothing_told(&at); /* new, and no value: it was UNKNOWN and is */
    tick(&at, 1, 1, S);
    assert_told(&at, 1, TG_QUALITY_UNKNOWN, TG_QUALITY_LIVE, TG_QUALITY_CAUSE_NONE);
    return at;
}

static void a_loss_of_the_link_and_each_proof_after_it_are_told(void **state)
{
    (void)state;
    watching at = live();
    tg__store_set_link(at.store, TG__LINK_GAP, S);
    tg__store_publish(at.store, S);
    assert_told(&at, 1, TG_QUALITY_LIVE, TG_QUALITY_GAP, TG_QUALITY_CAUSE_LINK);
    tg__store_set_link(at.store, TG__LINK_RESYNCING, S);
    tg__store_publish(at.store, S);
    assert_told(&at, 1, TG_QUALITY_GAP, TG_QUALITY_RESYNCING, TG_QUALITY_CAUSE_LINK);
    tg__store_set_link(at.store, TG__LINK_UP, S);
    tg__store_publish(at.store, S);
    assert_nothing_told(&at); /* recovery clears nothing */
    assert_int_equal(admit_at(at.store, 1, quote(1, 1, 100), S), TG__CONFIRMED);
    tg__store_publish(at.store, S);
    assert_told(&at, 1, TG_QUALITY_RESYNCING, TG_QUALITY_LIVE, TG_QUALITY_CAUSE_NONE);
    tg__store_set_link(at.store, TG__LINK_DOWN, S);
    tg__store_publish(at.store, S);
    assert_told(&at, 1, TG_QUALITY_LIVE, TG_QUALITY_DISCONNECTED, TG_QUALITY_CAUSE_LINK);
    assert_nothing_told(&at);
    tg__store_close(at.store);
}

static void the_cause_of_a_recovery_is_what_has_ended(void **state)
{
    (void)state;
    watching at = live();
    tg__store_set_venue_stale(at.store, 0, true);
    tg__store_publish(at.store, S);
    assert_told(&at, 1, TG_QUALITY_LIVE, TG_QUALITY_STALE, TG_QUALITY_CAUSE_VENUE);
    tick(&at, 1, 2, S);
    assert_nothing_told(&at); /* the venue still is */
    tg__store_set_venue_stale(at.store, 0, false);
    tick(&at, 1, 3, S);
    tg_transition last;
    assert_int_equal(tg_store_transitions(at.store, at.since, &last, 1), 1);
    assert_int_equal(last.to, TG_QUALITY_LIVE);
    assert_int_equal(last.cause_before, TG_QUALITY_CAUSE_VENUE);
    assert_int_equal(last.mono_ns, S + 5);
    tg__store_close(at.store);
}

static void a_halt_and_its_end_are_told_with_the_ticks_that_bring_them(void **state)
{
    (void)state;
    watching at = live();
    tg_image halted = quote(1, 2, 100);
    set_field(&halted, TG_FIELD_STATUS, TG_TRADING_HALTED);
    assert_int_equal(admit_at(at.store, 1, halted, S), TG__ADMITTED);
    tg__store_publish(at.store, S);
    assert_told(&at, 1, TG_QUALITY_LIVE, TG_QUALITY_HALTED, TG_QUALITY_CAUSE_STATUS);
    halted.seq = 3;
    assert_int_equal(admit_at(at.store, 1, halted, S), TG__ADMITTED);
    tg__store_publish(at.store, S);
    assert_nothing_told(&at);
    tick(&at, 1, 4, S);
    assert_told(&at, 1, TG_QUALITY_HALTED, TG_QUALITY_LIVE, TG_QUALITY_CAUSE_NONE);
    tg__store_close(at.store);
}

/* Ticks that simply go on are not looked at closely, until something is to be told again. */
static void ticks_in_a_row_do_not_hide_what_the_next_one_brings(void **state)
{
    (void)state;
    watching at = live();
    uint64_t seq = 1;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 3; i++) {
            tick(&at, 1, ++seq, S);
        }
        assert_nothing_told(&at);
        tg_image halted = quote(1, ++seq, 100);
        set_field(&halted, TG_FIELD_STATUS, TG_TRADING_HALTED);
        assert_int_equal(admit_at(at.store, 1, halted, S), TG__ADMITTED);
        tg__store_publish(at.store, S);
        assert_told(&at, 1, TG_QUALITY_LIVE, TG_QUALITY_HALTED, TG_QUALITY_CAUSE_STATUS);
        tick(&at, 1, ++seq, S);
        assert_told(&at, 1, TG_QUALITY_HALTED, TG_QUALITY_LIVE, TG_QUALITY_CAUSE_NONE);
        tick(&at, 1, ++seq, S);
        tg__store_set_venue_stale(at.store, 0, true);
        tg__store_publish(at.store, S);
        assert_told(&at, 1, TG_QUALITY_LIVE, TG_QUALITY_STALE, TG_QUALITY_CAUSE_VENUE);
        tg__store_set_venue_stale(at.store, 0, false);
        tg__store_publish(at.store, S);
        assert_nothing_told(&at);
        tick(&at, 1, ++seq, S);
        assert_told(&at, 1, TG_QUALITY_STALE, TG_QUALITY_LIVE, TG_QUALITY_CAUSE_NONE);
    }
    tg__store_close(at.store);
}

static void what_the_gateway_says_of_one_instrument_is_told(void **state)
{
    (void)state;
    watching at = live();
    tg__store_set_unfollowed(at.store, 1);
    tg__store_publish(at.store, S);
    assert_told(&at, 1, TG_QUALITY_LIVE, TG_QUALITY_STALE, TG_QUALITY_CAUSE_UNSUBSCRIBED);
    tg__store_set_not_entitled(at.store, 1, true);
    tg__store_publish(at.store, S);
    assert_told(&at, 1, TG_QUALITY_STALE, TG_QUALITY_NOT_ENTITLED, TG_QUALITY_CAUSE_ENTITLEMENT);
    tg_instrument finer = instrument_of(1, 0, "A");
    finer.price_exponent = -4;
    tg__store_set_not_entitled(at.store, 1, false);
    assert_int_equal(tg__store_define_instrument(at.store, &finer), TG_OK);
    tg__store_publish(at.store, S);
    assert_told(&at, 1, TG_QUALITY_NOT_ENTITLED, TG_QUALITY_UNKNOWN, TG_QUALITY_CAUSE_NO_VALUE);
    tg__store_close(at.store);
}

static void silence_is_told_by_a_sweep_and_its_end_by_the_tick(void **state)
{
    (void)state;
    watching at = live();
    tg__store_set_channel_timeout(at.store, 500 * MS);
    tg__store_sweep(at.store, S + 50 * MS);
    assert_nothing_told(&at);
    tg__store_sweep(at.store, S + 150 * MS);
    assert_told(&at, 1, TG_QUALITY_LIVE, TG_QUALITY_QUIET, TG_QUALITY_CAUSE_CADENCE);
    tg__store_sweep(at.store, S + 200 * MS);
    assert_nothing_told(&at);
    tg__store_sweep(at.store, S + 900 * MS);
    assert_told(&at, 1, TG_QUALITY_QUIET, TG_QUALITY_STALE, TG_QUALITY_CAUSE_SILENCE);
    tick(&at, 1, 2, S + 1000 * MS);
    assert_told(&at, 1, TG_QUALITY_STALE, TG_QUALITY_LIVE, TG_QUALITY_CAUSE_NONE);
    tg__store_close(at.store);
}

static void a_sweep_goes_on_where_the_last_one_ended(void **state)
{
    (void)state;
    enum {
        instruments = 20000
    };
    const tg__store_options options = {
        .instruments_max = instruments, .readers_max = 1, .transitions_max = 2 * instruments};
    tg_store *store = store_with(options);
    tg__store_set_link(store, TG__LINK_UP, S);
    char symbol[TG_SYMBOL_SIZE];
    for (unsigned i = 0; i < instruments; i++) {
        (void)snprintf(symbol, sizeof symbol, "S%u", i);
        tg_instrument entry = instrument_of((tg_instrument_id)i, 0, symbol);
        entry.cadence_ms = 100;
        assert_int_equal(tg__store_define_instrument(store, &entry), TG_OK);
        assert_int_equal(admit_at(store, (tg_instrument_id)i, quote(1, 1, 5), S), TG__ADMITTED);
    }
    tg__store_publish(store, S);
    assert_int_equal(counters_of(store).transitions, instruments);
    tg__store_sweep(store, 2 * S);
    assert_int_equal(counters_of(store).transitions, instruments + 8192);
    tg__store_sweep(store, 2 * S);
    tg__store_sweep(store, 2 * S);
    assert_int_equal(counters_of(store).transitions, 2 * instruments);
    tg__store_close(store);
}

static void the_oldest_are_overwritten_and_their_number_says_so(void **state)
{
    (void)state;
    watching at = live();
    for (int i = 0; i < 20; i++) {
        tg__store_set_link(at.store, i % 2 == 0 ? TG__LINK_DOWN : TG__LINK_RESYNCING, S);
        tg__store_publish(at.store, S);
    }
    tg_transition told[kept + 4];
    assert_int_equal(tg_store_transitions(at.store, 0, told, kept + 4), kept);
    assert_int_equal(told[0].number, 21 - kept + 1);
    assert_int_equal(told[kept - 1].number, 21);
    assert_int_equal(tg_store_transitions(at.store, 0, told, 3), 3); /* the oldest that there are */
    assert_int_equal(told[2].number, 21 - kept + 3);
    assert_int_equal(counters_of(at.store).transitions, 21);
    tg__store_close(at.store);
}

static void a_store_without_a_log_tells_nothing(void **state)
{
    (void)state;
    tg_store *store = store_of(4, 1);
    define(store, 1, "A");
    tg__store_set_link(store, TG__LINK_UP, S);
    tg_image halted = quote(1, 1, 100);
    set_field(&halted, TG_FIELD_STATUS, TG_TRADING_HALTED);
    assert_int_equal(admit_at(store, 1, halted, S), TG__ADMITTED);
    tg__store_publish(store, S);
    tg__store_sweep(store, S);
    tg_transition told;
    assert_int_equal(tg_store_transitions(store, 0, &told, 1), 0);
    tg__store_close(store);
}

/*
 * Whatever happens in whatever order: after a publication and a sweep, what was told last of each
 * instrument is what a reader sees of it at that time.
 */
static void what_was_told_is_what_readers_see(void **state)
{
    (void)state;
    enum {
        instruments = 6,
        rounds = 20000
    };
    seeded_random random = random_start("store.quality_watch", 4);
    const tg__store_options options = {
        .instruments_max = instruments * 3, .readers_max = 1, .transitions_max = 1000};
    tg_store *store = store_with(options);
    tg_reader *reader = reader_of(store);
    tg_quality told_last[instruments];
    uint64_t seq = 0;
    uint64_t since = 0;
    int64_t now = S;
    for (unsigned i = 0; i < instruments; i++) {
        told_last[i] = TG_QUALITY_UNKNOWN;
    }
    tg__store_set_channel_timeout(store, 70 * MS);
    for (unsigned round = 0; round < rounds; round++) {
        const tg_instrument_id id = (tg_instrument_id)random_below(&random, instruments);
        const bool on = random_below(&random, 2) == 0;
        now += (int64_t)random_below(&random, 10) * MS;
        tg_instrument entry = instrument_of(id, (tg_venue_id)(id % 2), "S");
        entry.symbol[1] = (char)('0' + id);
        entry.cadence_ms = 30;
        entry.delayed = id == 2 || (id == 3 && on);
        switch (random_below(&random, 12)) {
        case 0:
            tg__store_set_link(store, (tg__link_state)random_below(&random, 4), now);
            break;
        case 1:
            tg__store_set_venue_stale(store, (tg_venue_id)(id % 2), on);
            break;
        case 2:
            tg__store_set_not_entitled(store, id, on && id == 1);
            break;
        case 3:
            tg__store_set_unfollowed(store, id);
            break;
        case 4:
            entry.price_exponent = (int8_t)(on ? -2 : -3);
            assert_int_equal(tg__store_define_instrument(store, &entry), TG_OK);
            break;
        case 5:
            tg__store_channel_alive(store, now);
            break;
        default: {
            tg_image image = quote(1, ++seq, 100);
            if (random_below(&random, 5) == 0) {
                set_field(&image, TG_FIELD_STATUS, TG_TRADING_HALTED);
            }
            (void)admit_at(store, id, image, now);
        }
        }
        if (on) {
            continue;
        }
        tg__store_publish(store, now);
        tg__store_sweep(store, now);
        tg_transition told[64];
        for (size_t count; (count = tg_store_transitions(store, since, told, 64)) > 0;) {
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(told[i].number, ++since);
                assert_int_equal(told[i].from, told_last[told[i].id]);
                assert_true(told[i].to != told[i].from);
                told_last[told[i].id] = told[i].to;
            }
        }
        const tg_view *view = tg_reader_pin(reader);
        for (unsigned i = 0; i < instruments; i++) {
            tg_row row;
            if (tg_view_row(view, (tg_instrument_id)i, now, &row) == TG_OK) {
                assert_int_equal(row.quality, told_last[i]);
            }
        }
    }
    assert_true(since > 1000);
    tg_reader_close(reader);
    tg__store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loss_of_the_link_and_each_proof_after_it_are_told),
        cmocka_unit_test(the_cause_of_a_recovery_is_what_has_ended),
        cmocka_unit_test(a_halt_and_its_end_are_told_with_the_ticks_that_bring_them),
        cmocka_unit_test(ticks_in_a_row_do_not_hide_what_the_next_one_brings),
        cmocka_unit_test(what_the_gateway_says_of_one_instrument_is_told),
        cmocka_unit_test(silence_is_told_by_a_sweep_and_its_end_by_the_tick),
        cmocka_unit_test(a_sweep_goes_on_where_the_last_one_ended),
        cmocka_unit_test(the_oldest_are_overwritten_and_their_number_says_so),
        cmocka_unit_test(a_store_without_a_log_tells_nothing),
        cmocka_unit_test(what_was_told_is_what_readers_see),
    };
    return cmocka_run_group_tests_name("store.quality_watch", tests, NULL, NULL);
}
