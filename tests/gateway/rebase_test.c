#include "tg_cmocka.h"

#include "rebase.h"

static void speed_divides_the_time_that_passes(void **state)
{
    (void)state;
    tg__rebase rebase;
    tg__rebase_init(&rebase, 2500, false);
    tg__rebase_start(&rebase, 1000, 50, 9000);
    assert_int_equal(tg__rebase_due_mono_ns(&rebase, 1000), 50);
    assert_int_equal(tg__rebase_due_mono_ns(&rebase, 3500), 1050);
    assert_int_equal(tg__rebase_ts_ns(&rebase, 1000), 9000);
    assert_int_equal(tg__rebase_ts_ns(&rebase, 3500), 10000);
}

static void different_source_times_stay_different(void **state)
{
    (void)state;
    static const uint32_t speeds[] = {0, 1000, TG__SPEED_MAX};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        tg__rebase rebase;
        tg__rebase_init(&rebase, speeds[i], false);
        tg__rebase_start(&rebase, 0, 0, 500);
        int64_t last = 499;
        for (int64_t source = 0; source < 100; source++) {
            const int64_t ts = tg__rebase_ts_ns(&rebase, source);
            assert_true(ts > last);
            assert_int_equal(tg__rebase_ts_ns(&rebase, source), ts); /* equal ones stay equal */
            last = ts;
        }
    }
}

static void a_new_start_never_goes_back(void **state)
{
    (void)state;
    tg__rebase rebase;
    tg__rebase_init(&rebase, 0, false);
    tg__rebase_start(&rebase, 0, 0, 500);
    int64_t last = 0;
    for (int64_t source = 0; source < 50; source++) {
        last = tg__rebase_ts_ns(&rebase, source);
    }
    tg__rebase_start(&rebase, 0, 0, 510);
    assert_true(tg__rebase_ts_ns(&rebase, 0) > last);
}

static void kept_times_are_the_tapes_own(void **state)
{
    (void)state;
    tg__rebase rebase;
    tg__rebase_init(&rebase, 1000, true);
    tg__rebase_start(&rebase, 77, 0, 500);
    assert_int_equal(tg__rebase_ts_ns(&rebase, 77), 77);
    assert_int_equal(tg__rebase_due_mono_ns(&rebase, 78), 1);
}

static void long_tapes_and_slow_speeds_stay_in_range(void **state)
{
    (void)state;
    tg__rebase rebase;
    tg__rebase_init(&rebase, 1, false);
    tg__rebase_start(&rebase, 0, 0, 0);
    assert_true(tg__rebase_due_mono_ns(&rebase, INT64_MAX) > INT64_C(1) << 61);
    tg__rebase_init(&rebase, TG__SPEED_MAX, false);
    tg__rebase_start(&rebase, 0, 0, 0);
    assert_int_equal(tg__rebase_due_mono_ns(&rebase, INT64_MAX), INT64_MAX / 1000000);
}

static void the_age_of_a_row_counts_from_when_it_was_due(void **state)
{
    (void)state;
    static const uint32_t speeds[] = {500, 1000, 2000};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        for (unsigned keep = 0; keep < 2; keep++) {
            tg__rebase rebase;
            tg__rebase_init(&rebase, speeds[i], keep == 1);
            tg__rebase_start(&rebase, 1000, 50, 70000);
            const int64_t ts_ns = tg__rebase_ts_ns(&rebase, 5000);
            const int64_t due_ns = tg__rebase_due_mono_ns(&rebase, 5000);
            assert_int_equal(tg__rebase_age_ns(&rebase, ts_ns, due_ns), 0);
            assert_int_equal(tg__rebase_age_ns(&rebase, ts_ns, due_ns + 33), 33);
        }
    }
    tg__rebase rebase;
    tg__rebase_init(&rebase, 0, false);
    tg__rebase_start(&rebase, 1000, 50, 70000);
    assert_int_equal(tg__rebase_age_ns(&rebase, tg__rebase_ts_ns(&rebase, 5000), 90), -1);
}

static void a_moment_is_told_on_the_line_of_the_published_times(void **state)
{
    (void)state;
    tg__rebase rebase;
    tg__rebase_init(&rebase, 1000, false);
    tg__rebase_start(&rebase, 1000, 50, 70000);
    assert_int_equal(tg__rebase_utc_ns(&rebase, 50), 70000);
    assert_int_equal(tg__rebase_utc_ns(&rebase, 4050), tg__rebase_ts_ns(&rebase, 5000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed_divides_the_time_that_passes),
        cmocka_unit_test(different_source_times_stay_different),
        cmocka_unit_test(a_new_start_never_goes_back),
        cmocka_unit_test(kept_times_are_the_tapes_own),
        cmocka_unit_test(the_age_of_a_row_counts_from_when_it_was_due),
        cmocka_unit_test(a_moment_is_told_on_the_line_of_the_published_times),
        cmocka_unit_test(long_tapes_and_slow_speeds_stay_in_range),
    };
    return cmocka_run_group_tests_name("gateway.rebase", tests, NULL, NULL);
}
