#include "tg_cmocka.h"

#include "shown.h"

static shown_step take(shown *s, uint32_t epoch, uint64_t seq, uint64_t *before)
{
    return shown_take(s, 7, epoch, seq, false, before);
}

static void newer_follows_equal_comes_again_and_older_is_a_regression(void **state)
{
    (void)state;
    shown s;
    uint64_t before = 0;
    assert_true(shown_init(&s));
    assert_int_equal(take(&s, 3, 100, &before), SHOWN_FIRST);
    assert_int_equal(take(&s, 3, 105, &before), SHOWN_FOLLOWS);
    assert_int_equal(before, 100);
    assert_int_equal(take(&s, 3, 105, &before), SHOWN_AGAIN);
    assert_int_equal(take(&s, 3, 104, &before), SHOWN_REGRESSION);
    assert_int_equal(take(&s, 2, 900, &before), SHOWN_REGRESSION);
    /* A regression does not lower what it is compared with. */
    assert_int_equal(take(&s, 3, 104, &before), SHOWN_REGRESSION);
    assert_int_equal(take(&s, 4, 106, &before), SHOWN_FOLLOWS);
    assert_int_equal(before, 105);
    shown_deinit(&s);
}

static void a_new_session_has_no_predecessor_but_a_memory(void **state)
{
    (void)state;
    shown s;
    uint64_t before = 0;
    assert_true(shown_init(&s));
    assert_int_equal(take(&s, 3, 100, &before), SHOWN_FIRST);
    shown_new_session(&s);
    assert_int_equal(take(&s, 3, 99, &before), SHOWN_REGRESSION);
    assert_int_equal(take(&s, 3, 120, &before), SHOWN_FIRST);
    assert_int_equal(take(&s, 3, 121, &before), SHOWN_FOLLOWS);
    shown_deinit(&s);
}

static void an_announced_restart_is_no_regression(void **state)
{
    (void)state;
    shown s;
    uint64_t before = 0;
    assert_true(shown_init(&s));
    assert_int_equal(take(&s, 3, 100, &before), SHOWN_FIRST);
    shown_new_session(&s);
    assert_int_equal(shown_take(&s, 7, 1, 5, true, &before), SHOWN_RESTART);
    assert_int_equal(shown_take(&s, 7, 1, 6, true, &before), SHOWN_FOLLOWS);
    /* The mark stays with the lineage; it excuses nothing within the session. */
    assert_int_equal(shown_take(&s, 7, 1, 5, true, &before), SHOWN_REGRESSION);
    assert_int_equal(shown_take(&s, 8, 1, 6, false, &before), SHOWN_FIRST);
    shown_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newer_follows_equal_comes_again_and_older_is_a_regression),
        cmocka_unit_test(a_new_session_has_no_predecessor_but_a_memory),
        cmocka_unit_test(an_announced_restart_is_no_regression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
