#include "tg_cmocka.h"

#include <string.h>

#include "json.h"

static tg__json *json;

static int set_up(void **state)
{
    (void)state;
    json = tg__json_open();
    return json == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    tg__json_close(json);
    return 0;
}

static tg_err parse(const char *text)
{
    return tg__json_parse(json, text, strlen(text));
}

static void members_and_elements_are_found(void **state)
{
    (void)state;
    assert_int_equal(parse("{\"a\":{\"b\":[1,[2,3],{\"c\":\"x\"}],\"b2\":7},\"b\":8}"), TG_OK);
    const tg__json_at a = tg__json_member(json, TG__JSON_ROOT, "a");
    const tg__json_at list = tg__json_member(json, a, "b");
    assert_true(tg__json_is_object(json, a));
    assert_true(tg__json_is_array(json, list));
    assert_int_equal(tg__json_length(json, list), 3);
    assert_true(tg__span_is(tg__json_text(json, tg__json_element(json, list, 0)), "1"));
    const tg__json_at inner = tg__json_element(json, list, 1);
    assert_true(tg__span_is(tg__json_text(json, tg__json_element(json, inner, 1)), "3"));
    const tg__json_at object = tg__json_element(json, list, 2);
    assert_true(tg__span_is(tg__json_text(json, tg__json_member(json, object, "c")), "x"));
    assert_int_equal(tg__json_element(json, list, 3), TG__JSON_NONE);
    assert_true(tg__span_is(tg__json_text(json, tg__json_member(json, TG__JSON_ROOT, "b")), "8"));
}

static void what_is_not_there_has_nothing(void **state)
{
    (void)state;
    uint64_t number = 0;
    assert_int_equal(parse("{\"a\":[],\"o\":{}}"), TG_OK);
    const tg__json_at none = tg__json_member(json, TG__JSON_ROOT, "x");
    assert_int_equal(none, TG__JSON_NONE);
    assert_int_equal(tg__json_member(json, none, "y"), TG__JSON_NONE);
    assert_int_equal(tg__json_first(json, none), TG__JSON_NONE);
    assert_null(tg__json_text(json, none).at);
    assert_false(tg__json_u64(json, none, &number));
    const tg__json_at empty = tg__json_member(json, TG__JSON_ROOT, "a");
    assert_int_equal(tg__json_first(json, empty), TG__JSON_NONE);
    assert_null(tg__json_text(json, empty).at);
    assert_int_equal(tg__json_member(json, tg__json_member(json, TG__JSON_ROOT, "o"), "a"),
                     TG__JSON_NONE);
}

static void what_is_not_one_document_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",      " ",    "{",     "{\"a\":1",          "[1,2", "{\"a\"}", "{\"a\" 1}",      "{1:2}",
        "{} {}", "[1]]", "\"abc", "{\"a\":1 \"b\":2}", "abc",  "[1,2}",   "{\"a\":{\"b\"}}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (parse(bad[i]) != TG_ERR_SYNTAX) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_int_equal(tg__json_member(json, TG__JSON_ROOT, "a"), TG__JSON_NONE);
    }
}

static void numbers_keep_their_digits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t mantissa;
        int exponent;
    } good[] = {{"[\"61837.63000000\"]", 6183763000000, -8},
                {"[0.0000527]", 527, -7},
                {"[-0.5]", -5, -1},
                {"[1e-7]", 1, -7},
                {"[2.50E+3]", 2500, 0},
                {"[1.5e1]", 15, 0},
                {"[12e0]", 12, 0}};
    static const char *const bad[] = {"[\"\"]", "[null]", "[true]",  "[\"1.2.3\"]", "[1e]",
                                      "[1e+]",  "[1e99]", "[1e100]", "[[1]]",       "[1e-19]"};
    tg_decimal value;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(parse(good[i].text), TG_OK);
        assert_true(tg__json_decimal(json, 1, &value));
        assert_int_equal(value.mantissa, good[i].mantissa);
        assert_int_equal(value.exponent, good[i].exponent);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (parse(bad[i]) != TG_OK || tg__json_decimal(json, 1, &value)) {
            fail_msg("a number: %s", bad[i]);
        }
    }
}

static void integers_are_64_bits(void **state)
{
    (void)state;
    uint64_t value = 0;
    assert_int_equal(parse("[18446744073709551615,18446744073709551616,\"7\",-1,1.0]"), TG_OK);
    assert_true(tg__json_u64(json, 1, &value));
    assert_true(value == UINT64_MAX);
    assert_false(tg__json_u64(json, 2, &value));
    assert_true(tg__json_u64(json, 3, &value));
    assert_int_equal(value, 7);
    assert_false(tg__json_u64(json, 4, &value));
    assert_false(tg__json_u64(json, 5, &value));
}

static void copied_text_is_plain_and_fits(void **state)
{
    (void)state;
    char text[4];
    assert_int_equal(parse("[\"abc\",\"abcd\",\"a\\\"b\",\"\",\"\xff\"]"), TG_OK);
    assert_true(tg__json_copy(json, 1, text, sizeof text));
    assert_string_equal(text, "abc");
    for (tg__json_at at = 2; at <= 5; at++) {
        assert_false(tg__json_copy(json, at, text, sizeof text));
    }
}

static void a_document_larger_than_the_tokens_so_far_is_read(void **state)
{
    (void)state;
    static char text[40000];
    size_t size = 0;
    text[size++] = '[';
    for (int i = 0; i < 10000; i++) {
        memcpy(text + size, i == 0 ? "7" : ",7", i == 0 ? 1 : 2);
        size += i == 0 ? 1 : 2;
    }
    text[size++] = ']';
    assert_int_equal(tg__json_parse(json, text, size), TG_OK);
    assert_int_equal(tg__json_length(json, TG__JSON_ROOT), 10000);
    uint32_t count = 0;
    for (tg__json_at at = tg__json_first(json, TG__JSON_ROOT); at != TG__JSON_NONE;
         at = tg__json_next(json, TG__JSON_ROOT, at)) {
        count++;
    }
    assert_int_equal(count, 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_and_elements_are_found),
        cmocka_unit_test(what_is_not_there_has_nothing),
        cmocka_unit_test(what_is_not_one_document_is_refused),
        cmocka_unit_test(numbers_keep_their_digits),
        cmocka_unit_test(integers_are_64_bits),
        cmocka_unit_test(copied_text_is_plain_and_fits),
        cmocka_unit_test(a_document_larger_than_the_tokens_so_far_is_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
