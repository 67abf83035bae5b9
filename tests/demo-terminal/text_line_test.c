#include "text_line.h"

#include <string.h>

#include "tg_cmocka.h"

static void text_is_taken_as_a_whole_or_not_at_all(void **state)
{
    (void)state;
    text_line line = {.length = 0};
    assert_true(text_line_add(&line, "btc"));
    assert_true(text_line_add(&line, "\xE5\x8E\x9F\xE6\xB2\xB9"));
    assert_string_equal(line.text, "btc\xE5\x8E\x9F\xE6\xB2\xB9");
    static const char *const refused[] = {
        "a\nb",
        "\x7f",
        "\xC2\x80", /* control characters */
        "\x80",
        "\xE5\x8E",
        "\xC0\xAF", /* no UTF-8: alone, cut off, overlong */
        "\xED\xA0\x80",
        "\xF4\x90\x80\x80",
        "\xF8\x88\x80\x80",
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_false(text_line_add(&line, refused[i]));
        assert_string_equal(line.text, "btc\xE5\x8E\x9F\xE6\xB2\xB9");
    }
}

static void what_has_no_room_is_not_taken(void **state)
{
    (void)state;
    text_line line = {.length = 0};
    while (text_line_add(&line, "x")) {
    }
    assert_int_equal(line.length, TEXT_LINE_SIZE - 1);
    assert_int_equal(strlen(line.text), TEXT_LINE_SIZE - 1);
    assert_true(text_line_rub_out(&line));
    assert_false(text_line_add(&line, "\xC3\xA4"));
    assert_true(text_line_add(&line, "y"));
}

static void a_character_goes_with_what_is_written_onto_it(void **state)
{
    (void)state;
    text_line line = {.length = 0};
    assert_true(text_line_add(&line, "a\xC3\xA4\xF0\x9F\x98\x80"
                                     "e\xCC\x81"));
    assert_true(text_line_rub_out(&line));
    assert_string_equal(line.text, "a\xC3\xA4\xF0\x9F\x98\x80");
    assert_true(text_line_rub_out(&line));
    assert_string_equal(line.text, "a\xC3\xA4");
    assert_true(text_line_rub_out(&line));
    assert_string_equal(line.text, "a");
    assert_true(text_line_rub_out(&line));
    assert_string_equal(line.text, "");
    assert_false(text_line_rub_out(&line));
    /* An accent that stands on nothing goes, too. */
    assert_true(text_line_add(&line, "\xCC\x81"));
    assert_true(text_line_rub_out(&line));
    assert_int_equal(line.length, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_taken_as_a_whole_or_not_at_all),
        cmocka_unit_test(what_has_no_room_is_not_taken),
        cmocka_unit_test(a_character_goes_with_what_is_written_onto_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
