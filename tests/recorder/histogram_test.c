#include "tg_cmocka.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <tickglass/histogram.h>

#include "histogram_slots.h"
#include "seeded_random.h"

#define SIXTY_SECONDS INT64_C(60000000000)

static tg_histogram *open_default(void)
{
    tg_histogram *histogram = NULL;
    assert_int_equal(tg_histogram_open(NULL, &histogram), TG_OK);
    return histogram;
}

static tg_histogram *open_with(int64_t lowest, int64_t highest, int digits)
{
    tg_histogram_options opt;
    tg_histogram_options_init(&opt);
    opt.lowest = lowest;
    opt.highest = highest;
    opt.significant_digits = digits;
    tg_histogram *histogram = NULL;
    assert_int_equal(tg_histogram_open(&opt, &histogram), TG_OK);
    return histogram;
}

static int compare_i64(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a;
    const int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void open_refuses_what_cannot_be_kept(void **state)
{
    (void)state;
    const struct {
        int64_t lowest;
        int64_t highest;
        int digits;
    } rows[] = {{-1, 1000, 3}, {1000, 1999, 3}, {1, 1, 1},
                {1, 1000, 5},  {1, 1000, -1},   {INT64_C(1) << 60, INT64_MAX, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tg_histogram_options opt;
        tg_histogram_options_init(&opt);
        opt.lowest = rows[i].lowest;
        opt.highest = rows[i].highest;
        opt.significant_digits = rows[i].digits;
        tg_histogram *histogram = (tg_histogram *)&opt;
        assert_int_equal(tg_histogram_open(&opt, &histogram), TG_ERR_HISTOGRAM_RANGE);
        assert_null(histogram);
    }
    assert_int_equal(tg_histogram_open(NULL, NULL), TG_ERR_INVALID_ARGUMENT);
    struct {
        tg_histogram_options opt;
        uint64_t tail;
    } newer;
    memset(&newer, 0, sizeof newer);
    newer.opt.struct_size = sizeof newer;
    tg_histogram *histogram = NULL;
    assert_int_equal(tg_histogram_open(&newer.opt, &histogram), TG_OK);
    tg_histogram_close(histogram);
    newer.tail = 1;
    assert_int_equal(tg_histogram_open(&newer.opt, &histogram), TG_ERR_UNSUPPORTED);
    tg_histogram_close(NULL);
}

static void the_default_fits_into_48_kib(void **state)
{
    (void)state;
    tg_histogram *histogram = open_default();
    assert_true(tg_histogram_size(histogram) <= 48 * 1024);
    tg_histogram_close(histogram);
}

static void an_empty_one_says_zero(void **state)
{
    (void)state;
    tg_histogram *histogram = open_default();
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    assert_int_equal(summary.count, 0);
    assert_int_equal(summary.min, 0);
    assert_int_equal(summary.max, 0);
    assert_true(summary.mean == 0);
    assert_int_equal(tg_histogram_percentile(histogram, 50), 0);
    tg_histogram_close(histogram);
}

static void values_outside_are_counted_apart_and_never_clamped(void **state)
{
    (void)state;
    tg_histogram *histogram = open_default();
    const int64_t values[] = {-1, INT64_MIN, SIXTY_SECONDS + 1, INT64_MAX, SIXTY_SECONDS, 0, 7};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        tg_histogram_record(histogram, values[i]);
    }
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    assert_int_equal(summary.count, 3);
    assert_int_equal(summary.negative, 2);
    assert_int_equal(summary.over, 2);
    assert_int_equal(summary.min, 0);
    assert_int_equal(summary.max, SIXTY_SECONDS);
    assert_int_equal(tg_histogram_percentile(histogram, 100), SIXTY_SECONDS);
    assert_int_equal(tg_histogram_percentile(histogram, 0), 0);
    tg_histogram_close(histogram);
}

static void slots_tile_the_range_without_hole_or_overlap(void **state)
{
    (void)state;
    for (int digits = 1; digits <= 4; digits++) {
        tg_histogram *histogram = open_with(1000, SIXTY_SECONDS, digits);
        const uint32_t count = tg__histogram_slot_count(histogram);
        int64_t scale = 1;
        for (int i = 0; i < digits; i++) {
            scale *= 10;
        }
        assert_int_equal(tg__histogram_slot_lowest(histogram, 0), 0);
        for (uint32_t slot = 0; slot < count; slot++) {
            const int64_t lowest = tg__histogram_slot_lowest(histogram, slot);
            const int64_t highest = tg__histogram_slot_highest(histogram, slot);
            if (slot + 1 < count) {
                assert_int_equal(highest + 1, tg__histogram_slot_lowest(histogram, slot + 1));
            }
            /* Two values of one slot differ by at most one unit of the last kept digit. */
            assert_true(highest - lowest < 1000 || (highest - lowest) <= highest / scale);
        }
        assert_true(tg__histogram_slot_highest(histogram, count - 1) >= SIXTY_SECONDS);
        tg_histogram_close(histogram);
    }
}

static void percentiles_agree_with_a_sorted_array(void **state)
{
    (void)state;
    enum {
        VALUES = 20000
    };
    seeded_random random = random_start("percentiles", 20260101);
    static int64_t values[VALUES];
    const double asked[] = {0.001, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 99.999, 100};
    for (int round = 0; round < 12; round++) {
        const int digits = 1 + round % 4;
        const int64_t lowest = round % 3 == 0 ? 1 : 1000;
        tg_histogram *histogram = open_with(lowest, SIXTY_SECONDS, digits);
        int64_t scale = 1;
        for (int i = 0; i < digits; i++) {
            scale *= 10;
        }
        const size_t used = 1 + (size_t)random_below(&random, VALUES);
        for (size_t i = 0; i < used; i++) {
            values[i] = (int64_t)(random_any_size(&random, 40) % (uint64_t)SIXTY_SECONDS);
            tg_histogram_record(histogram, values[i]);
        }
        qsort(values, used, sizeof values[0], compare_i64);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
            const double exact = asked[i] * (double)used / 100;
            size_t rank = (size_t)exact;
            rank = (double)rank < exact - 1e-9 ? rank + 1 : rank;
            rank = rank == 0 ? 1 : rank;
            const int64_t expected = values[rank - 1];
            const int64_t got = tg_histogram_percentile(histogram, asked[i]);
            assert_true(got >= expected);
            assert_true(got - expected <= (expected / scale > lowest ? expected / scale : lowest));
        }
        tg_histogram_summary summary;
        tg_histogram_summary_get(histogram, &summary);
        assert_int_equal(summary.count, used);
        assert_int_equal(summary.min, values[0]);
        assert_int_equal(summary.max, values[used - 1]);
        tg_histogram_close(histogram);
    }
}

static void a_full_counter_spills_without_loss(void **state)
{
    (void)state;
    tg_histogram *histogram = open_default();
    const uint64_t times = 3 * 65536 + 17;
    for (uint64_t i = 0; i < times; i++) {
        tg_histogram_record(histogram, 1000000);
    }
    tg_histogram_record(histogram, 5000000);
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    assert_int_equal(summary.count, times + 1);
    assert_int_equal(summary.saturated, 0);
    assert_int_equal(tg_histogram_count_between(histogram, 900000, 1000000), times);
    assert_int_equal(tg_histogram_count_between(histogram, 1100000, SIXTY_SECONDS), 1);
    assert_int_equal(tg_histogram_percentile(histogram, 100), 5000000);
    tg_histogram_reset(histogram);
    tg_histogram_summary_get(histogram, &summary);
    assert_int_equal(summary.count, 0);
    tg_histogram_close(histogram);
}

static void slot_counts_survive_any_sequence_of_additions(void **state)
{
    (void)state;
    enum {
        SLOTS = 40
    };
    seeded_random random = random_start("additions", 77);
    for (int round = 0; round < 50; round++) {
        tg_histogram *histogram = open_default();
        uint64_t expected[SLOTS] = {0};
        for (int step = 0; step < 400; step++) {
            const uint32_t slot = (uint32_t)random_below(&random, SLOTS);
            const uint64_t count = random_any_size(&random, 34);
            tg__histogram_slot_add(histogram, slot * 450, count);
            expected[slot] += count;
        }
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            assert_int_equal(tg__histogram_slot_get(histogram, slot * 450), expected[slot]);
        }
        tg_histogram_close(histogram);
    }
}

static void a_full_carry_table_is_told_and_loses_nothing_that_was_counted(void **state)
{
    (void)state;
    tg_histogram *histogram = open_with(1000, 2000, 1); /* the smallest: 64 slots, 64 carries */
    tg_histogram *wide = open_with(1000, SIXTY_SECONDS, 3);
    const uint32_t slots = tg__histogram_slot_count(wide);
    for (uint32_t slot = 0; slot < slots; slot++) {
        tg__histogram_slot_add(wide, slot, 65536);
    }
    tg_histogram_summary summary;
    tg_histogram_summary_get(wide, &summary);
    assert_true(summary.saturated > 0);
    assert_int_equal(summary.count + summary.saturated, (uint64_t)slots * 65536);
    assert_true(summary.count >= UINT64_C(90000000));
    tg_histogram_close(wide);

    for (uint32_t i = 0; i < tg__histogram_slot_count(histogram); i++) {
        tg__histogram_slot_add(histogram, i, 70000);
    }
    tg_histogram_summary_get(histogram, &summary);
    assert_int_equal(summary.saturated, 0);
    assert_int_equal(summary.count, (uint64_t)tg__histogram_slot_count(histogram) * 70000);
    tg_histogram_close(histogram);
}

static void merging_equals_recording_into_one(void **state)
{
    (void)state;
    seeded_random random = random_start("merge", 4711);
    tg_histogram *one = open_default();
    tg_histogram *left = open_default();
    tg_histogram *right = open_default();
    for (int i = 0; i < 300000; i++) {
        int64_t value = (int64_t)random_any_size(&random, 37);
        value = i % 3 != 0 ? 2000000 + value % 2 : value; /* enough in two slots to spill */
        value = i % 1000 == 0 ? -value - 1 : value;
        tg_histogram_record(one, value);
        tg_histogram_record(i % 2 != 0 ? left : right, value);
    }
    assert_int_equal(tg_histogram_add(left, right), TG_OK);
    for (uint32_t slot = 0; slot < tg__histogram_slot_count(one); slot++) {
        assert_int_equal(tg__histogram_slot_get(left, slot), tg__histogram_slot_get(one, slot));
    }
    tg_histogram_summary expected;
    tg_histogram_summary got;
    tg_histogram_summary_get(one, &expected);
    tg_histogram_summary_get(left, &got);
    assert_memory_equal(&got, &expected, sizeof got);

    tg_histogram *other = open_with(1000, SIXTY_SECONDS, 2);
    assert_int_equal(tg_histogram_add(other, one), TG_ERR_HISTOGRAM_RANGE);
    assert_int_equal(tg_histogram_add(one, one), TG_ERR_INVALID_ARGUMENT);
    tg_histogram_summary_get(other, &got);
    assert_int_equal(got.count, 0);
    tg_histogram_close(other);
    tg_histogram_close(one);
    tg_histogram_close(left);
    tg_histogram_close(right);
}

static void many_values_at_once_count_as_one_by_one(void **state)
{
    (void)state;
    enum {
        FEW_COUNTERS = 200000, /* so that some spill */
        VALUES = FEW_COUNTERS + 100000
    };
    static uint64_t values[VALUES];
    seeded_random random = random_start("many", 5);
    tg_histogram *single = open_default();
    tg_histogram *many = open_default();
    for (int i = 0; i < VALUES; i++) {
        /* Then ascending ones, among them the first and the last of what shares a counter. */
        values[i] = i < FEW_COUNTERS ? 5000000 + random_below(&random, 3) * 1000000
                                     : (uint64_t)(i + 1 - FEW_COUNTERS) * 512 - (i % 3 == 0);
        tg_histogram_record(single, (int64_t)values[i]);
    }
    tg__histogram_record_words(many, values, VALUES, values[FEW_COUNTERS], values[VALUES - 1]);
    tg_histogram_summary a;
    tg_histogram_summary b;
    tg_histogram_summary_get(single, &a);
    tg_histogram_summary_get(many, &b);
    assert_memory_equal(&a, &b, sizeof a);
    for (uint32_t slot = 0; slot < tg__histogram_slot_count(single); slot++) {
        assert_int_equal(tg__histogram_slot_get(single, slot), tg__histogram_slot_get(many, slot));
    }
    tg_histogram_close(single);
    tg_histogram_close(many);
}

static void correction_adds_what_a_stall_held_up(void **state)
{
    (void)state;
    tg_histogram *histogram = open_default();
    tg_histogram_record_corrected(histogram, 100000000, 40000000); /* 100 ms every 40: also 60 */
    tg_histogram_record_corrected(histogram, 40000000, 40000000);
    tg_histogram_record_corrected(histogram, 5000000, 0);
    tg_histogram_record_corrected(histogram, -5, 40000000);
    tg_histogram_summary summary;
    tg_histogram_summary_get(histogram, &summary);
    assert_int_equal(summary.count, 4);
    assert_int_equal(summary.negative, 1);
    assert_int_equal(tg_histogram_count_between(histogram, 59000000, 60500000), 1);
    tg_histogram_close(histogram);
}

typedef struct reading {
    tg_histogram *histogram;
    _Atomic int done;
    uint64_t recorded;
} reading;

static void *record_two_slots(void *arg)
{
    reading *shared = arg;
    for (uint64_t i = 0; i < shared->recorded; i++) {
        tg_histogram_record(shared->histogram, 2000000);
    }
    atomic_store_explicit(&shared->done, 1, memory_order_release); /* pairs with the reader */
    return NULL;
}

static void a_reader_never_sees_a_counter_step_back(void **state)
{
    (void)state;
    reading shared = {open_default(), 0, 1000000};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, record_two_slots, &shared), 0);
    uint64_t before = 0;
    int done = 0;
    while (done == 0) {
        done = atomic_load_explicit(&shared.done, memory_order_acquire);
        const uint64_t now = tg_histogram_count_between(shared.histogram, 1999000, 2001000);
        assert_true(now >= before);
        assert_true(now <= shared.recorded);
        before = now;
    }
    assert_int_equal(before, shared.recorded);
    assert_int_equal(pthread_join(thread, NULL), 0);
    tg_histogram_close(shared.histogram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_refuses_what_cannot_be_kept),
        cmocka_unit_test(the_default_fits_into_48_kib),
        cmocka_unit_test(an_empty_one_says_zero),
        cmocka_unit_test(values_outside_are_counted_apart_and_never_clamped),
        cmocka_unit_test(slots_tile_the_range_without_hole_or_overlap),
        cmocka_unit_test(percentiles_agree_with_a_sorted_array),
        cmocka_unit_test(a_full_counter_spills_without_loss),
        cmocka_unit_test(slot_counts_survive_any_sequence_of_additions),
        cmocka_unit_test(a_full_carry_table_is_told_and_loses_nothing_that_was_counted),
        cmocka_unit_test(merging_equals_recording_into_one),
        cmocka_unit_test(many_values_at_once_count_as_one_by_one),
        cmocka_unit_test(correction_adds_what_a_stall_held_up),
        cmocka_unit_test(a_reader_never_sees_a_counter_step_back),
    };
    return cmocka_run_group_tests_name("recorder.histogram", tests, NULL, NULL);
}
