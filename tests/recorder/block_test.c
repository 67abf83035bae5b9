#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/record_inline.h>

#include <tickglass/internal/text_buffer.h>

#include "block.h"
#include "bytes.h"
#include "dictionary.h"

static void a_sealed_block_opens_to_the_same(void **state)
{
    (void)state;
    unsigned char bytes[256];
    memset(bytes, 0x5a, sizeof bytes);
    const tg__block sealed = {.kind = TG__BLOCK_RECORDS,
                              .payload_size = 100,
                              .thread = 3,
                              .record_count = 7,
                              .ring = 2,
                              .position = UINT64_C(1) << 40,
                              .position_end = (UINT64_C(1) << 40) + 512};
    assert_int_equal(tg__block_seal(&sealed, bytes), TG__BLOCK_HEADER + 100);
    tg__block opened;
    assert_int_equal(tg__block_open(bytes, sizeof bytes, &opened), TG_OK);
    assert_int_equal(opened.kind, sealed.kind);
    assert_int_equal(opened.payload_size, 100);
    assert_int_equal(opened.thread, 3);
    assert_int_equal(opened.record_count, 7);
    assert_int_equal(opened.ring, 2);
    assert_int_equal(opened.position, sealed.position);
    assert_int_equal(opened.position_end, sealed.position_end);
    assert_ptr_equal(opened.payload, bytes + TG__BLOCK_HEADER);
}

static void every_shorter_block_is_torn_and_every_flipped_bit_is_seen(void **state)
{
    (void)state;
    unsigned char bytes[TG__BLOCK_HEADER + 20];
    memset(bytes, 1, sizeof bytes);
    const tg__block sealed = {.kind = TG__BLOCK_NOTE, .payload_size = 20};
    const size_t size = tg__block_seal(&sealed, bytes);
    tg__block opened;
    for (size_t shorter = 0; shorter < size; shorter++) {
        assert_int_equal(tg__block_open(bytes, shorter, &opened), TG_ERR_TORN);
    }
    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        assert_int_not_equal(tg__block_open(bytes, size, &opened), TG_OK);
        bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    }
    assert_int_equal(tg__block_open(bytes, size, &opened), TG_OK);
}

static void a_note_of_before_it_told_losses_is_read_without_them(void **state)
{
    (void)state;
    unsigned char payload[64];
    const tg__note note = {.kind = TG__NOTE_SLOW,
                           .error = -5,
                           .thread = 3,
                           .count = 7,
                           .from_mono_ns = -1,
                           .to_mono_ns = INT64_MAX,
                           .lost = UINT64_C(1) << 40};
    tg__block block = {.kind = TG__BLOCK_NOTE,
                       .payload_size = (uint32_t)tg__note_encode(&note, payload),
                       .payload = payload};
    tg__note read;
    assert_int_equal(tg__note_decode(&block, &read), TG_OK);
    assert_int_equal(read.kind, note.kind);
    assert_int_equal(read.error, note.error);
    assert_int_equal(read.thread, note.thread);
    assert_int_equal(read.count, note.count);
    assert_int_equal(read.from_mono_ns, note.from_mono_ns);
    assert_int_equal(read.to_mono_ns, note.to_mono_ns);
    assert_int_equal(read.lost, note.lost);
    for (block.payload_size--; block.payload_size >= 40; block.payload_size--) {
        assert_int_equal(tg__note_decode(&block, &read), TG_OK);
        assert_int_equal(read.to_mono_ns, note.to_mono_ns);
        assert_int_equal(read.lost, 0);
    }
    assert_int_equal(tg__note_decode(&block, &read), TG_ERR_CORRUPT);
}

static void an_impossible_size_is_corrupt_not_torn(void **state)
{
    (void)state;
    unsigned char bytes[TG__BLOCK_HEADER];
    const tg__block sealed = {.kind = TG__BLOCK_NOTE};
    (void)tg__block_seal(&sealed, bytes);
    tg__put_u32(bytes + 8, TG__BLOCK_PAYLOAD_MAX + 1);
    tg__block opened;
    assert_int_equal(tg__block_open(bytes, sizeof bytes, &opened), TG_ERR_CORRUPT);
}

static void site_entries_survive_and_bad_ones_are_refused(void **state)
{
    (void)state;
    static const uint8_t types[] = {TG__TYPE_U32, TG__TYPE_DECIMAL, TG__TYPE_TEXT};
    const tg__site_info site = {.id = 17,
                                .line = 99,
                                .level = TG_RECORD_WARNING,
                                .argument_count = 3,
                                .types = types,
                                .file = "a.c",
                                .format = "%u %f %s",
                                .file_size = 3,
                                .format_size = 8};
    unsigned char bytes[64];
    const size_t size = tg__site_encode(&site, bytes, sizeof bytes);
    assert_int_equal(size, 32);
    assert_int_equal(tg__site_encode(&site, bytes, 31), 0);
    tg__site_info read;
    size_t used = 0;
    assert_int_equal(tg__site_decode(bytes, size, &read, &used), TG_OK);
    assert_int_equal(used, size);
    assert_int_equal(read.id, 17);
    assert_int_equal(read.line, 99);
    assert_int_equal(read.nibble_count, 4);
    assert_memory_equal(read.file, "a.c", 3);
    assert_memory_equal(read.format, "%u %f %s", 8);
    for (size_t shorter = 0; shorter < size; shorter++) {
        assert_int_equal(tg__site_decode(bytes, shorter, &read, &used), TG_ERR_CORRUPT);
    }
    const struct {
        size_t at;
        unsigned char value;
    } rows[] = {{0, 40},  {0, 31}, {4, 0},     {5, 0xff}, {12, 0}, {12, 9},
                {13, 13}, {15, 9}, {17, 0xff}, {18, 0},   {19, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned char kept = bytes[rows[i].at];
        bytes[rows[i].at] = rows[i].value;
        assert_int_equal(tg__site_decode(bytes, size, &read, &used), TG_ERR_CORRUPT);
        bytes[rows[i].at] = kept;
    }
}

static void arguments_must_fill_their_record(void **state)
{
    (void)state;
    static const uint8_t types[] = {TG__TYPE_U32, TG__TYPE_TEXT};
    const tg__site_info site = {.id = 1, .argument_count = 2, .types = types};
    unsigned char arguments[16];
    memset(arguments, 0, sizeof arguments);
    tg__put_u32(arguments + 4, 8);
    size_t used = 0;
    assert_true(tg__site_arguments_fit(&site, arguments, 16, &used));
    assert_int_equal(used, 16);
    assert_false(tg__site_arguments_fit(&site, arguments, 15, &used));
    assert_false(tg__site_arguments_fit(&site, arguments, 7, &used));
    tg__put_u32(arguments + 4, UINT32_MAX);
    assert_false(tg__site_arguments_fit(&site, arguments, 16, &used));
}

static void utc_prints_every_date_of_64_bits(void **state)
{
    (void)state;
    const struct {
        int64_t utc_ns;
        const char *expected;
    } rows[] = {{0, "1970-01-01T00:00:00.000000000Z"},
                {-1, "1969-12-31T23:59:59.999999999Z"},
                {INT64_C(951782400000000001), "2000-02-29T00:00:00.000000001Z"},
                {INT64_C(1709164800000000000), "2024-02-29T00:00:00.000000000Z"},
                {INT64_C(4102444799999999999), "2099-12-31T23:59:59.999999999Z"},
                {INT64_MAX, "2262-04-11T23:47:16.854775807Z"},
                {INT64_MIN, "1677-09-21T00:12:43.145224192Z"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tg__text_buffer text = {NULL, 0, 0, false};
        tg__text_add_utc(&text, rows[i].utc_ns, NULL);
        assert_int_equal(text.size, 30);
        assert_memory_equal(text.bytes, rows[i].expected, 30);
        tg__text_buffer_deinit(&text);
    }
}

static void numbers_print_at_their_limits(void **state)
{
    (void)state;
    tg__text_buffer text = {NULL, 0, 0, false};
    tg__text_add_i64(&text, INT64_MIN);
    tg__text_add_string(&text, " ");
    tg__text_add_u64(&text, UINT64_MAX);
    tg__text_add_string(&text, " ");
    tg__text_add_i64(&text, 0);
    tg__text_add(&text, "", 1);
    assert_string_equal(text.bytes, "-9223372036854775808 18446744073709551615 0");
    tg__text_buffer_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sealed_block_opens_to_the_same),
        cmocka_unit_test(every_shorter_block_is_torn_and_every_flipped_bit_is_seen),
        cmocka_unit_test(a_note_of_before_it_told_losses_is_read_without_them),
        cmocka_unit_test(an_impossible_size_is_corrupt_not_torn),
        cmocka_unit_test(site_entries_survive_and_bad_ones_are_refused),
        cmocka_unit_test(arguments_must_fill_their_record),
        cmocka_unit_test(utc_prints_every_date_of_64_bits),
        cmocka_unit_test(numbers_print_at_their_limits),
    };
    return cmocka_run_group_tests_name("recorder.block", tests, NULL, NULL);
}
