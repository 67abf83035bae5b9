#include "stage_windows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tg_cmocka.h"

#define S INT64_C(1000000000)

static uint64_t random_state;

static uint64_t random_next(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 20;
}

static void random_start(const char *test)
{
    const char *replay = getenv("TG_TEST_SEED");
    random_state = replay != NULL ? strtoull(replay, NULL, 0) : 11;
    (void)printf("%s: TG_TEST_SEED=%" PRIu64 "\n", test, random_state);
}

/* Of all sizes alike, some negative, some over a minute. */
static int64_t random_duration(void)
{
    const int64_t value = (int64_t)((random_next() << 24 ^ random_next()) >> (random_next() % 64));
    return random_next() % 40 == 0 ? -(value % 1000000) - 1 : value & INT64_C(0x1fffffffff);
}

static tg_histogram *open_histogram(void)
{
    tg_histogram *histogram = NULL;
    assert_int_equal(tg_histogram_open(NULL, &histogram), TG_OK);
    return histogram;
}

static void expect_equal(const tg_histogram *a, const tg_histogram *b)
{
    tg_histogram_summary left;
    tg_histogram_summary right;
    tg_histogram_summary_get(a, &left);
    tg_histogram_summary_get(b, &right);
    assert_memory_equal(&left, &right, sizeof left);
    for (double percentile = 0; percentile <= 100; percentile += 2.5) {
        assert_int_equal(tg_histogram_percentile(a, percentile),
                         tg_histogram_percentile(b, percentile));
    }
    assert_int_equal(tg_histogram_percentile(a, 99.99), tg_histogram_percentile(b, 99.99));
}

static const stall_tally no_stalls;

#define STORY  (STAGE_WINDOWS_MAX + 15) /* windows */
#define LITTLE 60

/* Any stretch of what is kept adds up to one histogram of its values, whatever went before. */
static void any_stretch_of_the_last_hour_adds_up_exactly(void **state)
{
    (void)state;
    random_start("stretch");
    static int64_t values[STORY][60];
    stage_windows *windows = NULL;
    assert_int_equal(stage_windows_open(STAGE_WINDOWS_BYTES, 0, &windows), TG_OK);
    for (size_t w = 0; w < STORY; w++) {
        for (size_t i = 0; i < 60; i++) {
            values[w][i] = random_duration();
            stage_windows_record(windows, LATENCY_DRAW, values[w][i]);
            stage_windows_record(windows, LATENCY_WAIT, values[w][i] / 2);
        }
        const int64_t end_ns = (int64_t)(w + 1) * STAGE_WINDOW_NS;
        stage_windows_end(windows, end_ns, end_ns + 7 * S, &no_stalls);
    }
    assert_int_equal(stage_windows_count(windows), STAGE_WINDOWS_MAX);
    tg_histogram *sum = open_histogram();
    tg_histogram *wanted = open_histogram();
    for (int round = 0; round < 8; round++) {
        const size_t first = random_next() % STAGE_WINDOWS_MAX;
        const size_t count = 1 + random_next() % (STAGE_WINDOWS_MAX - first);
        tg_histogram_reset(sum);
        tg_histogram_reset(wanted);
        for (size_t i = first; i < first + count; i++) {
            const uint64_t number = stage_windows_at(windows, i)->number;
            assert_int_equal(number, STORY - STAGE_WINDOWS_MAX + i);
            assert_int_equal(stage_windows_add(windows, i, LATENCY_DRAW, sum), TG_OK);
            for (size_t k = 0; k < 60; k++) {
                tg_histogram_record(wanted, values[number][k]);
            }
        }
        expect_equal(sum, wanted);
    }
    tg_histogram_close(sum);
    tg_histogram_close(wanted);
    stage_windows_close(windows);
}

/* The client counts from its start on; a window has what came in it. */
static void totals_of_somebody_else_become_windows(void **state)
{
    (void)state;
    random_start("totals");
    stage_windows *windows = NULL;
    assert_int_equal(stage_windows_open(STAGE_WINDOWS_BYTES, 0, &windows), TG_OK);
    tg_histogram *total = open_histogram();
    for (uint64_t w = 0; w < 20; w++) {
        for (uint64_t i = 0; i < w * 10; i++) {
            tg_histogram_record(total, (int64_t)(random_next() % 5000000));
        }
        assert_int_equal(stage_windows_take_total(windows, LATENCY_DECODE, total), TG_OK);
        stage_windows_end(windows, (int64_t)(w + 1) * S, 0, &no_stalls);
        assert_int_equal(stage_windows_at(windows, w)->of[LATENCY_DECODE].count, w * 10);
    }
    tg_histogram *sum = open_histogram();
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(stage_windows_add(windows, i, LATENCY_DECODE, sum), TG_OK);
    }
    assert_int_equal(tg_histogram_percentile(sum, 99.9), tg_histogram_percentile(total, 99.9));
    assert_int_equal(stage_windows_take_total(windows, LATENCY_DRAW, total),
                     TG_ERR_INVALID_ARGUMENT);
    /* A total that shrank is none; the next difference begins there. */
    tg_histogram_reset(total);
    assert_int_equal(stage_windows_take_total(windows, LATENCY_DECODE, total),
                     TG_ERR_INVALID_ARGUMENT);
    tg_histogram_record(total, 4000);
    assert_int_equal(stage_windows_take_total(windows, LATENCY_DECODE, total), TG_OK);
    stage_windows_end(windows, 21 * S, 0, &no_stalls);
    assert_int_equal(stage_windows_at(windows, 20)->of[LATENCY_DECODE].count, 1);
    tg_histogram_close(sum);
    tg_histogram_close(total);
    stage_windows_close(windows);
}

/* In little memory the oldest go, and what is left is whole. */
static void memory_is_bounded_and_what_is_kept_is_whole(void **state)
{
    (void)state;
    random_start("bounded");
    stage_windows *windows = NULL;
    assert_int_equal(stage_windows_open(20000, 0, &windows), TG_OK);
    tg_histogram *sum = open_histogram();
    static uint64_t counts[LITTLE];
    size_t least = STAGE_WINDOWS_MAX;
    for (size_t w = 0; w < LITTLE; w++) {
        counts[w] = random_next() % 1500;
        for (uint64_t i = 0; i < counts[w]; i++) {
            stage_windows_record(windows, LATENCY_PRESENT, (int64_t)(random_next() % 3000000000u));
        }
        stage_windows_end(windows, (int64_t)(w + 1) * S, 0, &no_stalls);
        assert_true(stage_windows_bytes_used(windows) <= 20000);
        const size_t kept = stage_windows_count(windows);
        least = w > 20 && kept < least ? kept : least;
        for (size_t i = 0; i < kept; i++) {
            const uint64_t number = stage_windows_at(windows, i)->number;
            assert_int_equal(number, w + 1 - kept + i);
            tg_histogram_reset(sum);
            assert_int_equal(stage_windows_add(windows, i, LATENCY_PRESENT, sum), TG_OK);
            assert_int_equal(stage_figures_of(sum).count, counts[number]);
        }
    }
    assert_true(least >= 3 && least < STAGE_WINDOWS_MAX);
    /* One that is more than all of the memory is not kept at all, and the next one is. */
    for (int64_t ns = 1000; ns < INT64_C(60000000000); ns += ns / 1500 + 1) {
        stage_windows_record(windows, LATENCY_PRESENT, ns);
    }
    stage_windows_end(windows, (LITTLE + 1) * S, 0, &no_stalls);
    assert_int_equal(stage_windows_count(windows), 0);
    stage_windows_record(windows, LATENCY_PRESENT, 5);
    stage_windows_end(windows, (LITTLE + 2) * S, 0, &no_stalls);
    assert_int_equal(stage_windows_count(windows), 1);
    assert_int_equal(stage_windows_at(windows, 0)->number, LITTLE + 1);
    tg_histogram_close(sum);
    stage_windows_close(windows);
}

/* Hours of little: memory that nobody needs is not touched, however long that goes on. And then
 * all of it is there for hours of much. */
static void quiet_hours_touch_no_more_than_they_need(void **state)
{
    (void)state;
    enum {
        QUIET = 5 * STAGE_WINDOWS_MAX,
        BUSY = STAGE_WINDOWS_MAX / 2,
        BYTES = 1 << 20
    };
    random_start("quiet");
    stage_windows *windows = NULL;
    assert_int_equal(stage_windows_open(BYTES, 0, &windows), TG_OK);
    const unsigned char *lowest = NULL;
    size_t highest = 0;
    size_t most = 0;
    for (int w = 0; w < QUIET + BUSY; w++) {
        const uint64_t count = w < QUIET ? random_next() % 40 : 4000 + random_next() % 4000;
        for (uint64_t i = 0; i < count; i++) {
            stage_windows_record(windows, LATENCY_PRESENT, (int64_t)(random_next() % 3000000000u));
        }
        stage_windows_end(windows, (int64_t)(w + 1) * S, 0, &no_stalls);
        const size_t newest = stage_windows_count(windows) - 1;
        const packed_counts first = stage_windows_packed(windows, newest, (latency_stage)0);
        const packed_counts last =
            stage_windows_packed(windows, newest, (latency_stage)(LATENCY_STAGE_COUNT - 1));
        lowest = lowest == NULL ? first.bytes : lowest;
        const size_t used = stage_windows_bytes_used(windows);
        if (w < QUIET) {
            const size_t end = (size_t)(last.bytes - lowest) + last.size;
            highest = end > highest ? end : highest;
            most = used > most ? used : most;
            assert_int_equal(newest + 1, w < STAGE_WINDOWS_MAX ? w + 1 : STAGE_WINDOWS_MAX);
        } else {
            assert_true(used <= BYTES);
            /* What had to go went for want of room, not before. */
            assert_true(newest + 1 == STAGE_WINDOWS_MAX || used > BYTES / 2);
        }
    }
    if (2 * highest > 7 * most) {
        fail_msg("%zu bytes were touched for %zu", highest, most);
    }
    assert_true(stage_windows_count(windows) < STAGE_WINDOWS_MAX);
    stage_windows_close(windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_stretch_of_the_last_hour_adds_up_exactly),
        cmocka_unit_test(totals_of_somebody_else_become_windows),
        cmocka_unit_test(memory_is_bounded_and_what_is_kept_is_whole),
        cmocka_unit_test(quiet_hours_touch_no_more_than_they_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
