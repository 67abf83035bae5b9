#include "tg_cmocka.h"

#include <string.h>

#include <tickglass/internal/crc32c.h>

static uint32_t bit_at_a_time(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0x82f63b78u : 0u);
        }
    }
    return ~crc;
}

static void published_check_values_hold(void **state)
{
    (void)state;
    assert_int_equal(tg__crc32c(0, "123456789", 9), 0xe3069283u);
    uint8_t bytes[32];
    memset(bytes, 0, sizeof bytes); /* RFC 3720 B.4: 32 bytes of zeros, of ones, ascending */
    assert_int_equal(tg__crc32c(0, bytes, 32), 0x8a9136aau);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(tg__crc32c(0, bytes, 32), 0x62a8ab43u);
    for (uint8_t i = 0; i < 32; i++) {
        bytes[i] = i;
    }
    assert_int_equal(tg__crc32c(0, bytes, 32), 0x46dd794eu);
}

static void equals_the_definition_for_every_byte_value(void **state)
{
    (void)state;
    for (unsigned value = 0; value < 256; value++) {
        const uint8_t byte = (uint8_t)value;
        assert_int_equal(tg__crc32c(0, &byte, 1), bit_at_a_time(&byte, 1));
    }
}

static void pieces_give_what_the_whole_gives(void **state)
{
    (void)state;
    const char text[] = "one price, two cuts";
    const uint32_t whole = tg__crc32c(0, text, sizeof text);
    for (size_t cut = 0; cut <= sizeof text; cut++) {
        const uint32_t first = tg__crc32c(0, text, cut);
        assert_int_equal(tg__crc32c(first, text + cut, sizeof text - cut), whole);
    }
}

static void every_way_of_computing_gives_the_same(void **state)
{
    (void)state;
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 37 + 11);
    }
    for (size_t from = 0; from < 16; from++) { /* every alignment and every rest of a word */
        for (size_t size = 0; size + from <= sizeof bytes; size += 1 + size / 16) {
            const uint32_t expected = bit_at_a_time(bytes + from, size);
            assert_int_equal(tg__crc32c(0, bytes + from, size), expected);
            assert_int_equal(tg__crc32c_by_table(0, bytes + from, size), expected);
        }
    }
}

/* Long ones go in parts side by side: whole rows of these, less, more, and at odd places. */
static void long_ones_give_what_the_table_gives(void **state)
{
    (void)state;
    enum {
        LONGEST = 40000
    };
    static uint8_t bytes[LONGEST + 8];
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        random = random * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(random >> 24);
    }
    for (size_t size = 0; size <= LONGEST;
         size += size % 6144 < 40 || size % 6144 > 6120 ? 1 : 997) {
        const size_t from = size % 8;
        const uint32_t before = (uint32_t)size * 2654435761u;
        assert_int_equal(tg__crc32c(before, bytes + from, size),
                         tg__crc32c_by_table(before, bytes + from, size));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_of_computing_gives_the_same),
        cmocka_unit_test(published_check_values_hold),
        cmocka_unit_test(equals_the_definition_for_every_byte_value),
        cmocka_unit_test(long_ones_give_what_the_table_gives),
        cmocka_unit_test(pieces_give_what_the_whole_gives),
    };
    return cmocka_run_group_tests_name("base.crc32c", tests, NULL, NULL);
}
