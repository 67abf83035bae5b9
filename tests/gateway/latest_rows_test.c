#include "tg_cmocka.h"

#include "latest_rows.h"

static tg__latest_rows latest;

static void add(tg_instrument_id id, tg__row_kind kind, int64_t ts_ns, int64_t price)
{
    const tg__row row = {.ts_ns = ts_ns, .price = price, .kind = kind, .instrument = id};
    tg__latest_rows_add(&latest, &row);
}

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(tg__latest_rows_init(&latest, 2), TG_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tg__latest_rows_deinit(&latest);
    tg__latest_rows_deinit(&latest);
    return 0;
}

static void the_newest_row_of_each_kind_is_kept(void **state)
{
    (void)state;
    tg__row rows[TG__ROW_KINDS];
    add(0, TG__ROW_BID, 10, 1);
    add(0, TG__ROW_BID, 11, 2);
    add(1, TG__ROW_ASK, 12, 3);
    assert_int_equal(tg__latest_rows_get(&latest, 0, rows), 1);
    assert_int_equal(rows[0].price, 2);
    assert_int_equal(tg__latest_rows_get(&latest, 1, rows), 1);
    assert_int_equal(rows[0].price, 3);
}

static void they_come_in_order_of_their_times(void **state)
{
    (void)state;
    static const int64_t times[6][TG__ROW_KINDS] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                                    {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
    for (unsigned i = 0; i < 6; i++) {
        tg__row rows[TG__ROW_KINDS];
        for (unsigned kind = 0; kind < TG__ROW_KINDS; kind++) {
            add(1, (tg__row_kind)kind, times[i][kind], 0);
        }
        assert_int_equal(tg__latest_rows_get(&latest, 1, rows), TG__ROW_KINDS);
        for (unsigned at = 0; at < TG__ROW_KINDS; at++) {
            assert_int_equal(rows[at].ts_ns, at + 1);
        }
    }
}

static void bid_and_ask_of_one_time_stay_beside_each_other(void **state)
{
    (void)state;
    tg__row rows[TG__ROW_KINDS];
    add(0, TG__ROW_TRADE, 5, 0);
    add(0, TG__ROW_ASK, 7, 0);
    add(0, TG__ROW_BID, 7, 0);
    assert_int_equal(tg__latest_rows_get(&latest, 0, rows), 3);
    assert_int_equal(rows[0].kind, TG__ROW_TRADE);
    assert_int_equal(rows[1].kind, TG__ROW_BID);
    assert_int_equal(rows[2].kind, TG__ROW_ASK);
}

static void a_venue_that_begins_anew_knows_nothing(void **state)
{
    (void)state;
    tg__row rows[TG__ROW_KINDS];
    add(0, TG__ROW_BID, 10, 1);
    tg__latest_rows_clear(&latest);
    assert_int_equal(tg__latest_rows_get(&latest, 0, rows), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_newest_row_of_each_kind_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(they_come_in_order_of_their_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bid_and_ask_of_one_time_stay_beside_each_other, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_venue_that_begins_anew_knows_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("gateway.latest_rows", tests, NULL, NULL);
}
