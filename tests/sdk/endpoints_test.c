#include "tg_cmocka.h"

#include "endpoints.h"

#define S_NS INT64_C(1000000000)

static void the_most_preferred_one_comes_first(void **state)
{
    (void)state;
    tg__endpoints e;
    tg__endpoints_init(&e, 3);
    assert_int_equal(tg__endpoints_choose(&e, 0), 0);
    assert_int_equal(tg__endpoints_choose(&e, INT64_C(1) << 60), 0);
}

static void one_that_failed_is_passed_over_and_then_preferred_again(void **state)
{
    (void)state;
    tg__endpoints e;
    tg__endpoints_init(&e, 2);
    (void)tg__endpoints_choose(&e, 100 * S_NS);
    tg__endpoints_fail(&e, 100 * S_NS);
    assert_int_equal(tg__endpoints_choose(&e, 101 * S_NS), 1);
    tg__endpoints_succeed(&e);
    assert_int_equal(tg__endpoints_choose(&e, 129 * S_NS), 1);
    assert_int_equal(tg__endpoints_choose(&e, 130 * S_NS), 0);
}

static void every_further_failure_doubles_the_time_up_to_a_limit(void **state)
{
    (void)state;
    tg__endpoints e;
    tg__endpoints_init(&e, 2);
    int64_t now_ns = 0;
    for (int64_t avoid_ns = TG__AVOID_FIRST_NS;; avoid_ns *= 2) {
        const bool last = avoid_ns >= TG__AVOID_LAST_NS;
        const int64_t expected_ns = last ? TG__AVOID_LAST_NS : avoid_ns;
        assert_int_equal(tg__endpoints_choose(&e, now_ns), 0);
        tg__endpoints_fail(&e, now_ns);
        assert_int_equal(tg__endpoints_choose(&e, now_ns + expected_ns - 1), 1);
        now_ns += expected_ns;
        if (last) {
            break;
        }
    }
    assert_int_equal(tg__endpoints_choose(&e, now_ns), 0);
    tg__endpoints_succeed(&e);
    tg__endpoints_fail(&e, now_ns);
    assert_int_equal(tg__endpoints_choose(&e, now_ns + TG__AVOID_FIRST_NS), 0);
}

static void where_all_have_failed_they_take_turns(void **state)
{
    (void)state;
    tg__endpoints e;
    tg__endpoints_init(&e, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(tg__endpoints_choose(&e, i), i);
        assert_true(tg__endpoints_has_hope(&e, i));
        tg__endpoints_fail(&e, i);
    }
    assert_false(tg__endpoints_has_hope(&e, 10));
    assert_int_equal(tg__endpoints_choose(&e, 10), 0);
    tg__endpoints_fail(&e, 10);
    assert_int_equal(tg__endpoints_choose(&e, 11), 1);
    assert_true(tg__endpoints_has_hope(&e, 1 + TG__AVOID_FIRST_NS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_preferred_one_comes_first),
        cmocka_unit_test(one_that_failed_is_passed_over_and_then_preferred_again),
        cmocka_unit_test(every_further_failure_doubles_the_time_up_to_a_limit),
        cmocka_unit_test(where_all_have_failed_they_take_turns),
    };
    return cmocka_run_group_tests_name("sdk.endpoints", tests, NULL, NULL);
}
