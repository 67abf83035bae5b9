#include "tg_cmocka.h"

#include "feed.h"
#include "prng.h"

#define MS INT64_C(1000000)

static tg__row row_of(int64_t ts_ns, uint64_t id, tg__row_kind kind)
{
    const tg__row row = {.ts_ns = ts_ns, .exchange_id = id, .has_id = true, .kind = kind};
    return row;
}

static void one_handler_brings_nothing_twice(void **state)
{
    (void)state;
    tg__feed feed;
    assert_int_equal(tg__feed_init(&feed, 1, 0, 0, 1), TG_OK);
    tg__row row = row_of(1, 1, TG__ROW_BID);
    tg__feed_delay(&feed, &row, 0);
    assert_false(tg__feed_take(&feed, INT64_MAX, &row));
    assert_true(tg__feed_next_mono_ns(&feed) == INT64_MAX);
    tg__feed_deinit(&feed);
}

static void the_second_handler_is_late_within_its_skew(void **state)
{
    (void)state;
    tg__feed feed;
    assert_int_equal(tg__feed_init(&feed, 2, 6 * MS, 9 * MS, 77), TG_OK);
    unsigned back = 0;
    unsigned taken = 0;
    uint64_t last_id = 0;
    for (uint64_t id = 1; id <= 2000; id++) {
        const int64_t now = (int64_t)id * MS / 4;
        tg__row row = row_of(now, id, TG__ROW_BID);
        tg__feed_delay(&feed, &row, now);
        while (tg__feed_take(&feed, now, &row)) {
            assert_in_range(now - row.ts_ns, 6 * MS, 9 * MS + MS / 4);
            back += row.exchange_id < last_id;
            last_id = row.exchange_id;
            taken++;
        }
    }
    assert_in_range(taken, 1960, 1980);
    assert_in_range(back, 300, 1500); /* out of order: the delay differs from tick to tick */
    tg__feed_deinit(&feed);
}

static void rows_of_one_tick_stay_together(void **state)
{
    (void)state;
    tg__feed feed;
    assert_int_equal(tg__feed_init(&feed, 2, 6 * MS, 9 * MS, 5), TG_OK);
    for (uint64_t id = 1; id <= 100; id++) {
        const tg__row bid = row_of((int64_t)id, id, TG__ROW_BID);
        const tg__row ask = row_of((int64_t)id, id, TG__ROW_ASK);
        tg__feed_delay(&feed, &bid, 0);
        tg__feed_delay(&feed, &ask, 0);
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
    tg__feed_deinit(&feed);
}

static void rows_without_an_id_have_one_active_handler(void **state)
{
    (void)state;
    tg__feed feed;
    assert_int_equal(tg__feed_init(&feed, 2, 0, 0, 5), TG_OK);
    tg__row row = row_of(1, 0, TG__ROW_BID);
    row.has_id = false;
    tg__feed_delay(&feed, &row, 0);
    assert_false(tg__feed_take(&feed, INT64_MAX, &row));
    tg__feed_deinit(&feed);
}

static void a_full_handler_says_so(void **state)
{
    (void)state;
    tg__feed feed;
    assert_int_equal(tg__feed_init(&feed, 2, 0, 9 * MS, 5), TG_OK);
    for (uint64_t id = 0; id < TG__FEED_DELAYED_MAX; id++) {
        assert_false(tg__feed_is_full(&feed));
        const tg__row row = row_of((int64_t)id, id, TG__ROW_BID);
        tg__feed_delay(&feed, &row, 0);
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
    tg__feed_deinit(&feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_handler_brings_nothing_twice),
        cmocka_unit_test(the_second_handler_is_late_within_its_skew),
        cmocka_unit_test(rows_of_one_tick_stay_together),
        cmocka_unit_test(rows_without_an_id_have_one_active_handler),
        cmocka_unit_test(a_full_handler_says_so),
    };
    return cmocka_run_group_tests_name("gateway.feed", tests, NULL, NULL);
}
