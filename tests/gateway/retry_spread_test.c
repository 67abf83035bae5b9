#include "tg_cmocka.h"

#include <string.h>

#include "retry_spread.h"

#define S INT64_C(1000000000)

static void a_few_are_sent_to_different_seconds(void **state)
{
    (void)state;
    tg__retry_spread retry;
    unsigned seen[8] = {0};
    tg__retry_spread_init(&retry, 1200, 7, 0);
    for (unsigned i = 0; i < 30; i++) {
        const uint32_t seconds = tg__retry_spread_next(&retry, 0);
        assert_in_range(seconds, 1, 3);
        seen[seconds]++;
    }
    assert_true(seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
}

static void no_second_gets_more_of_a_fleet_than_the_rate_can_serve(void **state)
{
    (void)state;
    tg__retry_spread retry;
    static unsigned seen[TG__RETRY_SPREAD_MAX_S + 2];
    memset(seen, 0, sizeof seen);
    tg__retry_spread_init(&retry, 100, 1, 0);
    for (unsigned i = 0; i < 4000; i++) {
        seen[tg__retry_spread_next(&retry, 0)]++;
    }
    for (unsigned second = 1; second <= 42; second++) {
        assert_in_range(seen[second], 1, 140);
    }
    assert_int_equal(seen[43], 0);
}

static void who_has_had_his_turn_counts_no_more(void **state)
{
    (void)state;
    tg__retry_spread retry;
    tg__retry_spread_init(&retry, 100, 1, 0);
    for (unsigned i = 0; i < 4000; i++) {
        (void)tg__retry_spread_next(&retry, 0);
    }
    for (unsigned i = 0; i < 50; i++) {
        assert_in_range(tg__retry_spread_next(&retry, 41 * S), 1, 3);
    }
}

static void the_longest_wait_is_bounded(void **state)
{
    (void)state;
    tg__retry_spread retry;
    tg__retry_spread_init(&retry, 1, 1, 0);
    for (unsigned i = 0; i < 100000; i++) {
        assert_in_range(tg__retry_spread_next(&retry, 0), 1, TG__RETRY_SPREAD_MAX_S + 2);
    }
    assert_in_range(tg__retry_spread_next(&retry, 130 * S), 1, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_are_sent_to_different_seconds),
        cmocka_unit_test(no_second_gets_more_of_a_fleet_than_the_rate_can_serve),
        cmocka_unit_test(who_has_had_his_turn_counts_no_more),
        cmocka_unit_test(the_longest_wait_is_bounded),
    };
    return cmocka_run_group_tests_name("gateway.retry_spread", tests, NULL, NULL);
}
