#include "ladder_axis.h"

#include "tg_cmocka.h"

/* Steps of 5 up to 100, of 10 from there on. */
static tg_instrument banded(void)
{
    tg_instrument instrument = {.price_exponent = -2, .band_count = 2};
    instrument.band[0] = (tg_tick_band){INT64_MIN, 5};
    instrument.band[1] = (tg_tick_band){100, 10};
    return instrument;
}

static void rows_stand_at_the_tick_size_of_their_band(void **state)
{
    (void)state;
    const tg_instrument instrument = banded();
    ladder_axis axis = {0};
    ladder_axis_centre(&axis, &instrument, 100);
    ladder_axis_fit(&axis, &instrument, 5);
    static const int64_t expected[] = {120, 110, 100, 95, 90};
    assert_int_equal(axis.row_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_true(axis.present[i]);
        assert_int_equal(axis.price[i], expected[i]);
    }
    ladder_axis_fit(&axis, &instrument, 2);
    assert_int_equal(axis.price[0], 110);
    assert_int_equal(axis.price[1], 100);
    ladder_axis_fit(&axis, &instrument, 0);
    assert_int_equal(axis.row_count, 0);
    ladder_axis_fit(&axis, &instrument, LADDER_ROWS_MAX + 1);
    assert_int_equal(axis.row_count, LADDER_ROWS_MAX);
}

static void a_step_up_and_a_step_down_lead_back(void **state)
{
    (void)state;
    const tg_instrument instrument = banded();
    int64_t price = -40;
    for (int i = 0; i < 60; i++) {
        const int64_t before = price;
        int64_t back = 0;
        assert_true(ladder_price_above(&instrument, price, &price));
        assert_true(ladder_price_below(&instrument, price, &back));
        assert_int_equal(back, before);
    }
}

static void the_rows_stay_until_they_are_moved(void **state)
{
    (void)state;
    const tg_instrument instrument = banded();
    ladder_axis axis = {0};
    ladder_axis_move(&axis, &instrument, 3);
    ladder_axis_fit(&axis, &instrument, 3);
    assert_false(axis.present[0] || axis.present[1] || axis.present[2]);
    ladder_axis_centre(&axis, &instrument, 90);
    ladder_axis_move(&axis, &instrument, 3);
    ladder_axis_fit(&axis, &instrument, 3);
    assert_int_equal(axis.price[1], 110);
    ladder_axis_move(&axis, &instrument, -3);
    ladder_axis_fit(&axis, &instrument, 3);
    assert_int_equal(axis.price[1], 90);
}

static void a_price_is_on_a_row_between_two_or_off_the_axis(void **state)
{
    (void)state;
    const tg_instrument instrument = banded();
    ladder_axis axis = {0};
    size_t row = 0;
    assert_int_equal(ladder_axis_find(&axis, 5, &row), LADDER_BELOW);
    ladder_axis_centre(&axis, &instrument, 100);
    ladder_axis_fit(&axis, &instrument, 5);
    assert_int_equal(ladder_axis_find(&axis, 95, &row), LADDER_ON_ROW);
    assert_int_equal(row, 3);
    assert_int_equal(ladder_axis_find(&axis, 120, &row), LADDER_ON_ROW);
    assert_int_equal(row, 0);
    assert_int_equal(ladder_axis_find(&axis, 96, &row), LADDER_BETWEEN);
    assert_int_equal(ladder_axis_find(&axis, 121, &row), LADDER_ABOVE);
    assert_int_equal(ladder_axis_find(&axis, 89, &row), LADDER_BELOW);
}

static void an_axis_ends_where_prices_end(void **state)
{
    (void)state;
    tg_instrument instrument = {.band_count = 0};
    ladder_axis axis = {0};
    size_t row = 0;
    ladder_axis_centre(&axis, &instrument, INT64_MAX - 1);
    ladder_axis_fit(&axis, &instrument, 7);
    assert_false(axis.present[1]);
    assert_int_equal(axis.price[2], INT64_MAX);
    assert_int_equal(ladder_axis_find(&axis, INT64_MAX, &row), LADDER_ON_ROW);
    assert_int_equal(row, 2);
    instrument.band_count = 1;
    instrument.band[0] = (tg_tick_band){0, 1000};
    ladder_axis_centre(&axis, &instrument, INT64_MIN + 5);
    ladder_axis_fit(&axis, &instrument, 7);
    assert_true(axis.present[3]);
    assert_false(axis.present[4]);
    int64_t price = 0;
    assert_false(ladder_price_below(&instrument, INT64_MIN, &price));
    ladder_axis_move(&axis, &instrument, -4);
    assert_int_equal(axis.centre, INT64_MIN + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_stand_at_the_tick_size_of_their_band),
        cmocka_unit_test(a_step_up_and_a_step_down_lead_back),
        cmocka_unit_test(the_rows_stay_until_they_are_moved),
        cmocka_unit_test(a_price_is_on_a_row_between_two_or_off_the_axis),
        cmocka_unit_test(an_axis_ends_where_prices_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
