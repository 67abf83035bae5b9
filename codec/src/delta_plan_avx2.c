/*
 * Planning rows with AVX2: four deltas at once, their widths from the exponents of doubles, and a
 * variable shift to pack them.
 *
 * Compiled for AVX2 by itself; only tg__rows_planner_select() hands it out.
 */
#include "delta_plan.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "delta_plan_rows.h"

static __m256i load(const int64_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

/* Zigzag of four deltas. *faults gets the sign bits of those that leave 64 bits. */
static inline __m256i take_deltas(const int64_t *base, const int64_t *image, __m256i *faults)
{
    const __m256i to = load(image);
    const __m256i from = load(base);
    const __m256i delta = _mm256_sub_epi64(to, from);
    *faults = _mm256_and_si256(_mm256_xor_si256(to, from), _mm256_xor_si256(delta, to));
    return _mm256_xor_si256(_mm256_slli_epi64(delta, 1),
                            _mm256_cmpgt_epi64(_mm256_setzero_si256(), delta));
}

static inline bool any_bit(__m256i of)
{
    return _mm256_testz_si256(of, of) == 0;
}

/* True if something from TG__TAIL_FIELD_FIRST on changes. */
static inline bool needs_tail(const tg_image *base, const tg_image *image)
{
    const __m256i differ =
        _mm256_or_si256(_mm256_xor_si256(load(&image->value[8]), load(&base->value[8])),
                        _mm256_xor_si256(load(&image->value[12]), load(&base->value[12])));
    const uint64_t rest = (uint64_t)(image->value[16] ^ base->value[16]) |
                          ((image->present ^ base->present) & ~TG__SHAPE_BITS);
    return any_bit(differ) || rest != 0;
}

/*
 * Bits of four values below 2^32: in the mantissa of 2^52 they are a number that a subtraction
 * brings into normal form, and its exponent tells how long it is.
 */
static inline __m256i widths_of(__m256i values)
{
    const __m256d two_to_52 = _mm256_set1_pd(4503599627370496.0);
    const __m256d number =
        _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(values), two_to_52), two_to_52);
    const __m256i exponent = _mm256_srli_epi64(_mm256_castpd_si256(number), 52);
    return _mm256_subs_epu16(exponent, _mm256_set1_epi64x(1022)); /* of 0 it is 0, and stays so */
}

typedef struct four {
    size_t lane[4];
} four;

static inline four lanes_of(__m256i of)
{
    const __m128i low = _mm256_castsi256_si128(of);
    const __m128i high = _mm256_extracti128_si256(of, 1);
    const four out = {{(size_t)_mm_cvtsi128_si64(low), (size_t)_mm_extract_epi64(low, 1),
                       (size_t)_mm_cvtsi128_si64(high), (size_t)_mm_extract_epi64(high, 1)}};
    return out;
}

/* As tg__quote_shape_find(). */
static inline int find_quote_shape(__m256i coded)
{
    const four width = lanes_of(widths_of(coded));
    __m128i fits = _mm_set1_epi64x(-1);
    for (unsigned lane = 0; lane < 4; lane++) {
        const tg__shape_set *const set = &tg__quote_shape_sets[lane][width.lane[lane]];
        fits = _mm_and_si128(fits, _mm_loadu_si128((const __m128i *)(const void *)set));
    }
    /* Both halves are common, in no order that a branch could foresee. */
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(fits);
    const uint64_t high = (uint64_t)_mm_extract_epi64(fits, 1);
    const uint64_t none = 0 - (uint64_t)(low == 0);
    const uint64_t half = low | (high & none);
    return half != 0 ? __builtin_ctzll(half) + (int)(none & 64u) : -1;
}

/* As tg__trade_shape_find(). */
static inline int find_trade_shape(__m256i coded)
{
    const four width = lanes_of(widths_of(coded));
    const uint64_t fits = tg__trade_shape_sets[1][width.lane[1]] &
                          tg__trade_shape_sets[2][width.lane[2]] &
                          tg__trade_shape_sets[3][width.lane[3]];
    return fits != 0 ? __builtin_ctzll(fits) : -1;
}

static inline uint64_t or_lanes(__m256i of)
{
    const __m128i half = _mm_or_si128(_mm256_castsi256_si128(of), _mm256_extracti128_si256(of, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half)));
}

/* Packs four lanes; writes at most sixteen bytes, of which shape->bytes count. */
static inline void pack_part(uint8_t *at, const tg__row_shape *shape, __m256i coded)
{
    int32_t bits = 0;
    memcpy(&bits, shape->bit, sizeof bits);
    const __m256i bit = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bits));
    /* A shift by 64 or more, or by less than none, leaves nothing of a lane. */
    const uint64_t low = or_lanes(_mm256_sllv_epi64(coded, bit));
    memcpy(at, &low, sizeof low);
    if (shape->bytes > 8) {
        const __m256i up = _mm256_sub_epi64(bit, _mm256_set1_epi64x(64));
        const __m256i down = _mm256_sub_epi64(_mm256_set1_epi64x(64), bit);
        const uint64_t high =
            or_lanes(_mm256_or_si256(_mm256_sllv_epi64(coded, up), _mm256_srlv_epi64(coded, down)));
        memcpy(at + 8, &high, sizeof high);
    }
}

static inline tg__shaped_row shape_row(const tg_image *base, const tg_image *image, uint8_t *packed)
{
    const tg__shaped_row general = {TG__CODE_GENERAL, 0, 0};
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
    const __m256i wide = _mm256_set1_epi64x(-(INT64_C(1) << TG__LANE_BITS_MAX));
    __m256i quote_faults;
    __m256i trade_faults;
    const __m256i quotes = take_deltas(&base->value[0], &image->value[0], &quote_faults);
    /* The exchange time, in the lowest lane, is told from the newest one and not from its old
     * value. */
    const __m256i zero = _mm256_setzero_si256();
    const __m256i trades =
        _mm256_blend_epi32(take_deltas(&base->value[4], &image->value[4], &trade_faults), zero, 3);
    trade_faults = _mm256_blend_epi32(trade_faults, zero, 3);
    const __m256i faults = _mm256_and_si256(_mm256_or_si256(quote_faults, trade_faults), sign);
    const __m256i beyond = _mm256_and_si256(_mm256_or_si256(quotes, trades), wide);
    if (any_bit(_mm256_or_si256(faults, beyond))) {
        return general;
    }
    const int quote = find_quote_shape(quotes);
    if (quote < 0) {
        return general;
    }
    tg__shaped_row row = {(unsigned)quote, 0, tg__quote_shapes[quote].bytes};
    pack_part(packed, &tg__quote_shapes[quote], quotes);
    const bool tail = needs_tail(base, image);
    if (tail || any_bit(trades)) {
        const int trade = find_trade_shape(trades);
        if (trade < 0) {
            return general;
        }
        pack_part(packed + row.size, &tg__trade_shapes[trade], trades);
        row.code |= TG__CODE_MORE;
        row.trade_code = (unsigned)trade | (tail ? (unsigned)TG__CODE_MORE : 0u);
        row.size += tg__trade_shapes[trade].bytes;
    }
    return row;
}

tg_err tg__rows_plan_avx2(const tg__channel *channel, const tg__frame *frame,
                          const tg__update *updates, tg__delta_plan *plan, tg__column_needs *needs)
{
    return tg__plan_rows(shape_row, channel, frame, updates, plan, needs);
}

#endif
