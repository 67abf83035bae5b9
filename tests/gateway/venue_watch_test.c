#include "tg_cmocka.h"

#include "venue_watch.h"

static void expect(tg__venue_watch *watch, tg_venue_id venue, tg__venue_condition condition)
{
    tg__venue_news news = {0};
    assert_true(tg__venue_watch_next(watch, &news));
    assert_int_equal(news.venue, venue);
    assert_int_equal(news.condition, condition);
}

static void expect_nothing(tg__venue_watch *watch)
{
    tg__venue_news news = {0};
    assert_false(tg__venue_watch_next(watch, &news));
}

static void a_venue_is_stale_as_long_as_any_reason_holds(void **state)
{
    (void)state;
    tg__venue_watch watch = {.changed = false};
    expect_nothing(&watch);
    tg__venue_watch_set(&watch, 3, TG__STALE_NO_FEED, true);
    expect(&watch, 3, TG__VENUE_STALE);
    expect_nothing(&watch);
    tg__venue_watch_set(&watch, 3, TG__STALE_LANE_LATE, true);
    tg__venue_watch_set(&watch, 3, TG__STALE_NO_FEED, false);
    expect_nothing(&watch);
    tg__venue_watch_set(&watch, 3, TG__STALE_LANE_LATE, false);
    expect(&watch, 3, TG__VENUE_LIVE);
    expect_nothing(&watch);
    assert_int_equal(watch.times_stale[3], 1);
}

static void what_stays_as_it_was_is_not_told_again(void **state)
{
    (void)state;
    tg__venue_watch watch = {.changed = false};
    for (unsigned i = 0; i < 3; i++) {
        tg__venue_watch_set(&watch, 254, TG__STALE_SEQUENCER_AWAY, false);
        expect_nothing(&watch);
    }
    tg__venue_watch_set(&watch, 254, TG__STALE_SEQUENCER_AWAY, true);
    expect(&watch, 254, TG__VENUE_STALE);
    tg__venue_watch_set(&watch, 254, TG__STALE_SEQUENCER_AWAY, true);
    expect_nothing(&watch);
}

static void a_moment_between_two_boundaries_is_told_too(void **state)
{
    (void)state;
    tg__venue_watch watch = {.changed = false};
    tg__venue_watch_set(&watch, 0, TG__STALE_NO_FEED, true);
    tg__venue_watch_set(&watch, 0, TG__STALE_NO_FEED, false);
    expect(&watch, 0, TG__VENUE_STALE);
    expect(&watch, 0, TG__VENUE_LIVE);
    expect_nothing(&watch);
    assert_int_equal(watch.reasons[0], 0);
}

static void venues_do_not_touch_each_other(void **state)
{
    (void)state;
    tg__venue_watch watch = {.changed = false};
    tg__venue_watch_set(&watch, 1, TG__STALE_NO_FEED, true);
    tg__venue_watch_set(&watch, 2, TG__STALE_NO_FEED, true);
    expect(&watch, 1, TG__VENUE_STALE);
    expect(&watch, 2, TG__VENUE_STALE);
    tg__venue_watch_set(&watch, 2, TG__STALE_NO_FEED, false);
    expect(&watch, 2, TG__VENUE_LIVE);
    expect_nothing(&watch);
    assert_true(watch.told_stale[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_venue_is_stale_as_long_as_any_reason_holds),
        cmocka_unit_test(what_stays_as_it_was_is_not_told_again),
        cmocka_unit_test(a_moment_between_two_boundaries_is_told_too),
        cmocka_unit_test(venues_do_not_touch_each_other),
    };
    return cmocka_run_group_tests_name("gateway.venue_watch", tests, NULL, NULL);
}
