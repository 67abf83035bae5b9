#include "tg_cmocka.h"

#include "tick_log_join.h"
#include "tick_log_writer.h"

#define MS INT64_C(1000000)

static tick_log *ten_ticks(void)
{
    tick_log_writer w;
    tick_log *log = NULL;
    why reason;
    tick_log_begin(&w, "TGTICKS1", 32);
    for (uint64_t seq = 1; seq <= 10; seq++) {
        tick_log_write(&w, 4, 1, seq, (int64_t)seq * 10 * MS);
    }
    const bool opened = tick_log_open(w.path, &log, &reason);
    tick_log_end(&w);
    assert_true(opened);
    return log;
}

static void expect_range(const tg_histogram *of, int64_t least_ms, int64_t most_ms, uint64_t count)
{
    latency_summary summary;
    latency_summarise(of, &summary);
    assert_int_equal(summary.count, count);
    assert_true(tg_histogram_percentile(of, 0) >= least_ms * MS * 999 / 1000);
    assert_true(tg_histogram_percentile(of, 0) <= least_ms * MS * 1001 / 1000);
    assert_true(tg_histogram_percentile(of, 100) >= most_ms * MS * 999 / 1000);
    assert_true(tg_histogram_percentile(of, 100) <= most_ms * MS * 1001 / 1000);
}

static void a_row_is_as_late_as_the_oldest_tick_that_it_covers(void **state)
{
    (void)state;
    tick_log *const log = ten_ticks();
    tick_latency latency;
    admissions rows;
    /* Shown at seq 2, then at 6: ticks 3 to 6, due at 30 to 60 ms. Then 7 alone. */
    const admission shown[] = {{75 * MS, 6, 4, 4}, {77 * MS, 7, 1, 4}};
    tick_latency_open(&latency);
    assert_true(admissions_init(&rows, 2));
    admissions_add(&rows, &shown[0]);
    admissions_add(&rows, &shown[1]);
    tick_log_join(&latency, &rows, TIME_WINDOW_ALL, log);
    expect_range(latency.oldest, 7, 45, 2);
    expect_range(latency.newest, 7, 15, 2);
    assert_int_equal(latency.unmatched, 0);
    admissions_deinit(&rows);
    tick_latency_close(&latency);
    tick_log_close(log);
}

static void rows_outside_the_window_or_the_log_are_not_judged(void **state)
{
    (void)state;
    tick_log *const log = ten_ticks();
    tick_latency latency;
    admissions rows;
    const admission shown[] = {{20 * MS, 1, 1, 4},   /* before the window */
                               {50 * MS, 4, 1, 4},   /* at its beginning */
                               {60 * MS, 11, 1, 4},  /* not in the log */
                               {60 * MS, 5, 6, 4},   /* its oldest is not */
                               {60 * MS, 5, 1, 5},   /* another instrument */
                               {100 * MS, 9, 1, 4}}; /* at its end, which is outside */
    const time_window window = {50 * MS, 100 * MS};
    tick_latency_open(&latency);
    assert_true(admissions_init(&rows, 6));
    for (size_t i = 0; i < 6; i++) {
        admissions_add(&rows, &shown[i]);
    }
    tick_log_join(&latency, &rows, window, log);
    expect_range(latency.oldest, 10, 10, 1);
    assert_int_equal(latency.unmatched, 3);
    admissions_deinit(&rows);
    tick_latency_close(&latency);
    tick_log_close(log);
}

static void full_samples_leave_the_newest_out_and_count_them(void **state)
{
    (void)state;
    admissions rows;
    assert_true(admissions_init(&rows, 2));
    for (uint64_t seq = 1; seq <= 5; seq++) {
        const admission one = {(int64_t)seq, seq, 1, 1};
        admissions_add(&rows, &one);
    }
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.at[1].seq, 2);
    assert_int_equal(rows.left_out, 3);
    admissions_deinit(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_as_late_as_the_oldest_tick_that_it_covers),
        cmocka_unit_test(rows_outside_the_window_or_the_log_are_not_judged),
        cmocka_unit_test(full_samples_leave_the_newest_out_and_count_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
