#include "clock_text.h"

#include "tg_cmocka.h"

static void times_of_day_are_rounded_down(void **state)
{
    (void)state;
    static const struct {
        int64_t utc_ns;
        const char *text;
    } rows[] = {
        {0, "00:00:00.000"},         {INT64_C(1723161300) * 1000000000 + 999999999, "23:55:00.999"},
        {-1, "23:59:59.999"},        {-INT64_C(86400) * 1000000000, "00:00:00.000"},
        {INT64_MAX, "23:47:16.854"}, {INT64_MIN, "00:12:43.145"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[CLOCK_TEXT_SIZE];
        clock_text(rows[i].utc_ns, true, text);
        assert_string_equal(text, rows[i].text);
        clock_text(rows[i].utc_ns, false, text);
        assert_memory_equal(text, rows[i].text, 8);
        assert_int_equal(text[8], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_day_are_rounded_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
