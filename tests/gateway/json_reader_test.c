#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "json_reader.h"

static bool is_skipped(const char *value)
{
    tg__json_reader json;
    tg__json_reader_open(&json, value, strlen(value));
    return tg__json_reader_skip(&json) && tg__json_reader_finish(&json);
}

static void every_kind_of_value_is_read_past(void **state)
{
    (void)state;
    static const char *const good[] = {
        "0",        "-12.5e+3", "true",      "false",        "null", "\"x\\u00e9\\n\"", "[]", "{}",
        "[1, [2]]", " [ ]",     "{\"a\":1}", "{\"a\":[{}]}", "1E9"};
    static const char *const bad[] = {"",
                                      "01",
                                      "1.",
                                      "-",
                                      ".5",
                                      "1e",
                                      "tru",
                                      "[1,]",
                                      "[,1]",
                                      "{\"a\"}",
                                      "{a:1}",
                                      "\"x",
                                      "\"\\q\"",
                                      "\"\n\"",
                                      "[1 2]",
                                      "{\"a\":1,}",
                                      "1 1",
                                      "'x'",
                                      "\"\\ud800\"",
                                      "\"\\udc00\"",
                                      "\"\\ud800\\u0041\"",
                                      "nullx",
                                      "]"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!is_skipped(good[i])) {
            fail_msg("refused: %s", good[i]);
        }
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (is_skipped(bad[i])) {
            fail_msg("taken: %s", bad[i]);
        }
    }
}

static void depth_is_bounded(void **state)
{
    (void)state;
    char text[64];
    for (unsigned depth = 1; depth < 20; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        text[2 * depth] = '\0';
        assert_true(is_skipped(text) == (depth <= 7));
    }
}

static bool read_string(const char *text, char *out, size_t capacity, size_t *size)
{
    tg__json_reader json;
    tg__json_reader_open(&json, text, strlen(text));
    return tg__json_reader_string(&json, out, capacity, size) && tg__json_reader_finish(&json);
}

static void escapes_become_the_characters_that_they_name(void **state)
{
    (void)state;
    char out[32];
    size_t size = 0;
    assert_true(read_string("\"a\\\"\\\\\\/b\"", out, sizeof out, &size));
    assert_string_equal(out, "a\"\\/b");
    assert_true(read_string("\"\\u9f8d\\u9580\\u00e9\\ud83d\\ude00\"", out, sizeof out, &size));
    assert_string_equal(out, "龍門é😀");
    assert_int_equal(size, 12);
}

static void a_string_that_does_not_fit_is_cut_and_its_length_told(void **state)
{
    (void)state;
    char out[4];
    size_t size = 0;
    assert_true(read_string("\"abc\"", out, sizeof out, &size));
    assert_int_equal(size, 3);
    assert_true(read_string("\"abcd\"", out, sizeof out, &size));
    assert_int_equal(size, 4);
    assert_string_equal(out, "abc");
}

static void a_string_that_is_not_text_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"\"\xff\"", "\"\xc3\"", "\"a\\u0000b\"", "\"\\u0007\"",
                                      "\"\xed\xa0\x80\""};
    char out[16];
    size_t size = 0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(read_string(bad[i], out, sizeof out, &size));
    }
}

static void integers_are_numbers_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {{"1700000000", true, 1700000000},
                 {"-5", true, -5},
                 {"17.9", true, 17},
                 {"999999999999999", true, INT64_C(999999999999999)},
                 {"1000000000000000", false, 0},
                 {"1e9", false, 0},
                 {"\"17\"", false, 0},
                 {"007", false, 0},
                 {"true", false, 0},
                 {"", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg__json_reader json;
        int64_t value = 0;
        tg__json_reader_open(&json, cases[i].text, strlen(cases[i].text));
        assert_true((tg__json_reader_integer(&json, &value) && tg__json_reader_finish(&json)) ==
                    cases[i].good);
        assert_true(!cases[i].good || value == cases[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_read_past),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(escapes_become_the_characters_that_they_name),
        cmocka_unit_test(a_string_that_does_not_fit_is_cut_and_its_length_told),
        cmocka_unit_test(a_string_that_is_not_text_is_refused),
        cmocka_unit_test(integers_are_numbers_and_nothing_else),
    };
    return cmocka_run_group_tests_name("gateway.json_reader", tests, NULL, NULL);
}
