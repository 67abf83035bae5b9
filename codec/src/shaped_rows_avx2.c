/*
 * Shaped rows with AVX2: one byte shuffle brings the four fields of a part into 64-bit lanes, a
 * variable shift and a mask cut them out, and sums are checked by their signs.
 *
 * Compiled for AVX2 by itself; only tg__shaped_rows_decoder_select() hands it out.
 */
#include "shaped_rows.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "unaligned.h"

typedef struct lanes {
    uint64_t
        shuffle[4]; /* eight byte numbers each; those over 15 wrap to bits that are masked off */
    uint64_t shift[4];
    uint64_t mask[4];
    uint64_t bytes;
} lanes;

#define BYTES_FROM(bit)                                                                            \
    ((UINT64_C(0x0706050403020100) + (bit) / 8u * UINT64_C(0x0101010101010101)) &                  \
     UINT64_C(0x0f0f0f0f0f0f0f0f))
#define LOW_BITS(width) ((UINT64_C(1) << (width)) - 1u)
#define LANES(a, b, c, d)                                                                          \
    {{BYTES_FROM(0u), BYTES_FROM((a) + 0u), BYTES_FROM((a) + (b) + 0u),                            \
      BYTES_FROM((a) + (b) + (c) + 0u)},                                                           \
     {0, (a) % 8u, ((a) + (b)) % 8u, ((a) + (b) + (c)) % 8u},                                      \
     {LOW_BITS(a), LOW_BITS(b), LOW_BITS(c), LOW_BITS(d)},                                         \
     ((a) + (b) + (c) + (d)) / 8u},
#define QUOTE_LANES(a, b, c, d) LANES(a, b, c, d)
#define TRADE_LANES(a, b, c)    LANES(0, a, b, c)

static const lanes quote_lanes[TG__QUOTE_SHAPE_COUNT] = {TG__QUOTE_SHAPES(QUOTE_LANES)};
static const lanes trade_lanes[TG__TRADE_SHAPE_COUNT] = {TG__TRADE_SHAPES(TRADE_LANES)};

static __m256i load(const void *at)
{
    return _mm256_loadu_si256((const __m256i *)at);
}

/* Adds four fields to their base. Sets a bit in *moved for each that moved; the result holds in its
 * sign bits which sums left 64 bits. */
static inline __m256i add_part(const uint8_t *part, const lanes *l, const int64_t *base,
                               int64_t *out, unsigned *moved)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i bits =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)part));
    const __m256i coded = _mm256_and_si256(
        _mm256_srlv_epi64(_mm256_shuffle_epi8(bits, load(l->shuffle)), load(l->shift)),
        load(l->mask));
    const __m256i sign = _mm256_sub_epi64(zero, _mm256_and_si256(coded, _mm256_set1_epi64x(1)));
    const __m256i delta = _mm256_xor_si256(_mm256_srli_epi64(coded, 1), sign);
    const __m256i from = load(base);
    const __m256i sum = _mm256_add_epi64(from, delta);
    _mm256_storeu_si256((__m256i *)(void *)out, sum);
    const __m256i still = _mm256_cmpeq_epi64(coded, zero);
    *moved = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(still)) ^ 15u;
    return _mm256_and_si256(_mm256_xor_si256(from, sum), _mm256_xor_si256(delta, sum));
}

tg_err tg__shaped_rows_decode_avx2(const tg__shaped_rows *rows, tg__update *updates,
                                   tg__shaped_rows_fault *fault)
{
    const uint64_t resolution = rows->channel->time_resolution_ns;
    const uint64_t step_mask = LOW_BITS(rows->step_width);
    const uint64_t distance_mask = LOW_BITS(rows->distance_width);
    const size_t entry_bits = rows->step_width + rows->distance_width;
    const uint8_t *values = rows->values;
    const uint8_t *end = rows->end;
    const uint8_t *trade_code = rows->trade_codes;
    __m256i overflow = _mm256_setzero_si256();
    uint64_t farthest = 0;
    bool wrapped = false;
    size_t bit = 0;
    tg__last_bytes last;
    for (uint32_t i = 0; i < rows->count; i++) {
        const unsigned code = rows->codes[i];
        if (code == TG__CODE_GENERAL) {
            continue;
        }
        if ((size_t)(end - values) < TG__ROW_READ_AHEAD && end == rows->end) {
            tg__move_last_bytes(&last, &values, &end);
        }
        tg__update *const update = &updates[i];
        tg_image *const image = &update->image;
        const tg_image *const base = &rows->channel->images[update->slot];
        const unsigned quote = code & TG__CODE_NUMBER;
        unsigned moved = 0;
        unsigned traded = 0;
        __m256i over = add_part(values, &quote_lanes[quote], base->value, image->value, &moved);
        values += quote_lanes[quote].bytes;
        if (code >= TG__CODE_MORE) {
            const unsigned trade = *trade_code++ & TG__CODE_NUMBER;
            over = _mm256_or_si256(over, add_part(values, &trade_lanes[trade], &base->value[4],
                                                  &image->value[4], &traded));
            values += trade_lanes[trade].bytes;
        } else {
            _mm256_storeu_si256((__m256i *)(void *)&image->value[4], load(&base->value[4]));
        }
        overflow = _mm256_or_si256(overflow, over);
        _mm256_storeu_si256((__m256i *)(void *)&image->value[8], load(&base->value[8]));
        _mm256_storeu_si256((__m256i *)(void *)&image->value[12], load(&base->value[12]));
        image->value[16] = base->value[16];
        const uint64_t entry = tg__load_u64_before(rows->columns + bit / 8, rows->end) >> bit % 8;
        bit += entry_bits;
        const uint64_t step = (entry & step_mask) + 1u;
        const uint64_t distance = entry >> rows->step_width & distance_mask;
        update->covered = step;
        image->seq = base->seq + step;
        image->epoch = base->epoch;
        image->present = base->present | moved | traded << 4 | TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
        image->value[TG_FIELD_TS_EXCHANGE] =
            (int64_t)((uint64_t)rows->newest_ts_ns - distance * resolution);
        wrapped |= image->seq < step;
        farthest = distance > farthest ? distance : farthest;
    }
    if (wrapped || farthest > rows->distance_max ||
        _mm256_movemask_pd(_mm256_castsi256_pd(overflow)) != 0) {
        return tg__shaped_rows_decode_scalar(rows, updates, fault); /* which row, and why */
    }
    return TG_OK;
}

#endif
