#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "byte_stream.h"
#include "scratch_folder.h"

#define TEXT_SIZE 200000u /* more than one input buffer when it is stored */

typedef size_t (*pack)(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity);

static scratch_folder folder;
static uint8_t text[TEXT_SIZE];
static uint8_t packed[2 * TEXT_SIZE];
static uint8_t unpacked[2 * TEXT_SIZE + 1];

static size_t pack_nothing(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity)
{
    assert_true(size <= capacity);
    memcpy(out, bytes, size);
    return size;
}

static size_t pack_xz(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity)
{
    size_t packed_size = 0;
    assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, bytes, size, out,
                                             &packed_size, capacity),
                     LZMA_OK);
    return packed_size;
}

static size_t pack_gzip(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    uint8_t *copy = malloc(size + 1); /* zlib's input is not const */
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = copy;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t packed_size = capacity - stream.avail_out;
    assert_int_equal(deflateEnd(&stream), Z_OK);
    free(copy);
    return packed_size;
}

static size_t pack_zstd(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity)
{
    const size_t packed_size = ZSTD_compress(out, capacity, bytes, size, 1);
    assert_false(ZSTD_isError(packed_size));
    return packed_size;
}

static const struct {
    const char *name;
    pack pack;
} formats[] = {{"plain", pack_nothing}, {"xz", pack_xz}, {"gzip", pack_gzip}, {"zstd", pack_zstd}};

static int set_up(void **state)
{
    uint32_t random = 1;
    (void)state;
    scratch_folder_open(&folder);
    for (size_t i = 0; i < TEXT_SIZE; i++) {
        random = random * 1664525u + 1013904223u;
        text[i] = (uint8_t)(random >> 24);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    scratch_folder_close(&folder);
    return 0;
}

/* Reads the file in pieces of `step` bytes. */
static tg_err read_file(size_t step, size_t *size, tg__cause *cause)
{
    tg__byte_stream *stream = NULL;
    size_t got = 1;
    *size = 0;
    tg_err err = tg__byte_stream_open(scratch_path(&folder, "file"), &stream, cause);
    while (err == TG_OK && got > 0) {
        assert_true(*size + step <= sizeof unpacked);
        err = tg__byte_stream_read(stream, unpacked + *size, step, &got, cause);
        *size += got;
    }
    if (err == TG_OK) {
        assert_int_equal(tg__byte_stream_percent(stream), 100);
    }
    tg__byte_stream_close(stream);
    return err;
}

static void every_format_gives_back_what_was_put_in(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, TEXT_SIZE};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            tg__cause cause = {""};
            size_t size = 0;
            scratch_write(&folder, "file", packed,
                          formats[f].pack(text, sizes[i], packed, sizeof packed));
            if (read_file(1000, &size, &cause) != TG_OK || size != sizes[i] ||
                memcmp(unpacked, text, size) != 0) {
                fail_msg("%s of %zu bytes: %zu: %s", formats[f].name, sizes[i], size, cause.text);
            }
        }
    }
}

static void files_behind_one_another_are_one(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        tg__cause cause = {""};
        size_t size = formats[f].pack(text, 70000, packed, sizeof packed);
        size += formats[f].pack(text + 70000, 1000, packed + size, sizeof packed - size);
        scratch_write(&folder, "file", packed, size);
        assert_int_equal(read_file(4096, &size, &cause), TG_OK);
        assert_int_equal(size, 71000);
        assert_memory_equal(unpacked, text, 71000);
    }
}

static void data_that_is_cut_anywhere_is_an_error(void **state)
{
    (void)state;
    for (size_t f = 1; f < sizeof formats / sizeof formats[0]; f++) {
        const size_t whole = formats[f].pack(text, 300, packed, sizeof packed);
        for (size_t cut = 6; cut < whole; cut++) { /* with less the magic is not there */
            tg__cause cause = {""};
            char expected[64];
            size_t size = 0;
            (void)snprintf(expected, sizeof expected, "the %s data ends too early",
                           formats[f].name);
            scratch_write(&folder, "file", packed, cut);
            assert_int_equal(read_file(100, &size, &cause), TG_ERR_TAPE);
            assert_non_null(strstr(cause.text, expected));
        }
    }
}

static void damage_is_noticed(void **state)
{
    (void)state;
    for (size_t f = 1; f < 3; f++) { /* zstd's own checksum is optional, and off here */
        const size_t whole = formats[f].pack(text, 3000, packed, sizeof packed);
        tg__cause cause = {""};
        size_t size = 0;
        packed[whole / 2] ^= 0x10;
        scratch_write(&folder, "file", packed, whole);
        assert_int_equal(read_file(4096, &size, &cause), TG_ERR_TAPE);
        assert_non_null(strstr(cause.text, "is damaged"));
    }
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    tg__cause cause = {""};
    tg__byte_stream *stream = NULL;
    assert_int_equal(tg__byte_stream_open(scratch_path(&folder, "nothing"), &stream, &cause),
                     TG_ERR_IO);
    assert_null(stream);
    assert_non_null(strstr(cause.text, "nothing: cannot be opened"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_back_what_was_put_in),
        cmocka_unit_test(files_behind_one_another_are_one),
        cmocka_unit_test(data_that_is_cut_anywhere_is_an_error),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
