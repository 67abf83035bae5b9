#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/internal/dictionary.h>

static bool valid(const char *text)
{
    return tg__text_is_valid(text, strlen(text), 63);
}

static void names_of_real_markets_are_texts(void **state)
{
    (void)state;
    assert_true(valid("BTC-USD-210423-64000-C"));
    assert_true(valid("KRW-LAMB"));
    assert_true(valid("\xe6\xb2\xaa\xe6\xb7\xb1"
                      "300"));                                   /* CJK, 3-byte forms */
    assert_true(valid("\xf0\x9f\x90\xb3"));                      /* 4-byte form */
    assert_true(valid("\xed\x9f\xbf") && valid("\xee\x80\x80")); /* both sides of the surrogates */
}

static void malformed_utf8_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\x80",         "\xc3",     "\xc0\xaf",         "\xc1\xbf",         "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xc3\x28",     "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(valid(bad[i]));
    }
}

static void control_characters_and_lengths_out_of_range_are_refused(void **state)
{
    (void)state;
    assert_false(valid(""));
    assert_false(valid("a\nb"));
    assert_false(valid("\x7f"));
    assert_false(valid("\xc2\x85")); /* NEL, a C1 control */
    assert_true(valid("\xc2\xa0"));
    assert_false(tg__text_is_valid("ab\0c", 4, 63));
    assert_true(tg__text_is_valid("abc", 3, 3));
    assert_false(tg__text_is_valid("abcd", 4, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_real_markets_are_texts),
        cmocka_unit_test(malformed_utf8_is_refused),
        cmocka_unit_test(control_characters_and_lengths_out_of_range_are_refused),
    };
    return cmocka_run_group_tests_name("codec.text", tests, NULL, NULL);
}
