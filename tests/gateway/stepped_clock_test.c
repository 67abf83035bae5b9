#include "tg_cmocka.h"

#include "stepped_clock.h"

static int64_t read_mono(void *ctx)
{
    (void)ctx;
    return 100;
}

static int64_t read_utc(void *ctx)
{
    (void)ctx;
    return 200;
}

static void only_the_wall_clock_steps(void **state)
{
    (void)state;
    const tg_clock base = {read_mono, read_utc, NULL, NULL};
    tg__stepped_clock stepped;
    const tg_clock clock = tg__stepped_clock_open(&stepped, &base);
    assert_int_equal(tg_clock_mono_ns(&clock), 100);
    assert_int_equal(tg_clock_utc_ns(&clock), 200);
    stepped.offset_ns = -350;
    assert_int_equal(tg_clock_mono_ns(&clock), 100);
    assert_int_equal(tg_clock_utc_ns(&clock), -150);
    stepped.offset_ns += 1000;
    assert_int_equal(tg_clock_utc_ns(&clock), 850);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_the_wall_clock_steps)};
    return cmocka_run_group_tests_name("gateway.stepped_clock", tests, NULL, NULL);
}
