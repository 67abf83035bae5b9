#include "glass_number.h"

#include <string.h>

#include "tg_cmocka.h"

static glass_number read_text(const char *text)
{
    return glass_number_read(text, strlen(text));
}

static void equal_numbers_are_equal_however_they_are_written(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"61813.00", "61813"}, {"0.50", "0.5"},
        {"-0.00", "0"},        {"+2", "2.000"},
        {"007", "7"},          {"200000.00000000000", "200000"},
        {"", "\xE2\x80\x93"},  {"18446744073709551615", "18446744073709551615.0"},
        {"1500", "1500.0"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        assert_true(glass_number_equal(read_text(pairs[i][0]), read_text(pairs[i][1])));
    }
}

static void different_numbers_differ(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"1500", "150"},
        {"1.5", "15"},
        {"-1", "1"},
        {"0", ""},
        {"0.01", "0.1"},
        {"9007199254740993", "9007199254740992"},
        {"0.00000000001", "0"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        assert_false(glass_number_equal(read_text(pairs[i][0]), read_text(pairs[i][1])));
    }
}

static void what_is_no_decimal_number_equals_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "####", "99-03+", "1,5", "1e5", ".", "-", "1.2.3", ".5", "18446744073709551616", " 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const glass_number number = read_text(texts[i]);
        assert_int_equal(number.kind, GLASS_NUMBER_UNREADABLE);
        assert_false(glass_number_equal(number, number));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_numbers_are_equal_however_they_are_written),
        cmocka_unit_test(different_numbers_differ),
        cmocka_unit_test(what_is_no_decimal_number_equals_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
