#include "tg_cmocka.h"

#include <string.h>

#include "time_map.h"

#define SECOND INT64_C(1000000000)

/* 2.6 GHz; UTC is monotonic time plus a constant. */
static tg__anchor anchor_at(int64_t mono_ns, int64_t utc_minus_mono)
{
    const tg__anchor anchor = {(uint64_t)mono_ns / 10 * 26, mono_ns, mono_ns,
                               mono_ns + utc_minus_mono};
    return anchor;
}

static void add(tg__time_map *map, tg__anchor anchor)
{
    assert_int_equal(tg__time_map_add(map, &anchor), TG_OK);
}

static void assert_near(int64_t got, int64_t expected, int64_t tolerance)
{
    assert_true(got - expected <= tolerance && expected - got <= tolerance);
}

static void stamps_between_and_beyond_anchors_are_interpolated(void **state)
{
    (void)state;
    tg__time_map map = {.clock_kind = TG__CLOCK_CYCLES};
    for (int i = 1; i <= 20; i++) {
        add(&map, anchor_at(i * SECOND, 5 * SECOND));
    }
    /* Forwards, backwards and outside, so that no order of asking is favoured. */
    const int64_t asked[] = {SECOND,      19 * SECOND / 2, 3 * SECOND + 7,  20 * SECOND,
                             25 * SECOND, SECOND / 2,      11 * SECOND - 1, 2 * SECOND};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        const int64_t mono = tg__time_map_mono(&map, (uint64_t)asked[i] / 10 * 26);
        assert_near(mono, asked[i], 20);
        assert_near(tg__time_map_utc(&map, mono), mono + 5 * SECOND, 20);
    }
    tg__time_map_deinit(&map);
}

static void a_step_of_the_wall_clock_does_not_bend_the_times_before_it(void **state)
{
    (void)state;
    tg__time_map map = {.clock_kind = TG__CLOCK_CYCLES};
    add(&map, anchor_at(1 * SECOND, 0));
    add(&map, anchor_at(2 * SECOND, 0));
    add(&map, anchor_at(3 * SECOND, 3600 * SECOND));
    add(&map, anchor_at(4 * SECOND, 3600 * SECOND));
    assert_near(tg__time_map_utc(&map, 2 * SECOND + SECOND / 2), 2 * SECOND + SECOND / 2, 1);
    assert_near(tg__time_map_utc(&map, 3 * SECOND + 5), 3603 * SECOND + 5, 1);
    assert_int_equal(tg__time_map_utc_step(&map), 3600 * SECOND);
    tg__time_map_deinit(&map);
}

static void drift_is_spread_over_its_second(void **state)
{
    (void)state;
    tg__time_map map = {.clock_kind = TG__CLOCK_CYCLES};
    add(&map, anchor_at(1 * SECOND, 0));
    add(&map, anchor_at(2 * SECOND, 20000)); /* 20 ppm */
    assert_near(tg__time_map_utc(&map, SECOND + SECOND / 2), SECOND + SECOND / 2 + 10000, 2);
    tg__time_map_deinit(&map);
}

/* Each anchor has an offset and a rate of its own: whichever was asked for before, the answer is
 * that of the anchors around it. */
static void every_time_is_found_in_any_order(void **state)
{
    (void)state;
    enum {
        COUNT = 100
    };
    tg__time_map map = {.clock_kind = TG__CLOCK_CYCLES};
    for (int64_t i = 0; i < COUNT; i++) {
        const int64_t mono_ns = (10 + i) * SECOND;
        /* From one to the next i + 1 stamps a nanosecond, and UTC an hour further. */
        const tg__anchor anchor = {(uint64_t)(SECOND * (i * (i + 1) / 2)), mono_ns, mono_ns,
                                   mono_ns + i * 3600 * SECOND};
        add(&map, anchor);
    }
    for (int64_t n = 0; n < 5 * COUNT; n++) {
        const int64_t i = n * 37 % (COUNT - 1);
        const int64_t into = SECOND / 4 * (n % 4);
        const int64_t mono_ns = (10 + i) * SECOND + into;
        if (n % 3 != 0) {
            const uint64_t stamp = (uint64_t)(SECOND * (i * (i + 1) / 2) + into * (i + 1));
            assert_near(tg__time_map_mono(&map, stamp), mono_ns, 1);
        }
        assert_int_equal(tg__time_map_utc(&map, mono_ns), mono_ns + i * 3600 * SECOND);
    }
    assert_int_equal(tg__time_map_utc(&map, 5 * SECOND), 5 * SECOND);
    tg__time_map_deinit(&map);
}

static void suspend_shows_in_boot_time(void **state)
{
    (void)state;
    tg__time_map map = {.clock_kind = TG__CLOCK_CYCLES};
    add(&map, anchor_at(1 * SECOND, 0));
    tg__anchor after = anchor_at(2 * SECOND, 90 * SECOND);
    after.boot_ns += 90 * SECOND;
    add(&map, after);
    assert_int_equal(tg__time_map_suspended(&map), 90 * SECOND);
    assert_int_equal(tg__time_map_utc_step(&map), 0); /* nobody set the wall clock */
    tg__time_map_deinit(&map);
}

static void anchors_that_do_not_ascend_are_refused(void **state)
{
    (void)state;
    tg__time_map map = {.clock_kind = TG__CLOCK_CYCLES};
    add(&map, anchor_at(2 * SECOND, 0));
    const tg__anchor same = anchor_at(2 * SECOND, 0);
    const tg__anchor older = anchor_at(1 * SECOND, 0);
    assert_int_equal(tg__time_map_add(&map, &same), TG_ERR_STATE);
    assert_int_equal(tg__time_map_add(&map, &older), TG_ERR_STATE);
    assert_int_equal(map.count, 1);
    tg__time_map_deinit(&map);
}

static void impossible_stamps_stay_in_range(void **state)
{
    (void)state;
    tg__time_map map = {.clock_kind = TG__CLOCK_CYCLES};
    assert_int_equal(tg__time_map_mono(&map, 5), 5);
    assert_int_equal(tg__time_map_utc(&map, 5), 5);
    add(&map, (tg__anchor){1, 1, 1, INT64_MAX});
    add(&map, (tg__anchor){2, INT64_MAX, INT64_MIN, INT64_MIN});
    const uint64_t stamps[] = {0, 1, 2, UINT64_MAX, UINT64_MAX / 2};
    for (size_t i = 0; i < sizeof stamps / sizeof stamps[0]; i++) {
        (void)tg__time_map_utc(&map, tg__time_map_mono(&map, stamps[i]));
    }
    (void)tg__time_map_suspended(&map);
    (void)tg__time_map_utc_step(&map);
    tg__time_map_deinit(&map);
}

static void a_real_anchor_reads_all_clocks_at_one_moment(void **state)
{
    (void)state;
    const tg_clock system = tg_clock_system();
    const uint32_t kind = tg__clock_kind_best();
    const int64_t before = tg_clock_mono_ns(&system);
    const tg__anchor anchor = tg__anchor_take(kind, &system);
    const int64_t after = tg_clock_mono_ns(&system);
    assert_true(anchor.mono_ns >= before && anchor.mono_ns <= after);
    assert_true(anchor.utc_ns > INT64_C(1500000000000000000));
    assert_true(anchor.boot_ns >= anchor.mono_ns - (after - before));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stamps_between_and_beyond_anchors_are_interpolated),
        cmocka_unit_test(a_step_of_the_wall_clock_does_not_bend_the_times_before_it),
        cmocka_unit_test(drift_is_spread_over_its_second),
        cmocka_unit_test(every_time_is_found_in_any_order),
        cmocka_unit_test(suspend_shows_in_boot_time),
        cmocka_unit_test(anchors_that_do_not_ascend_are_refused),
        cmocka_unit_test(impossible_stamps_stay_in_range),
        cmocka_unit_test(a_real_anchor_reads_all_clocks_at_one_moment),
    };
    return cmocka_run_group_tests_name("recorder.time_map", tests, NULL, NULL);
}
