#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/decimal.h>

static void rejects_text_that_is_not_a_plain_decimal(void **state)
{
    (void)state;
    static const char *const bad[] = {"",   "-",   ".",     ".5",   "5.",  "1,5", "1e5", " 1",
                                      "1 ", "--1", "1.2.3", "0x10", "nan", "inf", "+",   "1-"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tg_decimal out = {77, 7};
        assert_int_equal(tg_decimal_parse(bad[i], strlen(bad[i]), &out), TG_ERR_SYNTAX);
        assert_int_equal(out.mantissa, 77); /* a refused text changes nothing */
    }
}

static void rejects_what_does_not_fit(void **state)
{
    (void)state;
    static const char *const bad[] = {"9223372036854775808", "-9223372036854775809",
                                      "92233720368547758070", "0.1234567890123456789"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tg_decimal out = {0, 0};
        assert_int_equal(tg_decimal_parse(bad[i], strlen(bad[i]), &out), TG_ERR_OVERFLOW);
    }
}

static void text_survives_parse_and_format(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "0.00",
                                        "-37.63",
                                        "9999999997.00000",
                                        "0.00000000001",
                                        "-0.5",
                                        "888888004.0000",
                                        "200000.00000000000",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "0.000000000000000001",
                                        "-9.223372036854775808"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tg_decimal value;
        char text[TG_DECIMAL_TEXT_SIZE];
        assert_int_equal(tg_decimal_parse(texts[i], strlen(texts[i]), &value), TG_OK);
        assert_int_equal(tg_decimal_format(value, text, sizeof text), TG_OK);
        assert_string_equal(text, texts[i]);
    }
}

static void positive_exponents_write_their_zeros(void **state)
{
    (void)state;
    char text[TG_DECIMAL_TEXT_SIZE];
    const tg_decimal hundreds = {-12, 2};
    assert_int_equal(tg_decimal_format(hundreds, text, sizeof text), TG_OK);
    assert_string_equal(text, "-1200");
    const tg_decimal zero = {0, 18};
    assert_int_equal(tg_decimal_format(zero, text, sizeof text), TG_OK);
    assert_string_equal(text, "0");
    const tg_decimal longest = {INT64_MIN, 18};
    assert_int_equal(tg_decimal_format(longest, text, sizeof text), TG_OK);
    assert_string_equal(text, "-9223372036854775808000000000000000000");
}

static void format_reports_a_small_buffer(void **state)
{
    (void)state;
    const tg_decimal value = {-3763, -2};
    char text[7];
    for (size_t size = 0; size < 7; size++) {
        text[0] = 'x';
        assert_int_equal(tg_decimal_format(value, text, size), TG_ERR_BUFFER_TOO_SMALL);
        assert_int_equal(text[0], size == 0 ? 'x' : '\0');
    }
    assert_int_equal(tg_decimal_format(value, text, 7), TG_OK);
    assert_string_equal(text, "-37.63");
}

static void rescale_never_loses_a_digit(void **state)
{
    (void)state;
    int64_t mantissa = 0;
    const tg_decimal price = {-3763, -2};
    assert_int_equal(tg_decimal_rescale(price, -5, &mantissa), TG_OK);
    assert_int_equal(mantissa, -3763000);
    assert_int_equal(tg_decimal_rescale(price, -1, &mantissa), TG_ERR_OVERFLOW);
    const tg_decimal round = {-3700, -2};
    assert_int_equal(tg_decimal_rescale(round, 0, &mantissa), TG_OK);
    assert_int_equal(mantissa, -37);
    const tg_decimal large = {INT64_MAX, 0};
    assert_int_equal(tg_decimal_rescale(large, -1, &mantissa), TG_ERR_OVERFLOW);
    const tg_decimal zero = {0, 18};
    assert_int_equal(tg_decimal_rescale(zero, -18, &mantissa), TG_OK);
    assert_int_equal(mantissa, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejects_text_that_is_not_a_plain_decimal),
        cmocka_unit_test(rejects_what_does_not_fit),
        cmocka_unit_test(text_survives_parse_and_format),
        cmocka_unit_test(positive_exponents_write_their_zeros),
        cmocka_unit_test(format_reports_a_small_buffer),
        cmocka_unit_test(rescale_never_loses_a_digit),
    };
    return cmocka_run_group_tests_name("base.decimal", tests, NULL, NULL);
}
