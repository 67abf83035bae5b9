#include "tg_cmocka.h"

#include <string.h>

#include "sim_pace.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)
#define VENUES    6u

static tg__pace pace_of(const tg__sim_options *options)
{
    tg__pace pace;
    tg__pace_init(&pace, 5, options, VENUES);
    return pace;
}

/* Ticks from start_ms to end_ms, as the rate tells them every millisecond. */
static uint64_t ticks_between(tg__pace *pace, int64_t start_ms, int64_t end_ms)
{
    uint64_t thousandths = 0;
    for (int64_t ms = start_ms; ms < end_ms; ms++) {
        tg__pace_advance(pace, ms * NS_PER_MS);
        thousandths += tg__pace_rate(pace);
    }
    return thousandths / 1000;
}

static void every_twelve_seconds_have_the_mean_rate(void **state)
{
    (void)state;
    tg__pace pace = pace_of(&tg__sim_usual);
    for (int64_t round = 0; round < 20; round++) {
        const uint64_t ticks = ticks_between(&pace, round * 12000, (round + 1) * 12000);
        assert_in_range(ticks, 12 * 19900, 12 * 20100);
    }
}

static void moods_differ_and_come_in_another_order_every_round(void **state)
{
    (void)state;
    tg__pace pace = pace_of(&tg__sim_usual);
    uint32_t lowest = UINT32_MAX;
    uint32_t highest = 0;
    unsigned other = 0;
    uint32_t first[TG__SIM_MOODS];
    for (uint32_t i = 0; i < 2 * TG__SIM_MOODS; i++) {
        tg__pace_advance(&pace, (int64_t)i * 750 * NS_PER_MS);
        const uint32_t rate = tg__pace_rate(&pace);
        lowest = rate < lowest ? rate : lowest;
        highest = rate > highest ? rate : highest;
        if (i < TG__SIM_MOODS) {
            first[i] = rate;
        } else {
            other += first[i - TG__SIM_MOODS] != rate;
        }
    }
    assert_in_range(lowest, 5000, 6500);
    assert_in_range(highest, 70000, 80000);
    assert_true(other > 8);
}

static void a_release_holds_for_a_second_and_halves_every_half_second(void **state)
{
    (void)state;
    tg__sim_options options = tg__sim_usual;
    options.ticks_per_s = 1000;
    options.release_count = 2;
    options.release_s[0] = 20;
    options.release_s[1] = 40;
    tg__pace pace = pace_of(&options);
    for (int64_t start_ms = 20000; start_ms <= 40000; start_ms += 20000) {
        tg__pace_advance(&pace, start_ms * NS_PER_MS - 1);
        assert_false(tg__pace_is_release(&pace));
        assert_true(tg__pace_rate(&pace) < 4000);
        assert_int_equal(ticks_between(&pace, start_ms, start_ms + 1000), 190000);
        assert_true(tg__pace_is_release(&pace));
        assert_int_equal(tg__pace_spread_q8(&pace), 1024);
        tg__pace_advance(&pace, (start_ms + 1500) * NS_PER_MS);
        assert_in_range(tg__pace_rate(&pace), 94900, 95000);
        tg__pace_advance(&pace, (start_ms + 2000) * NS_PER_MS);
        assert_in_range(tg__pace_rate(&pace), 47400, 47500);
        tg__pace_advance(&pace, (start_ms + 3000) * NS_PER_MS);
        assert_false(tg__pace_is_release(&pace));
        assert_int_equal(tg__pace_spread_q8(&pace), 256);
    }
    assert_true(ticks_between(&pace, 43000, 643000) < 600 * 1100);
}

static void without_times_a_release_comes_every_so_often_or_never(void **state)
{
    (void)state;
    tg__sim_options options = tg__sim_usual;
    tg__pace pace = pace_of(&options);
    for (int64_t s = 0; s < 1000; s++) {
        tg__pace_advance(&pace, s * NS_PER_S);
        assert_int_equal(pace.releases, s / 300);
        assert_int_equal(tg__pace_is_release(&pace), s >= 300 && s % 300 < 3);
    }
    options.release_every_s = 0;
    pace = pace_of(&options);
    tg__pace_advance(&pace, 100000 * NS_PER_S);
    assert_int_equal(pace.releases, 0);
}

static void an_opening_starts_fast_and_wide_and_calms_down(void **state)
{
    (void)state;
    tg__sim_options options = tg__sim_usual;
    options.open_s = 60;
    tg__pace pace = pace_of(&options);
    assert_int_equal(tg__pace_spread_q8(&pace), 1024);
    uint64_t before = UINT64_MAX;
    for (int64_t round = 0; round < 5; round++) {
        const uint64_t ticks = ticks_between(&pace, round * 12000, (round + 1) * 12000);
        assert_true(ticks < before);
        before = ticks;
        assert_in_range(tg__pace_spread_q8(&pace), 256, 1024);
        assert_true(round > 0 || ticks > 12 * 60000);
    }
    tg__pace_advance(&pace, 60 * NS_PER_S);
    assert_int_equal(tg__pace_spread_q8(&pace), 256);
    assert_in_range(ticks_between(&pace, 60000, 72000), 12 * 19900, 12 * 20100);
}

static void one_venue_at_a_time_is_quiet_for_some_seconds(void **state)
{
    (void)state;
    tg__sim_options options = tg__sim_usual;
    options.release_every_s = 0;
    tg__pace pace = pace_of(&options);
    unsigned quiet_ms[VENUES] = {0};
    unsigned all = 0;
    for (int64_t ms = 0; ms < 3600000; ms++) {
        unsigned venues = 0;
        tg__pace_advance(&pace, ms * NS_PER_MS);
        for (uint32_t v = 0; v < VENUES; v++) {
            const bool quiet = tg__pace_is_quiet(&pace, (tg_venue_id)v);
            venues += quiet;
            quiet_ms[v] += quiet;
        }
        assert_true(venues <= 1);
        all += venues;
    }
    assert_in_range(all, 80000, 400000); /* of an hour */
    for (uint32_t v = 0; v < VENUES; v++) {
        assert_true(quiet_ms[v] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_twelve_seconds_have_the_mean_rate),
        cmocka_unit_test(moods_differ_and_come_in_another_order_every_round),
        cmocka_unit_test(a_release_holds_for_a_second_and_halves_every_half_second),
        cmocka_unit_test(without_times_a_release_comes_every_so_often_or_never),
        cmocka_unit_test(an_opening_starts_fast_and_wide_and_calms_down),
        cmocka_unit_test(one_venue_at_a_time_is_quiet_for_some_seconds),
    };
    return cmocka_run_group_tests_name("gateway.sim_pace", tests, NULL, NULL);
}
