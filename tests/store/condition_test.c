#include "tg_cmocka.h"

#include "market_fixture.h"

typedef struct fixture {
    tg_store *store;
    tg_reader *reader;
} fixture;

static int open_fixture(void **state)
{
    static fixture at;
    at.store = store_of(4, 1);
    at.reader = reader_of(at.store);
    define(at.store, 1, "A");
    define(at.store, 2, "B");
    tg__store_set_link(at.store, TG__LINK_UP, S);
    assert_int_equal(admit_at(at.store, 1, quote(1, 1, 100), S), TG__ADMITTED);
    assert_int_equal(admit_at(at.store, 2, quote(1, 1, 200), S), TG__ADMITTED);
    *state = &at;
    return 0;
}

static int close_fixture(void **state)
{
    fixture *at = *state;
    tg_reader_close(at->reader);
    tg__store_close(at->store);
    return 0;
}

static tg_quality quality_of(fixture *at, tg_instrument_id id, int64_t now_mono_ns)
{
    tg__store_publish(at->store, now_mono_ns);
    return row_at(tg_reader_pin(at->reader), id, now_mono_ns).quality;
}

static void conditions_of_what_does_not_exist_change_nothing(void **state)
{
    fixture *at = *state;
    tg__store_set_not_entitled(at->store, 3, true);
    tg__store_set_venue_stale(at->store, TG_VENUE_MAX, true);
    assert_int_equal(quality_of(at, 1, S), TG_QUALITY_LIVE);
}

static void a_gap_lasts_until_each_row_proves_itself(void **state)
{
    fixture *at = *state;
    tg__store_set_link(at->store, TG__LINK_GAP, 2 * S);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_GAP);
    tg__store_set_link(at->store, TG__LINK_RESYNCING, 2 * S);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_RESYNCING);
    assert_int_equal(admit_at(at->store, 1, quote(1, 1, 100), 2 * S), TG__CONFIRMED);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_LIVE);
    tg__store_set_link(at->store, TG__LINK_UP, 2 * S);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_LIVE);
    assert_int_equal(quality_of(at, 2, 2 * S), TG_QUALITY_RESYNCING); /* nobody spoke for it */
    assert_int_equal(admit_at(at->store, 2, quote(1, 0, 1), 2 * S), TG__REFUSED_REGRESSION);
    assert_int_equal(quality_of(at, 2, 2 * S), TG_QUALITY_RESYNCING); /* a refusal proves nothing */
    assert_int_equal(admit_at(at->store, 2, quote(1, 2, 201), 2 * S), TG__ADMITTED);
    assert_int_equal(quality_of(at, 2, 2 * S), TG_QUALITY_LIVE);
}

static void a_row_proved_between_gap_and_resync_stays_proved(void **state)
{
    fixture *at = *state;
    tg__store_set_link(at->store, TG__LINK_GAP, 2 * S);
    assert_int_equal(admit_at(at->store, 1, quote(1, 2, 101), 2 * S), TG__ADMITTED);
    tg__store_set_link(at->store, TG__LINK_RESYNCING, 2 * S);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_LIVE);
    assert_int_equal(quality_of(at, 2, 2 * S), TG_QUALITY_RESYNCING);
    tg__store_set_link(at->store, TG__LINK_GAP, 3 * S); /* and another hole */
    assert_int_equal(quality_of(at, 1, 3 * S), TG_QUALITY_GAP);
}

static void a_resync_out_of_the_blue_doubts_every_row(void **state)
{
    fixture *at = *state;
    tg__store_set_link(at->store, TG__LINK_RESYNCING, 2 * S);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_RESYNCING);
}

static void a_reconnect_does_not_make_old_prices_live(void **state)
{
    fixture *at = *state;
    tg__store_set_link(at->store, TG__LINK_DOWN, 2 * S);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_DISCONNECTED);
    assert_int_equal(admit_at(at->store, 2, quote(1, 1, 200), 2 * S), TG__CONFIRMED);
    assert_int_equal(quality_of(at, 2, 2 * S), TG_QUALITY_DISCONNECTED);
    tg__store_set_link(at->store, TG__LINK_UP, 3 * S);
    assert_int_equal(quality_of(at, 1, 3 * S), TG_QUALITY_STALE);
    assert_int_equal(admit_at(at->store, 1, quote(1, 1, 100), 3 * S), TG__CONFIRMED);
    assert_int_equal(quality_of(at, 1, 3 * S), TG_QUALITY_LIVE);
}

static void a_silent_channel_makes_rows_stale_and_a_heartbeat_proves_them(void **state)
{
    fixture *at = *state;
    tg__store_set_channel_timeout(at->store, 2 * S);
    tg__store_channel_alive(at->store, 5 * S);
    assert_int_equal(quality_of(at, 1, 7 * S), TG_QUALITY_LIVE);
    assert_int_equal(quality_of(at, 1, 7 * S + 1), TG_QUALITY_STALE);
    tg__store_channel_alive(at->store, 8 * S); /* an unbroken chain of frames: nothing was lost */
    assert_int_equal(quality_of(at, 1, 8 * S), TG_QUALITY_LIVE);
    tg__store_set_channel_timeout(at->store, 0);
    assert_int_equal(quality_of(at, 1, 9000 * S), TG_QUALITY_LIVE);
}

static void lateness_makes_every_row_stale_and_its_end_gives_back_what_each_was(void **state)
{
    fixture *at = *state;
    const tg_book book = {.bid_count = 1, .bid[0].price = 99};
    const tg__arrival arrival = {S, S, 0};
    tg__admission admission = TG__REFUSED_UNKNOWN;
    assert_int_equal(
        tg__store_admit_book(at->store, 1, (tg_version){1, 1}, &book, &arrival, &admission), TG_OK);
    tg__store_set_late(at->store, true);
    assert_int_equal(quality_of(at, 1, S), TG_QUALITY_STALE);
    const tg_view *view = tg_reader_pin(at->reader);
    assert_int_equal(row_at(view, 1, S).cause, TG_QUALITY_CAUSE_LATENESS);
    tg_depth depth;
    assert_int_equal(tg_view_depth(view, 1, S, &depth), TG_OK);
    assert_int_equal(depth.quality, TG_QUALITY_STALE);
    assert_int_equal(admit_at(at->store, 1, quote(1, 2, 101), 2 * S), TG__ADMITTED);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_STALE); /* a late row proves nothing */
    tg__store_set_late(at->store, false);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_LIVE);
    assert_int_equal(quality_of(at, 2, 2 * S),
                     TG_QUALITY_LIVE); /* without a word: nothing was lost */
    assert_int_equal(tg_view_depth(tg_reader_pin(at->reader), 1, 2 * S, &depth), TG_OK);
    assert_int_equal(depth.quality, TG_QUALITY_LIVE);
}

static void a_gap_while_frames_are_late_outlives_the_lateness(void **state)
{
    fixture *at = *state;
    tg__store_set_late(at->store, true);
    tg__store_set_link(at->store, TG__LINK_GAP, 2 * S);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_STALE);
    tg__store_set_late(at->store, false);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_GAP);
    tg__store_set_late(at->store, true);
    tg__store_set_link(at->store, TG__LINK_DOWN, 2 * S);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_DISCONNECTED);
}

static void a_stale_venue_takes_only_its_own_rows_and_its_return_clears_nothing(void **state)
{
    fixture *at = *state;
    const tg_instrument other = instrument_of(3, 9, "C");
    assert_int_equal(tg__store_define_instrument(at->store, &other), TG_OK);
    assert_int_equal(admit_at(at->store, 3, quote(1, 1, 100), S), TG__ADMITTED);
    tg__store_set_venue_stale(at->store, 9, true);
    assert_int_equal(quality_of(at, 1, S), TG_QUALITY_LIVE);
    assert_int_equal(quality_of(at, 3, S), TG_QUALITY_STALE);
    assert_int_equal(admit_at(at->store, 3, quote(1, 2, 101), S), TG__ADMITTED);
    assert_int_equal(quality_of(at, 3, S), TG_QUALITY_STALE);
    tg__store_set_venue_stale(at->store, 9, false);
    assert_int_equal(quality_of(at, 3, S), TG_QUALITY_STALE);
    assert_int_equal(admit_at(at->store, 3, quote(1, 2, 101), S), TG__CONFIRMED);
    assert_int_equal(quality_of(at, 3, S), TG_QUALITY_LIVE);
}

static void entitlement_halts_and_delays_show(void **state)
{
    fixture *at = *state;
    tg__store_set_not_entitled(at->store, 1, true);
    assert_int_equal(quality_of(at, 1, S), TG_QUALITY_NOT_ENTITLED);
    assert_int_equal(quality_of(at, 2, S), TG_QUALITY_LIVE);
    tg__store_set_not_entitled(at->store, 1, false);
    assert_int_equal(quality_of(at, 1, S), TG_QUALITY_LIVE);
    tg_image halted = quote(1, 2, 100);
    set_field(&halted, TG_FIELD_STATUS, TG_TRADING_HALTED);
    assert_int_equal(admit_at(at->store, 1, halted, S), TG__ADMITTED);
    assert_int_equal(quality_of(at, 1, S), TG_QUALITY_HALTED);
    tg_instrument delayed = instrument_of(2, 0, "B");
    delayed.delayed = true;
    delayed.cadence_ms = 500;
    assert_int_equal(tg__store_define_instrument(at->store, &delayed), TG_OK);
    assert_int_equal(quality_of(at, 2, S), TG_QUALITY_DELAYED);
    delayed.delayed = false;
    assert_int_equal(tg__store_define_instrument(at->store, &delayed), TG_OK);
    assert_int_equal(quality_of(at, 2, S + 500 * MS + 1), TG_QUALITY_QUIET);
}

static void a_row_that_nobody_follows_is_stale_until_it_comes_again(void **state)
{
    fixture *at = *state;
    tg__store_set_unfollowed(at->store, 1);
    tg__store_set_unfollowed(at->store, 3); /* unknown: changes nothing */
    tg__store_channel_alive(at->store, 2 * S);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_STALE);
    assert_int_equal(quality_of(at, 2, 2 * S), TG_QUALITY_LIVE);
    assert_int_equal(admit_at(at->store, 1, quote(1, 0, 1), 2 * S), TG__REFUSED_REGRESSION);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_STALE);
    assert_int_equal(admit_at(at->store, 1, quote(1, 1, 100), 2 * S), TG__CONFIRMED);
    assert_int_equal(quality_of(at, 1, 2 * S), TG_QUALITY_LIVE);
}

static void a_pinned_view_grows_old_by_itself(void **state)
{
    fixture *at = *state;
    tg__store_set_channel_timeout(at->store, 2 * S);
    tg__store_channel_alive(at->store, S);
    tg__store_publish(at->store, S);
    const tg_view *view = tg_reader_pin(at->reader);
    tg__store_channel_alive(at->store, 90 * S); /* the store goes on without this view */
    tg__store_publish(at->store, 90 * S);
    assert_int_equal(row_at(view, 1, 2 * S).quality, TG_QUALITY_LIVE);
    assert_int_equal(row_at(view, 1, 4 * S).quality, TG_QUALITY_STALE);
    assert_int_equal(row_at(view, 1, 4 * S).age_ns, 3 * S);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORE(conditions_of_what_does_not_exist_change_nothing),
        WITH_STORE(a_gap_lasts_until_each_row_proves_itself),
        WITH_STORE(a_row_proved_between_gap_and_resync_stays_proved),
        WITH_STORE(a_resync_out_of_the_blue_doubts_every_row),
        WITH_STORE(a_reconnect_does_not_make_old_prices_live),
        WITH_STORE(a_silent_channel_makes_rows_stale_and_a_heartbeat_proves_them),
        WITH_STORE(lateness_makes_every_row_stale_and_its_end_gives_back_what_each_was),
        WITH_STORE(a_gap_while_frames_are_late_outlives_the_lateness),
        WITH_STORE(a_stale_venue_takes_only_its_own_rows_and_its_return_clears_nothing),
        WITH_STORE(entitlement_halts_and_delays_show),
        WITH_STORE(a_row_that_nobody_follows_is_stale_until_it_comes_again),
        WITH_STORE(a_pinned_view_grows_old_by_itself),
    };
    return cmocka_run_group_tests_name("store.condition", tests, NULL, NULL);
}
