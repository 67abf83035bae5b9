#include "glass_times.h"

#include "tg_cmocka.h"

#define US INT64_C(1000)
#define S  INT64_C(1000000000)

static uint64_t count_of(const glass_times *times, glass_span span)
{
    tg_histogram_summary summary;
    tg_histogram_summary_get(glass_times_all(times, span), &summary);
    return summary.count;
}

/* Within three digits. */
static void expect_about(int64_t value, int64_t expected)
{
    assert_in_range(value, expected - expected / 500, expected + expected / 500);
}

static void every_span_gets_its_part(void **state)
{
    (void)state;
    glass_times *times = NULL;
    assert_int_equal(glass_times_open(&times), TG_OK);
    const pass_stamps stamps = {100 * S + 700 * US, 100 * S + 900 * US, 1000 * S,
                                100 * S + 600 * US};
    const fresh_row row = {100 * S, 100 * S + 300 * US, 1000 * S - 5000 * US, false};
    glass_times_record(times, &row, &stamps);
    expect_about(tg_histogram_percentile(glass_times_all(times, SPAN_COMMITTED_TO_DRAWN), 100),
                 400 * US);
    expect_about(tg_histogram_percentile(glass_times_all(times, SPAN_DRAWN_TO_HANDED), 100),
                 200 * US);
    expect_about(tg_histogram_percentile(glass_times_all(times, SPAN_RECEIVED_TO_HANDED), 100),
                 900 * US);
    expect_about(tg_histogram_percentile(glass_times_all(times, SPAN_EXCHANGE_TO_HANDED), 100),
                 5000 * US);
    glass_times_close(times);
    glass_times_close(NULL);
}

static void first_images_and_unknown_times_say_nothing_about_the_exchange(void **state)
{
    (void)state;
    glass_times *times = NULL;
    assert_int_equal(glass_times_open(&times), TG_OK);
    const pass_stamps stamps = {S + 2 * US, S + 3 * US, 1000 * S, S + 1 * US};
    const fresh_row first = {S, S + US, 1000 * S - 1, true};
    const fresh_row unknown = {S, S + US, 0, false};
    const fresh_row ahead = {S, S + US, 1000 * S + 50 * US, false};
    glass_times_record(times, &first, &stamps);
    glass_times_record(times, &unknown, &stamps);
    assert_int_equal(count_of(times, SPAN_EXCHANGE_TO_HANDED), 0);
    assert_int_equal(count_of(times, SPAN_RECEIVED_TO_HANDED), 2);
    /* A clock that is ahead of ours is counted, not clamped. */
    glass_times_record(times, &ahead, &stamps);
    tg_histogram_summary summary;
    tg_histogram_summary_get(glass_times_all(times, SPAN_EXCHANGE_TO_HANDED), &summary);
    assert_int_equal(summary.negative, 1);
    assert_int_equal(summary.count, 0);
    glass_times_close(times);
}

static void the_recent_ones_forget(void **state)
{
    (void)state;
    glass_times *times = NULL;
    assert_int_equal(glass_times_open(&times), TG_OK);
    const int64_t start = 500 * S;
    for (int64_t second = 0; second < 30; second++) {
        const int64_t handed = start + second * S;
        const pass_stamps stamps = {handed - 10 * US, handed, 1000 * S, handed - 20 * US};
        const fresh_row row = {handed - (second + 1) * 1000 * US, handed - 20 * US, 0, false};
        glass_times_record(times, &row, &stamps);
        const recent_times recent =
            glass_times_recent(times, SPAN_RECEIVED_TO_HANDED, handed + 1000 * US);
        const int64_t kept = second < GLASS_TIMES_RECENT_S ? second + 1 : GLASS_TIMES_RECENT_S;
        assert_int_equal(recent.count, kept);
        assert_in_range(recent.max_ns, (second + 1) * 990 * US, (second + 1) * 1010 * US);
    }
    /* Long after the last one there is none. */
    assert_int_equal(glass_times_recent(times, SPAN_RECEIVED_TO_HANDED, start + 100 * S).count, 0);
    assert_int_equal(glass_times_recent(times, SPAN_EXCHANGE_TO_HANDED, start + 29 * S).count, 0);
    glass_times_close(times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_span_gets_its_part),
        cmocka_unit_test(first_images_and_unknown_times_say_nothing_about_the_exchange),
        cmocka_unit_test(the_recent_ones_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
