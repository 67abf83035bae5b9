#include "tg_cmocka.h"

#include "codec_fixture.h"
#include "varint.h"

static const uint64_t edges[] = {0,
                                 1,
                                 127,
                                 128,
                                 16383,
                                 16384,
                                 UINT32_MAX,
                                 (uint64_t)UINT32_MAX + 1,
                                 INT64_MAX,
                                 (uint64_t)INT64_MAX + 1,
                                 UINT64_MAX - 1,
                                 UINT64_MAX};
#define EDGE_COUNT (sizeof edges / sizeof edges[0])

static void every_edge_survives_write_and_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < EDGE_COUNT; i++) {
        uint8_t bytes[TG__VARINT_SIZE_MAX];
        const size_t size = tg__varint_write(bytes, edges[i]);
        const uint8_t *at = bytes;
        uint64_t value = 0;
        assert_int_equal(tg__varint_read(&at, bytes + size, &value), TG_OK);
        assert_true(value == edges[i]);
        assert_ptr_equal(at, bytes + size);
    }
}

static void read_rejects_every_short_length(void **state)
{
    (void)state;
    for (size_t i = 0; i < EDGE_COUNT; i++) {
        uint8_t bytes[TG__VARINT_SIZE_MAX];
        const size_t size = tg__varint_write(bytes, edges[i]);
        for (size_t cut = 0; cut < size; cut++) {
            const uint8_t *at = bytes;
            uint64_t value = 0;
            assert_int_equal(tg__varint_read(&at, bytes + cut, &value), TG_ERR_TRUNCATED);
            assert_ptr_equal(at, bytes);
        }
    }
}

static void read_rejects_longer_forms_and_more_than_64_bits(void **state)
{
    (void)state;
    static const uint8_t long_zero[] = {0x80, 0x00};
    static const uint8_t long_one[] = {0x81, 0x80, 0x00};
    static const uint8_t bit_64[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    static const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                     0x80, 0x80, 0x80, 0x81, 0x00};
    const struct {
        const uint8_t *bytes;
        size_t size;
    } bad[] = {{long_zero, sizeof long_zero},
               {long_one, sizeof long_one},
               {bit_64, sizeof bit_64},
               {eleven, sizeof eleven}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const uint8_t *at = bad[i].bytes;
        uint64_t value = 0;
        assert_int_equal(tg__varint_read(&at, at + bad[i].size, &value), TG_ERR_VARINT);
        assert_ptr_equal(at, bad[i].bytes);
    }
}

static void zigzag_is_a_bijection_at_the_edges_and_orders_by_magnitude(void **state)
{
    (void)state;
    static const int64_t values[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN};
    static const uint64_t codes[] = {0, 1, 2, 3, 4, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_true(tg__zigzag_encode(values[i]) == codes[i]);
        assert_true(tg__zigzag_decode(codes[i]) == values[i]);
    }
    uint64_t random = 7;
    for (int i = 0; i < 10000; i++) {
        const uint64_t code = fixture_random(&random);
        assert_true(tg__zigzag_encode(tg__zigzag_decode(code)) == code);
    }
}

/* The same question asked of 128-bit arithmetic. */
__extension__ typedef __int128 wide;

static bool fits(wide value)
{
    return value >= INT64_MIN && value <= INT64_MAX;
}

static void checked_arithmetic_agrees_with_128_bits(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < 100000; i++) {
        const int64_t a = fixture_value(&random);
        const int64_t b = fixture_value(&random);
        const int64_t factor = (int64_t)fixture_below(&random, 1000000000) + 1;
        int64_t out = 0;
        assert_int_equal(tg__add_checked(a, b, &out), fits((wide)a + b));
        assert_true(!fits((wide)a + b) || out == (wide)a + b);
        assert_int_equal(tg__sub_checked(a, b, &out), fits((wide)a - b));
        assert_true(!fits((wide)a - b) || out == (wide)a - b);
        assert_int_equal(tg__multiply_checked(a, factor, &out), fits((wide)a * factor));
        assert_true(!fits((wide)a * factor) || out == (wide)a * factor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_edge_survives_write_and_read),
        cmocka_unit_test(read_rejects_every_short_length),
        cmocka_unit_test(read_rejects_longer_forms_and_more_than_64_bits),
        cmocka_unit_test(zigzag_is_a_bijection_at_the_edges_and_orders_by_magnitude),
        cmocka_unit_test(checked_arithmetic_agrees_with_128_bits),
    };
    return cmocka_run_group_tests_name("codec.varint", tests, NULL, NULL);
}
