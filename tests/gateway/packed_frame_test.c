#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "packed_frame.h"

static tg__packed_frame frame;

static int tear_down(void **state)
{
    (void)state;
    tg__packed_frame_deinit(&frame);
    return 0;
}

/* Raw deflate of bytes, as Python prints it: every byte as \xNN. */
static char *literal_of(const char *bytes, size_t size)
{
    const size_t capacity = compressBound((uLong)size) + 64;
    uint8_t *packed = malloc(capacity);
    uint8_t *copy = malloc(size + 1);
    assert_non_null(packed);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = copy;
    stream.avail_in = (uInt)size;
    stream.next_out = packed;
    stream.avail_out = (uInt)capacity;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t packed_size = capacity - stream.avail_out;
    assert_int_equal(deflateEnd(&stream), Z_OK);
    char *literal = malloc(4 * packed_size + 4);
    assert_non_null(literal);
    size_t at = (size_t)sprintf(literal, "b'");
    for (size_t i = 0; i < packed_size; i++) {
        at += (size_t)sprintf(literal + at, "\\x%02x", packed[i]);
    }
    (void)sprintf(literal + at, "'");
    free(packed);
    free(copy);
    return literal;
}

static tg_err unpack(const char *literal, tg__span *out, const char **what)
{
    return tg__packed_frame_unpack(&frame, (tg__span){literal, strlen(literal)}, out, what);
}

static void a_frame_comes_out_as_it_was_sent(void **state)
{
    (void)state;
    static char longest[300000];
    const char *what = NULL;
    tg__span out;
    memset(longest, 'x', sizeof longest);
    char *literal = literal_of("{\"event\":\"x\"}", 13);
    assert_int_equal(unpack(literal, &out, &what), TG_OK);
    assert_true(tg__span_is(out, "{\"event\":\"x\"}"));
    free(literal);
    literal = literal_of(longest, sizeof longest); /* longer than the room at first */
    assert_int_equal(unpack(literal, &out, &what), TG_OK);
    assert_int_equal(out.length, sizeof longest);
    assert_memory_equal(out.at, longest, sizeof longest);
    free(literal);
}

/* A stored block: the bytes stand in the literal as they are, so that every escape can be shown. */
static void every_escape_is_read(void **state)
{
    (void)state;
    const char *what = NULL;
    tg__span out;
    assert_int_equal(unpack("b\"\\x01\\x08\\x00\\xf7\\xffa'\\\"\\\\\\n\\r\\t\\'\"", &out, &what),
                     TG_OK);
    assert_true(tg__span_is(out, "a'\"\\\n\r\t'"));
}

static void what_is_damaged_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "b'", "x'a'", "b'a\"", "b'\\q'", "b'\\x1'", "b'\\xgg'", "b'\\xff\\xff\\xff'", "b'\\x07'"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *what = NULL;
        tg__span out;
        if (unpack(bad[i], &out, &what) != TG_ERR_SYNTAX || what == NULL) {
            fail_msg("accepted: %s", bad[i]);
        }
    }
}

static void a_frame_over_the_limit_is_refused(void **state)
{
    (void)state;
    const size_t size = TG__UNPACKED_SIZE_MAX + 1;
    char *zeros = calloc(1, size);
    const char *what = NULL;
    tg__span out;
    assert_non_null(zeros);
    char *literal = literal_of(zeros, size);
    assert_int_equal(unpack(literal, &out, &what), TG_ERR_SYNTAX);
    assert_string_equal(what, "the frame is longer than 4 MiB");
    free(literal);
    free(zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_comes_out_as_it_was_sent),
        cmocka_unit_test(every_escape_is_read),
        cmocka_unit_test(what_is_damaged_is_refused),
        cmocka_unit_test(a_frame_over_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
