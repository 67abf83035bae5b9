#include "tg_cmocka.h"

#include "feed.h"

#define MS INT64_C(1000000)
#define A  0u
#define B  1u
#define V  5u /* a venue */

static tg__feed feed;

static void open_feed(unsigned handlers, int64_t skew_min_ns, int64_t skew_max_ns)
{
    assert_int_equal(tg__feed_init(&feed, handlers, skew_min_ns, skew_max_ns, 77), TG_OK);
}

static int tear_down(void **state)
{
    (void)state;
    tg__feed_deinit(&feed);
    tg__feed_deinit(&feed);
    return 0;
}

static tg__row row_of(int64_t ts_ns, uint64_t id, tg__row_kind kind)
{
    const tg__row row = {.ts_ns = ts_ns, .exchange_id = id, .has_id = true, .kind = kind};
    return row;
}

static unsigned receive(uint64_t id, int64_t mono_ns)
{
    const tg__row row = row_of((int64_t)id, id, TG__ROW_BID);
    return tg__feed_receive(&feed, V, &row, mono_ns);
}

static unsigned receive_without_id(int64_t ts_ns, int64_t mono_ns)
{
    const tg__row row = {.ts_ns = ts_ns, .kind = TG__ROW_BID};
    return tg__feed_receive(&feed, V, &row, mono_ns);
}

static unsigned take_all(int64_t mono_ns)
{
    tg__row row;
    unsigned count = 0;
    while (tg__feed_take(&feed, mono_ns, &row)) {
        count++;
    }
    return count;
}

static void one_handler_brings_everything_once_and_at_once(void **state)
{
    (void)state;
    tg__row row;
    open_feed(1, 0, 0);
    assert_int_equal(receive(1, 0), 1);
    assert_int_equal(receive_without_id(1, 0), 1);
    assert_false(tg__feed_take(&feed, INT64_MAX, &row));
    assert_true(tg__feed_next_mono_ns(&feed) == INT64_MAX);
}

static void the_second_handler_is_late_within_its_skew(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    unsigned back = 0;
    unsigned taken = 0;
    uint64_t last_id = 0;
    for (uint64_t id = 1; id <= 2000; id++) {
        const int64_t now = (int64_t)id * MS / 4;
        tg__row row = row_of(now, id, TG__ROW_BID);
        assert_int_equal(tg__feed_receive(&feed, V, &row, now), 1);
        while (tg__feed_take(&feed, now, &row)) {
            assert_in_range(now - row.ts_ns, 6 * MS, 9 * MS + MS / 4);
            back += row.exchange_id < last_id;
            last_id = row.exchange_id;
            taken++;
        }
    }
    assert_in_range(taken, 1960, 1980);
    assert_in_range(back, 300, 1500); /* out of order: the delay differs from tick to tick */
}

static void rows_of_one_tick_stay_together(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    tg__feed_handler(&feed, V, B)->reorder_ns = 50 * MS;
    for (uint64_t id = 1; id <= 100; id++) {
        const tg__row bid = row_of((int64_t)id, id, TG__ROW_BID);
        const tg__row ask = row_of((int64_t)id, id, TG__ROW_ASK);
        (void)tg__feed_receive(&feed, V, &bid, 0);
        (void)tg__feed_receive(&feed, V, &ask, 0);
    }
    tg__row first;
    tg__row second;
    while (tg__feed_next_mono_ns(&feed) != INT64_MAX) {
        const int64_t due = tg__feed_next_mono_ns(&feed);
        assert_true(tg__feed_take(&feed, due, &first));
        assert_true(tg__feed_take(&feed, due, &second));
        assert_int_equal(first.exchange_id, second.exchange_id);
        assert_int_equal(first.kind, TG__ROW_BID);
        assert_int_equal(second.kind, TG__ROW_ASK);
    }
}

static void a_full_feed_says_so(void **state)
{
    (void)state;
    open_feed(2, 1, 9 * MS);
    for (uint64_t id = 0; id < TG__FEED_DELAYED_MAX; id++) {
        assert_false(tg__feed_is_full(&feed));
        assert_int_equal(receive(id, 0), 1);
    }
    assert_true(tg__feed_is_full(&feed));
    int64_t last_due = 0;
    tg__row row;
    for (uint64_t i = 0; i < TG__FEED_DELAYED_MAX; i++) {
        assert_true(tg__feed_next_mono_ns(&feed) >= last_due);
        last_due = tg__feed_next_mono_ns(&feed);
        assert_true(tg__feed_take(&feed, INT64_MAX - 1, &row));
    }
    assert_false(tg__feed_take(&feed, INT64_MAX - 1, &row));
}

static void what_faults_hold_back_is_dropped_before_it_stops_the_source(void **state)
{
    (void)state;
    open_feed(2, 1, 9 * MS);
    tg__feed_freeze(&feed, V, B, true, 0);
    for (uint64_t id = 0; id < TG__FEED_HELD_MAX + 10; id++) {
        assert_int_equal(receive(id, 0), 1);
    }
    assert_false(tg__feed_is_full(&feed));
    assert_int_equal(feed.counts.dropped, 10);
    assert_false(tg__feed_recover(&feed, V)); /* A has brought them */
    tg__feed_freeze(&feed, V, B, false, 5);
    assert_int_equal(take_all(5), TG__FEED_HELD_MAX);
}

static void what_is_on_its_way_is_dropped_if_there_is_no_room_to_hold_it(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    const tg__row row = row_of(1, 1, TG__ROW_BID);
    tg__feed_freeze(&feed, V + 1, B, true, 0);
    for (uint64_t i = 0; i < TG__FEED_HELD_MAX - 3; i++) {
        (void)tg__feed_receive(&feed, V + 1, &row, 0);
    }
    for (uint64_t id = 1; id <= 10; id++) {
        (void)receive(id, 0);
    }
    tg__feed_freeze(&feed, V, B, true, 0);
    assert_int_equal(feed.held, TG__FEED_HELD_MAX);
    assert_int_equal(feed.count, TG__FEED_HELD_MAX);
    assert_int_equal(feed.counts.dropped, 7);
    assert_true(tg__feed_recover(&feed, V));
    assert_false(tg__feed_recover(&feed, V + 1));
    tg__feed_freeze(&feed, V, B, false, MS);
    assert_int_equal(take_all(MS), 3);
}

static void rows_that_no_handler_brings_are_missed(void **state)
{
    (void)state;
    open_feed(1, 1, 9 * MS);
    tg__feed_freeze(&feed, V, A, true, 0);
    for (uint64_t id = 0; id < TG__FEED_HELD_MAX; id++) {
        assert_int_equal(receive(id, 0), 0);
    }
    assert_false(tg__feed_recover(&feed, V));
    assert_int_equal(receive(TG__FEED_HELD_MAX, 0), 0);
    assert_true(tg__feed_recover(&feed, V));
    assert_false(tg__feed_recover(&feed, V));
}

static void a_killed_handler_takes_its_rows_with_it(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    assert_int_equal(receive(1, 0), 1);
    tg__feed_kill(&feed, V, B, MS);
    assert_int_equal(take_all(100 * MS), 0);
    assert_int_equal(receive(2, 2 * MS), 1);
    assert_int_equal(take_all(100 * MS), 0);
    tg__feed_restart(&feed, V, B, 3 * MS);
    assert_int_equal(receive(3, 4 * MS), 1);
    assert_int_equal(take_all(100 * MS), 1);
    assert_false(tg__feed_recover(&feed, V)); /* A has lived all the time */
    tg__feed_kill(&feed, V, A, 5 * MS);
    assert_int_equal(receive(4, 5 * MS), 0);
    assert_int_equal(take_all(100 * MS), 1);
    assert_false(tg__feed_recover(&feed, V));
}

static void both_dead_is_a_loss_of_continuity(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    tg__feed_kill(&feed, V, A, 0);
    assert_false(tg__feed_recover(&feed, V));
    tg__feed_kill(&feed, V, B, MS);
    assert_true(tg__feed_is_alive(&feed, V, MS));
    assert_true(tg__feed_is_alive(&feed, V, MS + TG__FEED_DETECT_NS - 1));
    assert_false(tg__feed_is_alive(&feed, V, MS + TG__FEED_DETECT_NS));
    assert_true(tg__feed_is_alive(&feed, V + 1, MS + TG__FEED_DETECT_NS));
    assert_false(tg__feed_is_bringing(&feed, V));
    tg__feed_restart(&feed, V, B, 500 * MS);
    assert_true(tg__feed_is_bringing(&feed, V));
    assert_true(tg__feed_is_alive(&feed, V, 500 * MS));
    assert_true(tg__feed_recover(&feed, V));
}

static void a_restart_alone_is_a_loss_of_continuity(void **state)
{
    (void)state;
    open_feed(1, 0, 0);
    tg__feed_restart(&feed, V, A, MS);
    assert_true(tg__feed_recover(&feed, V));
    assert_int_equal(receive(1, MS), 1);
    tg__feed_restart(&feed, V, B, MS); /* there is none */
    assert_int_equal(receive(2, MS), 1);
}

/* A is slow, B came up only a moment ago: what A still had to bring, B has never seen. */
static void a_twin_that_came_up_too_late_does_not_help(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    tg__feed_kill(&feed, V, B, 0);
    tg__feed_handler(&feed, V, A)->delay_ns = 50 * MS;
    assert_int_equal(receive(1, 10 * MS), 0);
    tg__feed_restart(&feed, V, B, 20 * MS);
    assert_false(tg__feed_recover(&feed, V));
    tg__feed_kill(&feed, V, A, 30 * MS);
    assert_true(tg__feed_recover(&feed, V));
}

static void a_delay_is_a_stream_that_falls_behind_and_catches_up(void **state)
{
    (void)state;
    open_feed(1, 0, 0);
    tg__row row;
    tg__feed_handler(&feed, V, A)->delay_ns = 40 * MS;
    assert_int_equal(receive(1, 10 * MS), 0);
    tg__feed_handler(&feed, V, A)->delay_ns = 0;
    assert_int_equal(receive(2, 20 * MS), 0); /* it does not overtake */
    assert_int_equal(tg__feed_next_mono_ns(&feed), 50 * MS);
    assert_true(tg__feed_take(&feed, 50 * MS, &row));
    assert_int_equal(row.exchange_id, 1);
    assert_true(tg__feed_take(&feed, 50 * MS, &row));
    assert_int_equal(row.exchange_id, 2);
    assert_int_equal(receive(3, 51 * MS), 1);
}

static void reordered_ticks_overtake_each_other_within_the_window(void **state)
{
    (void)state;
    open_feed(1, 0, 0);
    unsigned back = 0;
    uint64_t last_id = 0;
    tg__feed_handler(&feed, V, A)->reorder_ns = 10 * MS;
    for (uint64_t id = 1; id <= 1000; id++) {
        tg__row row = row_of((int64_t)id * MS, id, TG__ROW_BID);
        (void)tg__feed_receive(&feed, V, &row, row.ts_ns);
        const int64_t now = row.ts_ns;
        while (tg__feed_take(&feed, now, &row)) {
            assert_in_range(now - row.ts_ns, 0, 11 * MS);
            back += row.exchange_id < last_id;
            last_id = row.exchange_id;
        }
    }
    assert_in_range(back, 200, 800);
}

static void copies_come_together(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    tg__feed_handler(&feed, V, A)->copies = 2;
    tg__feed_handler(&feed, V, B)->copies = TG__FEED_COPIES_MAX;
    assert_int_equal(receive(1, 0), 3);
    assert_int_equal(take_all(9 * MS), 1 + TG__FEED_COPIES_MAX);
}

static void the_share_that_is_lost_is_the_share_that_was_asked_for(void **state)
{
    (void)state;
    open_feed(1, 0, 0);
    tg__feed_handler(&feed, V, A)->lose_ppm = 250000;
    unsigned brought = 0;
    for (uint64_t id = 1; id <= 10000; id++) {
        const unsigned bid = receive(id, 0);
        const tg__row ask = row_of((int64_t)id, id, TG__ROW_ASK);
        assert_int_equal(tg__feed_receive(&feed, V, &ask, 0), bid); /* a tick is lost whole */
        brought += bid;
    }
    assert_in_range(brought, 7300, 7700);
    assert_int_equal(feed.counts.lost, 2 * (10000 - brought));
    assert_false(tg__feed_recover(&feed, V)); /* nobody can know */
    tg__feed_handler(&feed, V, A)->lose_ppm = TG__FEED_PPM;
    assert_int_equal(receive(20000, 0), 0);
}

static void rows_without_an_id_have_one_active_handler(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    assert_int_equal(receive_without_id(1, 0), 1);
    assert_int_equal(feed.count, 1);
    assert_int_equal(feed.held, 0); /* the standby's ordinary business, not a fault's */
    assert_int_equal(take_all(INT64_MAX - 1), 0);
}

static void the_standby_takes_over_without_a_gap(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    int64_t now = 0;
    for (; now < 50 * MS; now += MS) {
        assert_int_equal(receive_without_id(now, now), 1);
    }
    tg__feed_kill(&feed, V, A, now);
    const int64_t killed_ns = now;
    for (; now < killed_ns + TG__FEED_DETECT_NS; now += MS) {
        assert_int_equal(receive_without_id(now, now), 0);
        assert_false(tg__feed_take_over(&feed, V, now));
        assert_int_equal(take_all(now), 0);
    }
    assert_true(tg__feed_take_over(&feed, V, now));
    assert_false(tg__feed_take_over(&feed, V, now));
    assert_false(tg__feed_recover(&feed, V));
    tg__row row;
    assert_true(tg__feed_take(&feed, now, &row));
    assert_true(row.ts_ns <= killed_ns); /* it overlaps with what A had shown */
    int64_t last_ts_ns = row.ts_ns;
    for (; now < killed_ns + 300 * MS; now += MS) {
        assert_int_equal(receive_without_id(now, now), 0);
        while (tg__feed_take(&feed, now, &row)) {
            assert_in_range(row.ts_ns - last_ts_ns, 0, MS); /* each one, in order */
            last_ts_ns = row.ts_ns;
        }
        assert_true(now - last_ts_ns <= 13 * MS);
    }
    tg__feed_restart(&feed, V, A, now); /* it is the standby now */
    assert_int_equal(receive_without_id(now, now), 0);
}

static void a_restart_tells_that_the_active_handler_was_gone(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    tg__feed_restart(&feed, V, A, 10 * MS);
    assert_true(tg__feed_take_over(&feed, V, 10 * MS));
    assert_false(tg__feed_recover(&feed, V));
    assert_int_equal(receive_without_id(1, 10 * MS), 0);
    assert_int_equal(take_all(19 * MS), 1);
}

static void a_standby_that_dies_with_what_it_held_is_missed(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    tg__feed_kill(&feed, V, A, 0);
    (void)receive_without_id(1, 1 * MS);
    tg__feed_kill(&feed, V, B, 2 * MS);
    assert_true(tg__feed_recover(&feed, V));
}

static void a_frozen_handler_brings_all_at_once_when_it_thaws(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    (void)receive(1, 0); /* B is on its way with it */
    tg__feed_freeze(&feed, V, A, true, MS);
    tg__feed_freeze(&feed, V, B, true, MS);
    tg__feed_freeze(&feed, V, B, true, 2 * MS);
    for (uint64_t id = 2; id <= 50; id++) {
        assert_int_equal(receive(id, (int64_t)id * MS), 0);
    }
    assert_int_equal(take_all(INT64_MAX - 1), 0);
    assert_true(tg__feed_is_alive(&feed, V, 100 * MS));
    assert_false(tg__feed_is_alive(&feed, V, 101 * MS));
    tg__feed_freeze(&feed, V, A, false, 200 * MS);
    assert_true(tg__feed_is_alive(&feed, V, 200 * MS));
    tg__row row;
    for (uint64_t id = 2; id <= 50; id++) {
        assert_true(tg__feed_take(&feed, 200 * MS, &row));
        assert_int_equal(row.exchange_id, id);
    }
    assert_false(tg__feed_take(&feed, 200 * MS, &row));
    tg__feed_freeze(&feed, V, B, false, 201 * MS);
    assert_int_equal(take_all(201 * MS), 50);
    assert_false(tg__feed_recover(&feed, V));
}

static void a_short_freeze_of_the_active_handler_changes_nothing(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    tg__feed_freeze(&feed, V, A, true, 0);
    assert_int_equal(receive_without_id(1, MS), 0);
    tg__feed_freeze(&feed, V, A, false, 50 * MS);
    assert_int_equal(take_all(50 * MS), 1);
    assert_false(tg__feed_take_over(&feed, V, 200 * MS));
    assert_int_equal(receive_without_id(200 * MS, 200 * MS), 1);
}

static void a_long_freeze_of_the_active_handler_makes_it_the_standby(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    tg__feed_freeze(&feed, V, A, true, 0);
    assert_int_equal(receive_without_id(1, MS), 0);
    assert_true(tg__feed_take_over(&feed, V, 100 * MS));
    assert_int_equal(take_all(100 * MS), 1); /* B's */
    tg__feed_freeze(&feed, V, A, false, 150 * MS);
    assert_int_equal(take_all(INT64_MAX - 1), 0);
}

static void a_new_session_drops_what_is_held(void **state)
{
    (void)state;
    open_feed(1, 0, 0);
    tg__feed_freeze(&feed, V, A, true, 0);
    (void)receive(1, 0);
    tg__feed_clear(&feed);
    tg__feed_freeze(&feed, V, A, false, MS);
    assert_int_equal(take_all(INT64_MAX - 1), 0);
    assert_int_equal(feed.counts.dropped, 1);
}

static void what_the_first_handler_usually_misses_comes_late_from_the_second(void **state)
{
    (void)state;
    open_feed(2, 6 * MS, 9 * MS);
    feed.late_ppm = 100000;
    unsigned at_once = 0;
    unsigned without_id = 0;
    for (uint64_t id = 1; id <= 2000; id++) {
        at_once += receive(id, 0);
        without_id += receive_without_id((int64_t)id, 0);
    }
    assert_in_range(at_once, 1740, 1860);
    assert_int_equal(without_id, 2000); /* the second is silent about those */
    assert_int_equal(take_all(9 * MS), 2000);
    assert_int_equal(feed.counts.lost, 2000 - at_once);
    assert_false(tg__feed_recover(&feed, V)); /* nothing was missed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_handler_brings_everything_once_and_at_once, tear_down),
        cmocka_unit_test_teardown(the_second_handler_is_late_within_its_skew, tear_down),
        cmocka_unit_test_teardown(rows_of_one_tick_stay_together, tear_down),
        cmocka_unit_test_teardown(a_full_feed_says_so, tear_down),
        cmocka_unit_test_teardown(what_faults_hold_back_is_dropped_before_it_stops_the_source,
                                  tear_down),
        cmocka_unit_test_teardown(what_is_on_its_way_is_dropped_if_there_is_no_room_to_hold_it,
                                  tear_down),
        cmocka_unit_test_teardown(rows_that_no_handler_brings_are_missed, tear_down),
        cmocka_unit_test_teardown(a_killed_handler_takes_its_rows_with_it, tear_down),
        cmocka_unit_test_teardown(both_dead_is_a_loss_of_continuity, tear_down),
        cmocka_unit_test_teardown(a_restart_alone_is_a_loss_of_continuity, tear_down),
        cmocka_unit_test_teardown(a_twin_that_came_up_too_late_does_not_help, tear_down),
        cmocka_unit_test_teardown(a_delay_is_a_stream_that_falls_behind_and_catches_up, tear_down),
        cmocka_unit_test_teardown(reordered_ticks_overtake_each_other_within_the_window, tear_down),
        cmocka_unit_test_teardown(copies_come_together, tear_down),
        cmocka_unit_test_teardown(the_share_that_is_lost_is_the_share_that_was_asked_for,
                                  tear_down),
        cmocka_unit_test_teardown(rows_without_an_id_have_one_active_handler, tear_down),
        cmocka_unit_test_teardown(the_standby_takes_over_without_a_gap, tear_down),
        cmocka_unit_test_teardown(a_restart_tells_that_the_active_handler_was_gone, tear_down),
        cmocka_unit_test_teardown(a_standby_that_dies_with_what_it_held_is_missed, tear_down),
        cmocka_unit_test_teardown(a_frozen_handler_brings_all_at_once_when_it_thaws, tear_down),
        cmocka_unit_test_teardown(a_short_freeze_of_the_active_handler_changes_nothing, tear_down),
        cmocka_unit_test_teardown(a_long_freeze_of_the_active_handler_makes_it_the_standby,
                                  tear_down),
        cmocka_unit_test_teardown(a_new_session_drops_what_is_held, tear_down),
        cmocka_unit_test_teardown(what_the_first_handler_usually_misses_comes_late_from_the_second,
                                  tear_down),
    };
    return cmocka_run_group_tests_name("gateway.feed", tests, NULL, NULL);
}
