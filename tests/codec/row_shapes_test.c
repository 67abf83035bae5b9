#include "tg_cmocka.h"

#include "codec_fixture.h"
#include "row_shapes.h"

#define WIDTHS(...) {__VA_ARGS__},
static const unsigned quote_widths[][4] = {TG__QUOTE_SHAPES(WIDTHS)};
static const unsigned trade_widths[][3] = {TG__TRADE_SHAPES(WIDTHS)};

/* Width of a lane; lane 0 of a trade shape is empty. */
static unsigned quote_width(unsigned shape, unsigned lane)
{
    return quote_widths[shape][lane];
}

static unsigned trade_width(unsigned shape, unsigned lane)
{
    return lane == 0 ? 0 : trade_widths[shape][lane - 1];
}

static void check_shapes(const tg__row_shape *shapes, unsigned count,
                         unsigned (*width)(unsigned, unsigned))
{
    unsigned previous = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned bits = 0;
        for (unsigned lane = 0; lane < 4; lane++) {
            assert_int_equal(shapes[i].bit[lane], bits);
            assert_true(shapes[i].mask[lane] == (UINT64_C(1) << width(i, lane)) - 1);
            assert_true(width(i, lane) <= TG__LANE_BITS_MAX);
            bits += width(i, lane);
        }
        assert_int_equal(bits % 8, 0);
        assert_int_equal(shapes[i].bytes, bits / 8);
        assert_true(shapes[i].bytes <= TG__SHAPE_BYTES_MAX && shapes[i].bytes >= previous);
        previous = shapes[i].bytes;
    }
}

static void shapes_are_whole_bytes_in_order_of_size(void **state)
{
    (void)state;
    assert_true(TG__QUOTE_SHAPE_COUNT < TG__CODE_GENERAL);
    assert_true(TG__TRADE_SHAPE_COUNT < TG__CODE_MORE);
    check_shapes(tg__quote_shapes, TG__QUOTE_SHAPE_COUNT, quote_width);
    check_shapes(tg__trade_shapes, TG__TRADE_SHAPE_COUNT, trade_width);
}

static void shape_sets_follow_from_the_lists(void **state)
{
    (void)state;
    for (unsigned lane = 0; lane < 4; lane++) {
        for (unsigned bits = 0; bits <= TG__LANE_BITS_MAX; bits++) {
            tg__shape_set quotes = {0, 0};
            uint64_t trades = 0;
            for (unsigned i = 0; i < TG__QUOTE_SHAPE_COUNT; i++) {
                uint64_t *const half = i < 64 ? &quotes.low : &quotes.high;
                *half |= (uint64_t)(quote_width(i, lane) >= bits) << i % 64;
            }
            for (unsigned i = 0; i < TG__TRADE_SHAPE_COUNT; i++) {
                trades |= (uint64_t)(trade_width(i, lane) >= bits) << i;
            }
            assert_true(tg__quote_shape_sets[lane][bits].low == quotes.low);
            assert_true(tg__quote_shape_sets[lane][bits].high == quotes.high);
            assert_true(tg__trade_shape_sets[lane][bits] == trades);
        }
    }
}

static unsigned bits_of(uint64_t value)
{
    unsigned bits = 0;
    for (; value != 0; value >>= 1) {
        bits++;
    }
    return bits;
}

static int find_slowly(unsigned count, unsigned (*width)(unsigned, unsigned), const uint64_t *coded)
{
    for (unsigned i = 0; i < count; i++) {
        bool fits = true;
        for (unsigned lane = 0; lane < 4; lane++) {
            fits = fits && width(i, lane) >= bits_of(coded[lane]);
        }
        if (fits) {
            return (int)i;
        }
    }
    return -1;
}

static void the_first_shape_that_fits_is_found(void **state)
{
    (void)state;
    uint64_t random = 9;
    unsigned found = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t coded[4];
        for (unsigned lane = 0; lane < 4; lane++) {
            coded[lane] = (fixture_random(&random) & UINT32_MAX) >> fixture_below(&random, 33);
        }
        const int expected = find_slowly(TG__QUOTE_SHAPE_COUNT, quote_width, coded);
        assert_int_equal(tg__quote_shape_find(coded), expected);
        coded[0] = 0;
        assert_int_equal(tg__trade_shape_find(coded),
                         find_slowly(TG__TRADE_SHAPE_COUNT, trade_width, coded));
        found += expected >= 0;
    }
    assert_true(found > 100000);
    const uint64_t widest[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    assert_int_equal(tg__quote_shape_find(widest), TG__QUOTE_SHAPE_COUNT - 1);
}

static void codes_announce_what_their_shapes_are(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 256; code++) {
        const unsigned number = code & TG__CODE_NUMBER;
        const uint64_t quote = tg__quote_codes[code];
        const uint64_t trade = tg__trade_codes[code];
        assert_int_equal(quote >= TG__CODE_EXISTS,
                         number < TG__QUOTE_SHAPE_COUNT || code == TG__CODE_GENERAL);
        assert_int_equal(trade >= TG__CODE_EXISTS, number < TG__TRADE_SHAPE_COUNT && code != 0);
        if (number < TG__QUOTE_SHAPE_COUNT) {
            assert_int_equal(TG__CODES_BYTES(quote), tg__quote_shapes[number].bytes);
            assert_int_equal(TG__CODES_TRADES(quote), code >> 7);
        }
        if (trade >= TG__CODE_EXISTS) {
            assert_int_equal(TG__CODES_BYTES(trade), tg__trade_shapes[number].bytes);
            assert_int_equal(TG__CODES_VARYING(trade), code >> 7);
        }
    }
    assert_int_equal(TG__CODES_VARYING(tg__quote_codes[TG__CODE_GENERAL]), 1);
    assert_int_equal(TG__CODES_BYTES(tg__quote_codes[TG__CODE_GENERAL]), 0);
}

static void column_codes_are_the_first_that_hold_the_bits(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 64; bits++) {
        unsigned step = 0;
        unsigned distance = 0;
        while (step < TG__COLUMN_WIDTHS && tg__step_widths[step] < bits) {
            step++;
        }
        while (distance < TG__COLUMN_WIDTHS && tg__distance_widths[distance] < bits) {
            distance++;
        }
        assert_int_equal(tg__step_codes[bits], step);
        assert_int_equal(tg__distance_codes[bits], distance);
    }
    /* An entry of the columns is read as 64 bits from any bit of its first byte. */
    assert_true(tg__step_widths[15] + tg__distance_widths[15] <= 57);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_whole_bytes_in_order_of_size),
        cmocka_unit_test(shape_sets_follow_from_the_lists),
        cmocka_unit_test(the_first_shape_that_fits_is_found),
        cmocka_unit_test(codes_announce_what_their_shapes_are),
        cmocka_unit_test(column_codes_are_the_first_that_hold_the_bits),
    };
    return cmocka_run_group_tests_name("codec.row_shapes", tests, NULL, NULL);
}
