#include "price_alert.h"

#include "tg_cmocka.h"

static bool take(price_alerts *alerts, int64_t price)
{
    return price_alerts_take(alerts, 7, (tg_decimal){price, -2});
}

static void a_price_on_the_other_side_is_told_once_until_it_is_confirmed(void **state)
{
    (void)state;
    price_alerts alerts = {.count = 0};
    assert_int_equal(price_alerts_set(&alerts, 7, (tg_decimal){100, 0}), TG_OK);
    assert_false(take(&alerts, 9990)); /* which side is this one */
    assert_false(take(&alerts, 9999));
    assert_true(take(&alerts, 10001));
    assert_true(price_alerts_find(&alerts, 7)->crossed);
    assert_true(price_alerts_find(&alerts, 7)->upwards);
    assert_false(take(&alerts, 9990));
    assert_false(take(&alerts, 10010));
    assert_true(price_alerts_confirm(&alerts, 7));
    assert_false(price_alerts_confirm(&alerts, 7));
    assert_false(take(&alerts, 10020));
    assert_true(take(&alerts, 9990));
    assert_false(price_alerts_find(&alerts, 7)->upwards);
}

static void reaching_the_price_counts_and_going_on_from_there_does_not(void **state)
{
    (void)state;
    price_alerts alerts = {.count = 0};
    assert_int_equal(price_alerts_set(&alerts, 7, (tg_decimal){100, 0}), TG_OK);
    assert_false(take(&alerts, 9999));
    assert_true(take(&alerts, 10000));
    assert_true(price_alerts_confirm(&alerts, 7));
    assert_false(take(&alerts, 10001));
    assert_true(take(&alerts, 10000));
    assert_false(price_alerts_find(&alerts, 7)->upwards);
}

static void there_is_one_for_each_instrument_and_no_more_than_fit(void **state)
{
    (void)state;
    price_alerts alerts = {.count = 0};
    for (size_t i = 0; i < PRICE_ALERTS_MAX; i++) {
        assert_int_equal(price_alerts_set(&alerts, i, (tg_decimal){1, 0}), TG_OK);
    }
    assert_int_equal(price_alerts_set(&alerts, 999, (tg_decimal){1, 0}), TG_ERR_FULL);
    assert_int_equal(price_alerts_set(&alerts, 5, (tg_decimal){2, 0}), TG_OK);
    assert_int_equal(price_alerts_find(&alerts, 5)->price.mantissa, 2);
    assert_true(price_alerts_remove(&alerts, 5));
    assert_false(price_alerts_remove(&alerts, 5));
    assert_null(price_alerts_find(&alerts, 5));
    assert_non_null(price_alerts_find(&alerts, PRICE_ALERTS_MAX - 1));
    assert_false(price_alerts_take(&alerts, 5, (tg_decimal){1, 0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_price_on_the_other_side_is_told_once_until_it_is_confirmed),
        cmocka_unit_test(reaching_the_price_counts_and_going_on_from_there_does_not),
        cmocka_unit_test(there_is_one_for_each_instrument_and_no_more_than_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
