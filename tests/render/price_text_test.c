#include <tickglass/price_text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tg_cmocka.h"

typedef struct price_case {
    tg_price_format format;
    int8_t exponent;
    int64_t price;
    const char *text;
} price_case;

static void price_text_writes_every_format_exactly(void **state)
{
    (void)state;
    static const price_case cases[] = {
        {TG_PRICE_DECIMAL, -2, 6181300, "61813.00"},
        {TG_PRICE_DECIMAL, -2, -3763, "-37.63"},
        {TG_PRICE_DECIMAL, -2, -5, "-0.05"},
        {TG_PRICE_DECIMAL, -2, 0, "0.00"},
        {TG_PRICE_DECIMAL, -11, 1, "0.00000000001"},
        {TG_PRICE_DECIMAL, 0, INT64_C(9999999997), "9999999997"},
        {TG_PRICE_DECIMAL, 0, INT64_MIN, "-9223372036854775808"},
        {TG_PRICE_DECIMAL, -18, INT64_MAX, "9.223372036854775807"},
        {TG_PRICE_DECIMAL, 2, 15, "1500"},
        {TG_PRICE_FRACTION_32, -5, 9909375, "99-03"},
        {TG_PRICE_FRACTION_32, -5, 9900000, "99-00"},
        {TG_PRICE_FRACTION_32, -5, 9996875, "99-31"},
        {TG_PRICE_FRACTION_32, 0, 99, "99-00"},
        {TG_PRICE_FRACTION_32, 1, 99, "990-00"},
        {TG_PRICE_FRACTION_32, -5, -50000, "-0-16"},
        {TG_PRICE_FRACTION_32, -5, 0, "0-00"},
        {TG_PRICE_FRACTION_32_HALF, -6, 99109375, "99-03+"},
        {TG_PRICE_FRACTION_32_HALF, -6, 99093750, "99-03"},
        {TG_PRICE_FRACTION_32_QUARTER, -7, 991015625, "99-032"},
        {TG_PRICE_FRACTION_32_QUARTER, -7, 991093750, "99-035"},
        {TG_PRICE_FRACTION_32_QUARTER, -7, 991171875, "99-037"},
        {TG_PRICE_FRACTION_32_QUARTER, -7, 990937500, "99-030"},
        {TG_PRICE_FRACTION_64, -6, 99109375, "99-07"},
        {TG_PRICE_FRACTION_32, -18, INT64_C(1031250000000000000), "1-01"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TG_PRICE_TEXT_SIZE];
        const tg_price_style style = {cases[i].format, cases[i].exponent};
        assert_int_equal(tg_price_text(style, cases[i].price, text, sizeof text), TG_OK);
        assert_string_equal(text, cases[i].text);
    }
}

static void price_text_falls_back_to_decimals_where_a_fraction_would_round(void **state)
{
    (void)state;
    char text[TG_PRICE_TEXT_SIZE];
    const tg_price_style thirty_seconds = {TG_PRICE_FRACTION_32, -6};
    assert_int_equal(tg_price_text(thirty_seconds, 99109375, text, sizeof text), TG_OK);
    assert_string_equal(text, "99.109375");
    const tg_price_style halves = {TG_PRICE_FRACTION_32_HALF, -3};
    assert_int_equal(tg_price_text(halves, -99001, text, sizeof text), TG_OK);
    assert_string_equal(text, "-99.001");
    const tg_price_style huge = {TG_PRICE_FRACTION_64, 18};
    assert_int_equal(tg_price_text(huge, INT64_MAX, text, sizeof text), TG_OK);
    assert_string_equal(text, "9223372036854775807000000000000000000");
}

static void price_text_refuses_what_it_cannot_write(void **state)
{
    (void)state;
    char text[TG_PRICE_TEXT_SIZE];
    const tg_price_style style = {TG_PRICE_DECIMAL, -2};
    const tg_price_style out_of_range = {TG_PRICE_FRACTION_32, -19};
    const tg_price_style fraction = {TG_PRICE_FRACTION_32, -5};
    assert_int_equal(tg_price_text(style, 1, NULL, 0), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_price_text(out_of_range, 1, text, sizeof text), TG_ERR_INVALID_ARGUMENT);
    strcpy(text, "left");
    assert_int_equal(tg_price_text(style, 6181300, text, 8), TG_ERR_BUFFER_TOO_SMALL);
    assert_string_equal(text, "");
    assert_int_equal(tg_price_text(fraction, 9909375, text, 5), TG_ERR_BUFFER_TOO_SMALL);
    assert_string_equal(text, "");
    assert_int_equal(tg_price_text(fraction, 9909375, text, 6), TG_OK);
}

/* Reads a price back, digit by digit: shares nothing with what it tests. In 128ths of a unit. */
static int64_t read_fraction(tg_price_format format, const char *text)
{
    const bool negative = text[0] == '-';
    char *end = NULL;
    const int64_t whole = strtoll(text + (negative ? 1 : 0), &end, 10);
    assert_int_equal(*end, '-');
    const int tens = end[1] - '0';
    const int ones = end[2] - '0';
    int64_t parts = (tens * 10 + ones) * (format == TG_PRICE_FRACTION_64 ? 2 : 4);
    switch (end[3]) {
    case '+':
    case '5':
        parts += 2;
        break;
    case '2':
        parts += 1;
        break;
    case '7':
        parts += 3;
        break;
    default:
        break;
    }
    const int64_t value = whole * 128 + parts;
    return negative ? -value : value;
}

static void every_tick_of_a_fractional_band_comes_back_from_its_text(void **state)
{
    (void)state;
    /* 1/128 = 0.0078125: seven decimals. Steps in 128ths. */
    static const struct {
        tg_price_format format;
        int64_t step;
    } bands[] = {{TG_PRICE_FRACTION_32, 4},
                 {TG_PRICE_FRACTION_32_HALF, 2},
                 {TG_PRICE_FRACTION_32_QUARTER, 1},
                 {TG_PRICE_FRACTION_64, 2}};
    for (size_t b = 0; b < sizeof bands / sizeof bands[0]; b++) {
        char before[TG_PRICE_TEXT_SIZE] = "";
        for (int64_t parts = -3 * 128; parts <= 131 * 128; parts += bands[b].step) {
            char text[TG_PRICE_TEXT_SIZE];
            const tg_price_style style = {bands[b].format, -7};
            assert_int_equal(tg_price_text(style, parts * 78125, text, sizeof text), TG_OK);
            assert_int_equal(read_fraction(bands[b].format, text), parts);
            assert_string_not_equal(text, before);
            strcpy(before, text);
        }
    }
}

static void every_tick_of_a_decimal_band_comes_back_from_its_text(void **state)
{
    (void)state;
    for (int8_t exponent = -12; exponent <= 3; exponent = (int8_t)(exponent + 3)) {
        for (int64_t tick = -2000; tick <= 2000; tick++) {
            const int64_t price = tick * 5;
            char text[TG_PRICE_TEXT_SIZE];
            const tg_price_style style = {TG_PRICE_DECIMAL, exponent};
            assert_int_equal(tg_price_text(style, price, text, sizeof text), TG_OK);
            /* Without its point the text is the mantissa (with the zeros of a positive exponent).
             */
            char digits[TG_PRICE_TEXT_SIZE];
            size_t count = 0;
            for (const char *at = text; *at != '\0'; at++) {
                if (*at != '.') {
                    digits[count++] = *at;
                }
            }
            digits[count] = '\0';
            int64_t scale = 1;
            for (int e = 0; e < exponent; e++) {
                scale *= 10;
            }
            assert_int_equal(strtoll(digits, NULL, 10), price * scale);
            const char *point = strchr(text, '.');
            assert_int_equal(point == NULL ? 0 : (int)strlen(point + 1),
                             exponent < 0 ? -exponent : 0);
        }
    }
}

static void change_text_signs_everything_but_zero(void **state)
{
    (void)state;
    char text[TG_PRICE_TEXT_SIZE];
    const tg_price_style decimal = {TG_PRICE_DECIMAL, -2};
    const tg_price_style fraction = {TG_PRICE_FRACTION_32, -5};
    assert_int_equal(tg_change_text(decimal, 150, text, sizeof text), TG_OK);
    assert_string_equal(text, "+1.50");
    assert_int_equal(tg_change_text(decimal, -5, text, sizeof text), TG_OK);
    assert_string_equal(text, "-0.05");
    assert_int_equal(tg_change_text(decimal, 0, text, sizeof text), TG_OK);
    assert_string_equal(text, "0.00");
    assert_int_equal(tg_change_text(fraction, 50000, text, sizeof text), TG_OK);
    assert_string_equal(text, "+0-16");
    assert_int_equal(tg_change_text(decimal, 150, text, 5), TG_ERR_BUFFER_TOO_SMALL);
    assert_int_equal(tg_change_text(decimal, 150, NULL, 0), TG_ERR_INVALID_ARGUMENT);
}

static void percent_text_rounds_half_away_from_zero_and_never_overflows(void **state)
{
    (void)state;
    static const struct {
        int64_t price;
        int64_t reference;
        const char *text;
    } cases[] = {
        {10125, 10000, "+1.25%"},
        {9875, 10000, "-1.25%"},
        {10000, 10000, "0.00%"},
        {20001, 20000, "+0.01%"},  /* 0.005 */
        {19999, 20000, "-0.01%"},  /* -0.005 */
        {200009, 200000, "0.00%"}, /* 0.0045 */
        {-3763, 1827, "-305.97%"}, /* -305.966 */
        {-50, -100, "+50.00%"},    /* less negative is a rise */
        {299985, 150000, "+99.99%"},
        {2999999, 1500000, "+100.00%"}, /* carries through every nine */
        {INT64_MAX, 1, "+922337203685477580600.00%"},
        {0, INT64_MIN, "+100.00%"},
        {1, 0, "\xE2\x80\x93"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TG_PRICE_TEXT_SIZE];
        const tg_err err = tg_percent_text(cases[i].price, cases[i].reference, text, sizeof text);
        if (cases[i].reference == INT64_MIN) {
            /* 0 - INT64_MIN is one more than fits. */
            assert_int_equal(err, TG_ERR_OVERFLOW);
            assert_string_equal(text, "");
            continue;
        }
        assert_int_equal(err, TG_OK);
        assert_string_equal(text, cases[i].text);
    }
}

static void price_change_refuses_to_overflow(void **state)
{
    (void)state;
    int64_t change = 7;
    assert_int_equal(tg_price_change(INT64_MAX, -1, &change), TG_ERR_OVERFLOW);
    assert_int_equal(tg_price_change(INT64_MIN, 1, &change), TG_ERR_OVERFLOW);
    assert_int_equal(change, 7);
    assert_int_equal(tg_price_change(INT64_MAX, 0, &change), TG_OK);
    assert_int_equal(change, INT64_MAX);
    assert_int_equal(tg_price_change(-1, INT64_MIN, &change), TG_OK);
    assert_int_equal(change, INT64_MAX);
    assert_int_equal(tg_price_change(1, 2, NULL), TG_ERR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(price_text_writes_every_format_exactly),
        cmocka_unit_test(price_text_falls_back_to_decimals_where_a_fraction_would_round),
        cmocka_unit_test(price_text_refuses_what_it_cannot_write),
        cmocka_unit_test(every_tick_of_a_fractional_band_comes_back_from_its_text),
        cmocka_unit_test(every_tick_of_a_decimal_band_comes_back_from_its_text),
        cmocka_unit_test(change_text_signs_everything_but_zero),
        cmocka_unit_test(percent_text_rounds_half_away_from_zero_and_never_overflows),
        cmocka_unit_test(price_change_refuses_to_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
