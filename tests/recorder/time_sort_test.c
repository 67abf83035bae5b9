#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "seeded_random.h"
#include "time_sort.h"

enum {
    MOST = 5000
};

static tg__timed made[MOST];
static tg__timed items[MOST];
static tg__timed spare[MOST];

/* place numbers the items, so that the order of equal times can be told. */
static int compare(const void *left, const void *right)
{
    const tg__timed *a = left;
    const tg__timed *b = right;
    return a->order_ns != b->order_ns ? (a->order_ns > b->order_ns) - (a->order_ns < b->order_ns)
                                      : (a->place > b->place) - (a->place < b->place);
}

static void check(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        made[i].stream = (uint32_t)(i * 7);
        made[i].place = (uint32_t)i;
    }
    memcpy(items, made, sizeof items);
    const tg__timed *sorted = tg__time_sort(items, spare, count);
    assert_true(sorted == items || sorted == spare);
    qsort(made, count, sizeof made[0], compare);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(sorted[i].order_ns, made[i].order_ns);
        assert_int_equal(sorted[i].place, made[i].place);
        assert_int_equal(sorted[i].stream, made[i].stream);
    }
}

static void times_of_any_range_come_out_ascending_and_equal_ones_as_they_were(void **state)
{
    (void)state;
    seeded_random random = random_start("time sort", 5);
    for (int trial = 0; trial < 300; trial++) {
        const size_t count = (size_t)random_any_size(&random, 12);
        const unsigned bits = (unsigned)random_below(&random, 65);
        const int64_t from = (int64_t)random_u64(&random);
        for (size_t i = 0; i < count && i < MOST; i++) {
            made[i].order_ns =
                (int64_t)((uint64_t)from + (bits == 0 ? 0 : random_u64(&random) >> (64 - bits)));
        }
        check(count < MOST ? count : MOST);
    }
}

static void rows_that_ascend_each_are_merged(void **state)
{
    (void)state;
    seeded_random random = random_start("rows", 6);
    for (size_t width = 1; width <= 64; width *= 2) {
        for (size_t i = 0; i < MOST; i++) {
            const size_t rows = (MOST + width - 1) / width;
            made[i].order_ns = INT64_MIN + (int64_t)((i % width) * rows * 10 + i / width * 10 +
                                                     random_below(&random, 10));
        }
        check(MOST);
    }
}

static void the_ends_of_the_range_are_times_too(void **state)
{
    (void)state;
    static const int64_t ends[] = {INT64_MAX, INT64_MIN, 0, -1, INT64_MAX, INT64_MIN, 1};
    for (size_t count = 0; count <= 210; count += 7) {
        for (size_t i = 0; i < count; i++) {
            made[i].order_ns = ends[i % 7];
        }
        check(count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_any_range_come_out_ascending_and_equal_ones_as_they_were),
        cmocka_unit_test(rows_that_ascend_each_are_merged),
        cmocka_unit_test(the_ends_of_the_range_are_times_too),
    };
    return cmocka_run_group_tests_name("recorder.time_sort", tests, NULL, NULL);
}
