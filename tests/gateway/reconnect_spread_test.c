#include "tg_cmocka.h"

#include "reconnect_spread.h"

#define S INT64_C(1000000000)

static void it_is_the_connections_through_the_rate(void **state)
{
    (void)state;
    tg__reconnect_spread spread;
    tg__reconnect_spread_init(&spread, 1200);
    assert_int_equal(tg__reconnect_spread_ms(&spread, 0), 0);
    assert_int_equal(tg__reconnect_spread_ms(&spread, 1), 1);
    assert_int_equal(tg__reconnect_spread_ms(&spread, 1200), 1000);
    assert_int_equal(tg__reconnect_spread_ms(&spread, 10000), 8334);
    tg__reconnect_spread_init(&spread, 1);
    assert_int_equal(tg__reconnect_spread_ms(&spread, UINT32_MAX), UINT32_MAX);
    tg__reconnect_spread_init(&spread, 0);
    assert_int_equal(tg__reconnect_spread_ms(&spread, 10000), 0);
    assert_false(tg__reconnect_spread_is_due(&spread, 10000, 0));
}

static void all_are_told_when_it_has_changed_by_half(void **state)
{
    (void)state;
    tg__reconnect_spread spread;
    tg__reconnect_spread_init(&spread, 1000);
    int64_t now = -100 * S;
    assert_false(tg__reconnect_spread_is_due(&spread, 499, now)); /* too little to speak of */
    assert_true(tg__reconnect_spread_is_due(&spread, 500, now));
    now += 10 * S;
    assert_false(tg__reconnect_spread_is_due(&spread, 500, now));
    assert_false(tg__reconnect_spread_is_due(&spread, 749, now));
    assert_true(tg__reconnect_spread_is_due(&spread, 750, now));
    now += 10 * S;
    assert_false(tg__reconnect_spread_is_due(&spread, 501, now));
    assert_true(tg__reconnect_spread_is_due(&spread, 500, now));
    now += 10 * S;
    assert_true(tg__reconnect_spread_is_due(&spread, 0, now)); /* fewer: told, too */
    now += 10 * S;
    assert_false(tg__reconnect_spread_is_due(&spread, 0, now));
}

static void all_are_not_told_more_often_than_every_five_seconds(void **state)
{
    (void)state;
    tg__reconnect_spread spread;
    tg__reconnect_spread_init(&spread, 1000);
    uint32_t told = 0;
    int64_t last = 0;
    for (int64_t now = 0; now < 60 * S; now += S / 100) {
        /* 100 come every 10 ms */
        if (tg__reconnect_spread_is_due(&spread, (uint32_t)(now / (S / 100)) * 100, now)) {
            assert_true(told == 0 || now - last >= 5 * S);
            last = now;
            told++;
        }
    }
    assert_in_range(told, 6, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_connections_through_the_rate),
        cmocka_unit_test(all_are_told_when_it_has_changed_by_half),
        cmocka_unit_test(all_are_not_told_more_often_than_every_five_seconds),
    };
    return cmocka_run_group_tests_name("gateway.reconnect_spread", tests, NULL, NULL);
}
