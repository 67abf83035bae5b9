#include <tickglass/time_text.h>

#include "tg_cmocka.h"

#define S INT64_C(1000000000)

static void age_text_rounds_down_and_says_never(void **state)
{
    (void)state;
    static const struct {
        int64_t age_ns;
        const char *text;
    } cases[] = {
        {-1, "\xE2\x80\x93"}, {0, "<1s"},
        {S - 1, "<1s"},       {S, "1s"},
        {59 * S, "59s"},      {60 * S, "1m00s"},
        {125 * S, "2m05s"},   {3599 * S, "59m59s"},
        {3600 * S, "1h00m"},  {86399 * S, "23h59m"},
        {86400 * S, "1d00h"}, {INT64_MAX, "106751d23h"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TG_TIME_TEXT_SIZE];
        assert_int_equal(tg_age_text(cases[i].age_ns, text, sizeof text), TG_OK);
        assert_string_equal(text, cases[i].text);
    }
}

static void duration_text_keeps_hundredths_of_a_millisecond_and_the_sign(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0.00 ms"},         {4999, "0.00 ms"},
        {5000, "0.01 ms"},      {410000, "0.41 ms"},
        {-410000, "-0.41 ms"},  {-100, "0.00 ms"},
        {16666667, "16.67 ms"}, {INT64_MIN, "-9223372036854.78 ms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TG_TIME_TEXT_SIZE];
        assert_int_equal(tg_duration_text(cases[i].ns, text, sizeof text), TG_OK);
        assert_string_equal(text, cases[i].text);
    }
}

static void utc_text_names_its_zone_and_knows_the_calendar(void **state)
{
    (void)state;
    static const struct {
        int64_t s;
        const char *text;
    } cases[] = {
        {0, "1970-01-01 00:00:00 UTC"},          {-1, "1969-12-31 23:59:59 UTC"},
        {1723161300, "2024-08-08 23:55:00 UTC"}, {1709164799, "2024-02-28 23:59:59 UTC"},
        {1709164800, "2024-02-29 00:00:00 UTC"}, {4107542399, "2100-02-28 23:59:59 UTC"},
        {4107542400, "2100-03-01 00:00:00 UTC"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TG_TIME_TEXT_SIZE];
        assert_int_equal(tg_utc_text(cases[i].s * S, text, sizeof text), TG_OK);
        assert_string_equal(text, cases[i].text);
    }
}

static void texts_that_do_not_fit_are_empty(void **state)
{
    (void)state;
    char text[8] = "left";
    assert_int_equal(tg_utc_text(0, text, sizeof text), TG_ERR_BUFFER_TOO_SMALL);
    assert_string_equal(text, "");
    assert_int_equal(tg_age_text(0, text, 3), TG_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(tg_age_text(0, text, 4), TG_OK);
    assert_int_equal(tg_duration_text(0, text, 7), TG_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(tg_age_text(0, NULL, 0), TG_ERR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(age_text_rounds_down_and_says_never),
        cmocka_unit_test(duration_text_keeps_hundredths_of_a_millisecond_and_the_sign),
        cmocka_unit_test(utc_text_names_its_zone_and_knows_the_calendar),
        cmocka_unit_test(texts_that_do_not_fit_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
