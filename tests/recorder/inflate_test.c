#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "inflate.h"
#include "seeded_random.h"

/* zlib 1.2.13, strategy Z_FIXED: "tick tock tick tock " ten times. */
static const unsigned char fixed_code[] = {0x78, 0x01, 0x2b, 0xc9, 0x4c, 0xce, 0x56,
                                           0x28, 0xc9, 0x07, 0x11, 0x43, 0x9a, 0x05,
                                           0x00, 0x72, 0x80, 0x48, 0x31};

/* zlib 1.2.13, level 9: what fill_mixed() makes. */
static const unsigned char dynamic_code[] = {
    0x78, 0xda, 0x4d, 0x8d, 0xc1, 0x11, 0xc0, 0x30, 0x08, 0xc3, 0x56, 0x22, 0xd9, 0x08, 0xb0,
    0xcd, 0xfe, 0x1b, 0x14, 0xd2, 0x5e, 0x2f, 0x4f, 0xce, 0x42, 0x32, 0x7a, 0x62, 0x23, 0x2a,
    0x57, 0xb9, 0x97, 0x05, 0xcb, 0x77, 0x29, 0x6b, 0x01, 0x48, 0x3b, 0x6b, 0xba, 0x62, 0x49,
    0xa2, 0x29, 0xc0, 0x8d, 0x3c, 0x70, 0xc9, 0x2a, 0xa9, 0xcd, 0xeb, 0x9c, 0x35, 0x94, 0x03,
    0xc3, 0xf4, 0xfe, 0xd2, 0x47, 0x15, 0x96, 0x1a, 0x33, 0x83, 0xcb, 0x0f, 0x1c, 0xf8, 0xd7,
    0x74, 0x0b, 0x68, 0x54, 0x1d, 0x22, 0xbb, 0x7b, 0x60, 0x8d, 0xb9, 0xb3, 0xf7, 0xd9, 0x6b,
    0xab, 0xd8, 0x70, 0x87, 0xbe, 0xdf, 0xee, 0xe0, 0x01, 0x88, 0xba, 0x46, 0x3d};

enum {
    MIXED = 200
};

static void fill_mixed(char *out)
{
    for (int i = 0; i < MIXED; i++) {
        out[i] = (char)((i * 3) % 5 != 0 ? 'a' + (i * i * 3 + i) % 97 % 7 : '0' + i % 3);
    }
    out[MIXED] = '\0';
}

static void check(const unsigned char *bytes, size_t available, const char *expected)
{
    static unsigned char out[4096];
    size_t size = 0;
    assert_int_equal(tg__zlib_read(bytes, available, out, sizeof out, &size), TG_OK);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(out, expected, size);
    assert_int_equal(tg__zlib_read(bytes, available, out, size - 1, &size),
                     TG_ERR_BUFFER_TOO_SMALL);
    for (size_t shorter = 0; shorter < available; shorter++) {
        unsigned char *exact = malloc(shorter + 1); /* its end is the block's: ASan sees too far */
        assert_non_null(exact);
        memcpy(exact + 1, bytes, shorter);
        assert_int_equal(tg__zlib_read(exact + 1, shorter, out, sizeof out, &size), TG_ERR_CORRUPT);
        free(exact);
    }
}

static void every_kind_of_block_of_another_writer_is_read(void **state)
{
    (void)state;
    char expected[1024] = "";
    for (int i = 0; i < 10; i++) {
        (void)strcat(expected, "tick tock tick tock ");
    }
    check(fixed_code, sizeof fixed_code, expected);
    fill_mixed(expected);
    check(dynamic_code, sizeof dynamic_code, expected);
}

static void stored_blocks_read_back_at_every_size(void **state)
{
    (void)state;
    seeded_random random = random_start("stored", 41);
    const size_t sizes[] = {0, 1, 5, 65534, 65535, 65536, 131070, 131071, 200000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *bytes = malloc(sizes[i] + 1);
        unsigned char *out = malloc(sizes[i] + 1);
        unsigned char *packed = malloc(tg__zlib_stored_size(sizes[i]));
        assert_true(bytes != NULL && out != NULL && packed != NULL);
        for (size_t k = 0; k < sizes[i]; k++) {
            bytes[k] = (unsigned char)random_u64(&random);
        }
        const size_t packed_size = tg__zlib_store(bytes, sizes[i], packed);
        assert_true(packed_size <= tg__zlib_stored_size(sizes[i]));
        size_t size = 0;
        assert_int_equal(tg__zlib_read(packed, packed_size, out, sizes[i], &size), TG_OK);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(out, bytes, sizes[i]);
        free(bytes);
        free(out);
        free(packed);
    }
}

static void damage_stays_in_bounds_and_a_wrong_checksum_is_refused(void **state)
{
    (void)state;
    unsigned char bytes[sizeof dynamic_code];
    memcpy(bytes, dynamic_code, sizeof bytes);
    for (size_t bit = 0; bit < sizeof bytes * 8; bit++) {
        unsigned char *out = malloc(MIXED); /* exact: a byte too far is seen */
        assert_non_null(out);
        bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        size_t size = 0;
        const tg_err err = tg__zlib_read(bytes, sizeof bytes, out, MIXED, &size);
        /* Adler-32 is a weak sum: one flipped bit of the content may pass it. One of its own not.
         */
        assert_true(err != TG_OK || (size <= MIXED && bit / 8 < sizeof bytes - 4));
        bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        free(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_block_of_another_writer_is_read),
        cmocka_unit_test(stored_blocks_read_back_at_every_size),
        cmocka_unit_test(damage_stays_in_bounds_and_a_wrong_checksum_is_refused),
    };
    return cmocka_run_group_tests_name("recorder.inflate", tests, NULL, NULL);
}
