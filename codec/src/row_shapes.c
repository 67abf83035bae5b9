#include "row_shapes.h"

#define LOW_BITS(width) ((UINT64_C(1) << (width)) - 1u)
#define SHAPE(a, b, c, d)                                                                          \
    {{LOW_BITS(a), LOW_BITS(b), LOW_BITS(c), LOW_BITS(d)},                                         \
     {0, a, (a) + (b), (a) + (b) + (c)},                                                           \
     ((a) + (b) + (c) + (d)) / 8},
#define TRADE_SHAPE(a, b, c) SHAPE(0, a, b, c)
const tg__row_shape tg__quote_shapes[TG__QUOTE_SHAPE_COUNT] = {TG__QUOTE_SHAPES(SHAPE)};
const tg__row_shape tg__trade_shapes[TG__TRADE_SHAPE_COUNT] = {TG__TRADE_SHAPES(TRADE_SHAPE)};

#define QUOTE_ONLY(a, b, c, d) TG__CODE_EXISTS + ((a) + (b) + (c) + (d)) / 8,
#define QUOTE_MORE(a, b, c, d) TG__CODE_EXISTS + TG__CODE_TRADE_ONE + ((a) + (b) + (c) + (d)) / 8,
/* A trade code has to announce something: the empty shape without a tail does not exist. */
#define TRADE_ONLY(a, b, c) ((a) + (b) + (c) > 0) * TG__CODE_EXISTS + ((a) + (b) + (c)) / 8,
#define TRADE_TAIL(a, b, c) TG__CODE_EXISTS + TG__CODE_VARYING_ONE + ((a) + (b) + (c)) / 8,
/* clang-format off */
const uint64_t tg__quote_codes[256] = {
    TG__QUOTE_SHAPES(QUOTE_ONLY)
    [TG__CODE_GENERAL] = TG__CODE_EXISTS + TG__CODE_VARYING_ONE,
    [TG__CODE_MORE] = TG__QUOTE_SHAPES(QUOTE_MORE)
};
const uint64_t tg__trade_codes[256] = {
    TG__TRADE_SHAPES(TRADE_ONLY)
    [TG__CODE_MORE] = TG__TRADE_SHAPES(TRADE_TAIL)
};
/* clang-format on */

const uint8_t tg__step_widths[TG__COLUMN_WIDTHS] = {0, 1,  2,  3,  4,  5,  6,  7,
                                                    8, 10, 12, 14, 16, 18, 20, 24};
const uint8_t tg__distance_widths[TG__COLUMN_WIDTHS] = {0,  1,  2,  4,  6,  7,  8,  9,
                                                        10, 11, 12, 14, 16, 20, 24, 32};

const uint8_t tg__step_codes[65] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  9,  10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15,
    15, 15, 15, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16};
const uint8_t tg__distance_codes[65] = {
    0,  1,  2,  3,  3,  4,  4,  5,  6,  7,  8,  9,  10, 11, 11, 12, 12, 13, 13, 13, 13, 14,
    14, 14, 14, 15, 15, 15, 15, 15, 15, 15, 15, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16};

/* Bits of a value below 2^63. */
static unsigned width_of(uint64_t value)
{
    return 63u - (unsigned)__builtin_clzll(value << 1 | 1u);
}

/*
 * What four values need is the intersection of four sets, and its lowest bit the smallest shape: no
 * search, no branch but the last.
 */
int tg__quote_shape_find(const uint64_t *coded)
{
    uint64_t low = UINT64_MAX;
    uint64_t high = UINT64_MAX;
    for (unsigned lane = 0; lane < 4; lane++) {
        const tg__shape_set *const set = &tg__quote_shape_sets[lane][width_of(coded[lane])];
        low &= set->low;
        high &= set->high;
    }
    if (low != 0) {
        return __builtin_ctzll(low);
    }
    return high != 0 ? 64 + __builtin_ctzll(high) : -1;
}

int tg__trade_shape_find(const uint64_t *coded)
{
    uint64_t fits = UINT64_MAX;
    for (unsigned lane = 0; lane < 4; lane++) {
        fits &= tg__trade_shape_sets[lane][width_of(coded[lane])];
    }
    return fits != 0 ? __builtin_ctzll(fits) : -1;
}
