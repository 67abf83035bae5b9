#include "time_axis.h"

#include "tg_cmocka.h"

static void expect_text(int64_t ns, const char *wanted)
{
    char text[TIME_AXIS_TEXT_SIZE];
    time_axis_duration_text(ns, text);
    assert_string_equal(text, wanted);
}

static void durations_have_their_unit_and_at_most_nine_cells(void **state)
{
    (void)state;
    expect_text(0, "0.0 \xC2\xB5s");
    expect_text(511, "0.5 \xC2\xB5s");
    expect_text(12345, "12.3 \xC2\xB5s");
    expect_text(999949, "999.9 \xC2\xB5s");
    expect_text(999950, "1.00 ms");
    expect_text(16666667, "16.67 ms");
    expect_text(999994999, "999.99 ms");
    expect_text(999995000, "1.00 s");
    expect_text(60000000000, "60.00 s");
    expect_text(-1500000, "-1.50 ms");
    char text[TIME_AXIS_TEXT_SIZE];
    time_axis_duration_text(INT64_MIN, text);
    time_axis_duration_text(INT64_MAX, text);
}

static void positions_grow_with_durations(void **state)
{
    (void)state;
    int32_t before = -1;
    for (int64_t ns = 1; ns < INT64_MAX / 3; ns = ns + ns / 7 + 1) {
        const int32_t at = time_axis_position(ns);
        assert_true(at >= before);
        before = at;
    }
    for (int octave = 0; octave < 62; octave++) {
        assert_int_equal(time_axis_position(INT64_C(1) << octave),
                         octave * TIME_AXIS_STEPS_PER_OCTAVE);
    }
    assert_int_equal(time_axis_position(-5), 0);
}

static void decades_enclose(void **state)
{
    (void)state;
    assert_int_equal(time_axis_decade_below(0), 1000);
    assert_int_equal(time_axis_decade_below(9999), 1000);
    assert_int_equal(time_axis_decade_below(10000), 10000);
    assert_int_equal(time_axis_decade_above(10000), 10000);
    assert_int_equal(time_axis_decade_above(10001), 100000);
    assert_true(time_axis_decade_below(INT64_MAX) <= INT64_MAX);
    char text[TIME_AXIS_TEXT_SIZE];
    time_axis_decade_text(100000, text);
    assert_string_equal(text, "100 \xC2\xB5s");
    time_axis_decade_text(10000000, text);
    assert_string_equal(text, "10 ms");
    const time_axis axis = {1000, 1000000, 100};
    assert_int_equal(time_axis_step(&axis, 0), 0);
    assert_int_equal(time_axis_step(&axis, 1000), 0);
    assert_int_equal(time_axis_step(&axis, 1000000), 99);
    assert_int_equal(time_axis_step(&axis, INT64_MAX), 99);
    const uint32_t middle = time_axis_step(&axis, 31623);
    assert_true(middle >= 49 && middle <= 51);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_have_their_unit_and_at_most_nine_cells),
        cmocka_unit_test(positions_grow_with_durations),
        cmocka_unit_test(decades_enclose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
