#include "line_source.h"

#include <errno.h>

#include <lzma.h>

#include "text_file.h"

static void expect_lines(const char *path, const char *const *lines, size_t count, tg_err end)
{
    line_source *source = NULL;
    assert_int_equal(line_source_open(path, &source), TG_OK);
    const char *line = NULL;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(line_source_next(source, &line), TG_OK);
        assert_string_equal(line, lines[i]);
        assert_int_equal(line_source_number(source), i + 1);
    }
    assert_int_equal(line_source_next(source, &line), end);
    line_source_close(source);
}

static void plain_lines_come_without_their_ends(void **state)
{
    (void)state;
    static const char text[] = "one\r\n\ntwo\nlast without an end";
    static const char *const lines[] = {"one", "", "two", "last without an end"};
    const text_file file = text_file_write(text, sizeof text - 1);
    expect_lines(file.path, lines, 4, TG_ERR_NOT_FOUND);
    text_file_remove(&file);
    const text_file empty = text_file_write("", 0);
    expect_lines(empty.path, NULL, 0, TG_ERR_NOT_FOUND);
    text_file_remove(&empty);
}

static void a_missing_file_says_why(void **state)
{
    (void)state;
    line_source *source = NULL;
    assert_int_equal(line_source_open("/nowhere/tape.csv", &source), TG_ERR_IO);
    assert_int_equal(errno, ENOENT);
    assert_null(source);
}

static void a_line_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char text[4000];
    memset(text, 'x', sizeof text);
    text[3] = '\n';
    static const char *const lines[] = {"xxx"};
    const text_file file = text_file_write(text, sizeof text);
    expect_lines(file.path, lines, 1, TG_ERR_SYNTAX);
    text_file_remove(&file);
}

static void compressed_lines_equal_plain_ones_and_damage_is_noticed(void **state)
{
    (void)state;
    /* Over several blocks of the reader. */
    enum {
        LINES = 20000
    };
    static char text[LINES * 10];
    size_t length = 0;
    for (int i = 0; i < LINES; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "line%04x\n", i);
    }
    static uint8_t packed[sizeof text];
    size_t packed_size = 0;
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text,
                                             length, packed, &packed_size, sizeof packed),
                     LZMA_OK);
    const text_file whole = text_file_write(packed, packed_size);
    line_source *source = NULL;
    assert_int_equal(line_source_open(whole.path, &source), TG_OK);
    const char *line = NULL;
    for (int i = 0; i < LINES; i++) {
        char expected[16];
        (void)snprintf(expected, sizeof expected, "line%04x", i);
        assert_int_equal(line_source_next(source, &line), TG_OK);
        assert_string_equal(line, expected);
    }
    assert_int_equal(line_source_next(source, &line), TG_ERR_NOT_FOUND);
    line_source_close(source);
    text_file_remove(&whole);

    const text_file torn = text_file_write(packed, packed_size / 2);
    assert_int_equal(line_source_open(torn.path, &source), TG_OK);
    tg_err err = TG_OK;
    int count = 0;
    while ((err = line_source_next(source, &line)) == TG_OK) {
        count++;
    }
    assert_int_equal(err, TG_ERR_SYNTAX);
    assert_true(count < LINES);
    line_source_close(source);
    text_file_remove(&torn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lines_come_without_their_ends),
        cmocka_unit_test(a_missing_file_says_why),
        cmocka_unit_test(a_line_that_is_too_long_is_refused),
        cmocka_unit_test(compressed_lines_equal_plain_ones_and_damage_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
