#include "tg_cmocka.h"

#include "backoff.h"

#define MS INT64_C(1000000)

static void windows_double_from_the_first_retry_up_to_the_cap(void **state)
{
    (void)state;
    tg__backoff backoff;
    tg__backoff_init(&backoff, 500, 15000);
    tg__random random = {1};
    static const uint32_t windows[] = {500, 1000, 2000, 4000, 8000, 15000, 15000};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        assert_int_equal(tg__backoff_window_ms(&backoff), windows[i]);
        const int64_t delay = tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_OWN, 0);
        assert_true(delay >= 0 && delay <= (int64_t)windows[i] * MS);
    }
    tg__backoff_reset(&backoff);
    assert_int_equal(tg__backoff_window_ms(&backoff), 500);
}

static void any_number_of_attempts_stays_at_the_cap(void **state)
{
    (void)state;
    tg__backoff backoff;
    tg__backoff_init(&backoff, 1, UINT32_MAX);
    backoff.attempts = UINT32_MAX;
    tg__random random = {1};
    assert_int_equal(tg__backoff_window_ms(&backoff), UINT32_MAX);
    (void)tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_OWN, 0);
    assert_int_equal(backoff.attempts, UINT32_MAX);
    tg__backoff_init(&backoff, 0, 0);
    backoff.attempts = 1000;
    assert_int_equal(tg__backoff_window_ms(&backoff), 0);
    assert_int_equal(tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_OWN, 0), 0);
}

static void a_spread_that_the_gateway_told_widens_the_first_window(void **state)
{
    (void)state;
    tg__backoff backoff;
    tg__backoff_init(&backoff, 500, 15000);
    static const uint32_t rows[][2] = {{0, 500},     {499, 500},     {501, 501},
                                       {8334, 8334}, {15001, 15000}, {UINT32_MAX, 15000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tg__backoff_spread(&backoff, rows[i][0]);
        assert_int_equal(tg__backoff_window_ms(&backoff), rows[i][1]);
    }
    tg__backoff_spread(&backoff, 4000);
    tg__random random = {1};
    int64_t most = 0;
    for (int i = 0; i < 200; i++) {
        tg__backoff_reset(&backoff); /* which forgets the attempts, not what was told */
        const int64_t delay = tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_OWN, 0);
        most = delay > most ? delay : most;
    }
    assert_true(most > 3800 * MS && most <= 4000 * MS);
    assert_int_equal(tg__backoff_window_ms(&backoff), 8000); /* and it doubles from there */
    backoff.attempts = UINT32_MAX;
    assert_int_equal(tg__backoff_window_ms(&backoff), 15000);
    tg__backoff_spread(&backoff, 0);
    tg__backoff_reset(&backoff);
    assert_int_equal(tg__backoff_window_ms(&backoff), 500);
}

static uint32_t window_after(uint32_t attempts, int64_t spent_ns)
{
    tg__backoff backoff;
    tg__backoff_init(&backoff, 500, 15000);
    backoff.attempts = attempts;
    tg__backoff_spend(&backoff, spent_ns);
    return tg__backoff_window_ms(&backoff);
}

static void an_attempt_that_took_long_widens_the_window(void **state)
{
    (void)state;
    assert_int_equal(window_after(0, 0), 500);
    assert_int_equal(window_after(0, 1000 * MS), 500);
    assert_int_equal(window_after(0, 1002 * MS), 1000);
    assert_int_equal(window_after(0, 3000 * MS), 2000);
    assert_int_equal(window_after(0, 15000 * MS), 8000);
    assert_int_equal(window_after(5, 15000 * MS), 15000);
    assert_int_equal(window_after(0, INT64_MAX), 15000);
    assert_int_equal(window_after(3, 100 * MS), 4000);
    assert_int_equal(window_after(UINT32_MAX, INT64_MAX), 15000);
    tg__backoff nothing;
    tg__backoff_init(&nothing, 0, 15000);
    tg__backoff_spend(&nothing, INT64_MAX);
    assert_int_equal(tg__backoff_window_ms(&nothing), 0);
}

static void delays_are_spread_evenly_over_the_window(void **state)
{
    (void)state;
    tg__random random = {42};
    uint32_t bins[10] = {0};
    for (int i = 0; i < 100000; i++) {
        tg__backoff backoff;
        tg__backoff_init(&backoff, 1000, 15000);
        const int64_t delay = tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_OWN, 0);
        const int64_t bin = delay / (100 * MS);
        bins[bin < 10 ? bin : 9]++;
    }
    for (int i = 0; i < 10; i++) {
        /* 10,000 expected, standard deviation 95: six of them either way. */
        assert_in_range(bins[i], 9430, 10570);
    }
}

static void check_told(uint32_t floor_ms, uint32_t before, int64_t spread_ms)
{
    tg__random random = {7};
    int64_t low = INT64_MAX;
    int64_t high = 0;
    for (int i = 0; i < 10000; i++) {
        tg__backoff backoff;
        tg__backoff_init(&backoff, 500, 15000);
        backoff.attempts = 20; /* its own window is at the cap, and does not matter */
        backoff.told = before;
        const int64_t delay = tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_TOLD, floor_ms);
        low = delay < low ? delay : low;
        high = delay > high ? delay : high;
    }
    assert_true(low >= floor_ms * MS && low < floor_ms * MS + spread_ms * MS / 100);
    assert_true(high <= (floor_ms + spread_ms) * MS);
    assert_true(high > floor_ms * MS + spread_ms * MS / 100 * 99);
}

static void a_time_that_was_given_is_never_undercut_and_spreads_by_a_quarter_of_it(void **state)
{
    (void)state;
    check_told(1840, 0, 1000);
    check_told(1, 0, 1000);
    check_told(8000, 0, 2000);
    check_told(60000, 0, 15000);
}

static void every_time_that_is_given_in_vain_doubles_the_spread(void **state)
{
    (void)state;
    check_told(1000, 1, 2000);
    check_told(1000, 3, 8000);
    check_told(1000, 4, 16000);
    check_told(1000, UINT32_MAX, 16000);
    check_told(60000, UINT32_MAX, 15000);
    tg__random random = {7};
    tg__backoff backoff;
    tg__backoff_init(&backoff, 500, 15000);
    (void)tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_TOLD, 1000);
    assert_int_equal(backoff.told, 1);
    (void)tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_OWN, 0);
    assert_int_equal(backoff.told, 1);
    assert_int_equal(backoff.attempts, 2);
    tg__backoff_reset(&backoff);
    assert_int_equal(backoff.told, 0);
}

static void a_floor_of_ones_own_leaves_the_window_whole(void **state)
{
    (void)state;
    tg__random random = {7};
    int64_t high = 0;
    for (int i = 0; i < 10000; i++) {
        tg__backoff backoff;
        tg__backoff_init(&backoff, 500, 15000);
        backoff.attempts = 20;
        const int64_t delay = tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_OWN, 1000);
        assert_true(delay >= 1000 * MS && delay <= 16000 * MS);
        high = delay > high ? delay : high;
    }
    assert_true(high > 15900 * MS);
}

static void a_hostile_floor_is_clamped(void **state)
{
    (void)state;
    tg__random random = {7};
    tg__backoff backoff;
    tg__backoff_init(&backoff, 500, 15000);
    const int64_t delay = tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_TOLD, UINT32_MAX);
    assert_true(delay <= TG__BACKOFF_FLOOR_MAX_MS * MS * 5 / 4);
}

static void a_slow_retry_starts_at_the_cap(void **state)
{
    (void)state;
    tg__random random = {7};
    for (int i = 0; i < 1000; i++) {
        tg__backoff backoff;
        tg__backoff_init(&backoff, 500, 15000);
        const int64_t delay = tg__backoff_next_ns(&backoff, &random, TG__BACKOFF_SLOW, 0);
        assert_true(delay >= 15000 * MS && delay <= 30000 * MS);
    }
}

static void one_seed_gives_one_sequence(void **state)
{
    (void)state;
    tg__random a = {99};
    tg__random b = {99};
    for (int i = 0; i < 100; i++) {
        assert_int_equal(tg__random_upto(&a, 1000), tg__random_upto(&b, 1000));
    }
    assert_int_equal(tg__random_upto(&a, 0), 0);
    (void)tg__random_upto(&a, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_double_from_the_first_retry_up_to_the_cap),
        cmocka_unit_test(any_number_of_attempts_stays_at_the_cap),
        cmocka_unit_test(a_spread_that_the_gateway_told_widens_the_first_window),
        cmocka_unit_test(an_attempt_that_took_long_widens_the_window),
        cmocka_unit_test(delays_are_spread_evenly_over_the_window),
        cmocka_unit_test(a_time_that_was_given_is_never_undercut_and_spreads_by_a_quarter_of_it),
        cmocka_unit_test(every_time_that_is_given_in_vain_doubles_the_spread),
        cmocka_unit_test(a_floor_of_ones_own_leaves_the_window_whole),
        cmocka_unit_test(a_hostile_floor_is_clamped),
        cmocka_unit_test(a_slow_retry_starts_at_the_cap),
        cmocka_unit_test(one_seed_gives_one_sequence),
    };
    return cmocka_run_group_tests_name("sdk.backoff", tests, NULL, NULL);
}
