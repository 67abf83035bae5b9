/*
 * Shaped rows with AVX2: one byte shuffle brings the four fields of a part into 64-bit lanes, two
 * variable shifts cut them out, and sums are checked by their signs.
 *
 * Compiled for AVX2 by itself; only tg__shaped_rows_decoder_select() hands it out.
 */
#include "shaped_rows.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "unaligned.h"

/* Small, so that the shapes in use stay in the nearest cache beside the rows. */
typedef struct lanes {
    uint64_t shuffle[4]; /* eight byte numbers each; those over 15 wrap to bits that are cut off */
    uint8_t up[4];       /* shifts: what lies above the lane's bits leaves the word */
    uint8_t down[4];     /* and they come to its low end */
    uint64_t bytes;
} lanes;

#define BYTES_FROM(bit)                                                                            \
    ((UINT64_C(0x0706050403020100) + (bit) / 8u * UINT64_C(0x0101010101010101)) &                  \
     UINT64_C(0x0f0f0f0f0f0f0f0f))
#define LANES(a, b, c, d)                                                                          \
    {{BYTES_FROM(0u), BYTES_FROM((a) + 0u), BYTES_FROM((a) + (b) + 0u),                            \
      BYTES_FROM((a) + (b) + (c) + 0u)},                                                           \
     {64 - (a), 64 - (b) - (a) % 8, 64 - (c) - ((a) + (b)) % 8, 64 - (d) - ((a) + (b) + (c)) % 8}, \
     {64 - (a), 64 - (b), 64 - (c), 64 - (d)},                                                     \
     ((a) + (b) + (c) + (d)) / 8u},
#define QUOTE_LANES(a, b, c, d) LANES(a, b, c, d)
#define TRADE_LANES(a, b, c)    LANES(0, a, b, c)

static const lanes quote_lanes[TG__QUOTE_SHAPE_COUNT] = {TG__QUOTE_SHAPES(QUOTE_LANES)};
static const lanes trade_lanes[TG__TRADE_SHAPE_COUNT] = {TG__TRADE_SHAPES(TRADE_LANES)};

#define LOW_BITS(width) ((UINT64_C(1) << (width)) - 1u)
#define SHAPE_FIELDS    (TG_FIELD_BIT(8) - 1u) /* the two parts' */

static __m256i load(const void *at)
{
    return _mm256_loadu_si256((const __m256i *)at);
}

static __m256i counts(const uint8_t *at)
{
    int32_t four = 0;
    memcpy(&four, at, sizeof four);
    return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
}

/* The codes of the four fields of a part. */
static inline __m256i take_part(const uint8_t *part, const lanes *l)
{
    const __m256i bits =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)part));
    return _mm256_srlv_epi64(
        _mm256_sllv_epi64(_mm256_shuffle_epi8(bits, load(l->shuffle)), counts(l->up)),
        counts(l->down));
}

/* Adds four fields to their base; the result holds in its sign bits which sums left 64 bits. */
static inline __m256i add_part(__m256i coded, const int64_t *base, int64_t *out)
{
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256i sign = _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_and_si256(coded, one));
    const __m256i delta = _mm256_xor_si256(_mm256_srli_epi64(coded, 1), sign);
    const __m256i from = load(base);
    const __m256i sum = _mm256_add_epi64(from, delta);
    _mm256_storeu_si256((__m256i *)(void *)out, sum);
    return _mm256_and_si256(_mm256_xor_si256(from, sum), _mm256_xor_si256(delta, sum));
}

/* A bit for each field that moved. */
static inline unsigned moved_fields(__m256i coded)
{
    const __m256i still = _mm256_cmpeq_epi64(coded, _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(still)) ^ 15u;
}

tg_err tg__shaped_rows_decode_avx2(const tg__shaped_rows *rows, tg__update *updates,
                                   tg__shaped_rows_fault *fault)
{
    /* What every row reads is copied: stores of vectors could be stores to any of it. */
    const tg__shaped_rows r = *rows;
    const tg_image *const images = r.channel->images;
    const uint64_t resolution = r.channel->time_resolution_ns;
    const uint64_t step_mask = LOW_BITS(r.step_width);
    const uint64_t distance_mask = LOW_BITS(r.distance_width);
    const size_t entry_bits = r.step_width + r.distance_width;
    const uint8_t *values = r.values;
    const uint8_t *end = r.end;
    const uint8_t *trade_code = r.trade_codes;
    __m256i overflow = _mm256_setzero_si256();
    uint64_t distances = 0;
    uint64_t wrapped = 0;
    size_t bit = 0;
    tg__last_bytes last;
    for (uint32_t i = 0; i < r.count; i++) {
        const unsigned code = r.codes[i];
        if (code == TG__CODE_GENERAL) {
            continue;
        }
        if ((size_t)(end - values) < TG__ROW_READ_AHEAD && end == r.end) {
            const uint8_t *at = values;
            tg__move_last_bytes(&last, &at, &end);
            values = at;
        }
        tg__update *const update = &updates[i];
        tg_image *const image = &update->image;
        const tg_image *const base = &images[update->slot];
        /* A row without a trade code has the empty shape: adding nothing is cheaper than a branch
         * that nobody can foresee. Behind the last trade code the widths' byte is read. */
        const unsigned more = code >> 7;
        const lanes *const quote = &quote_lanes[code & TG__CODE_NUMBER];
        const lanes *const trade = &trade_lanes[*trade_code & TG__CODE_NUMBER & (0u - more)];
        const __m256i quotes = take_part(values, quote);
        const __m256i trades = take_part(values + quote->bytes, trade);
        overflow = _mm256_or_si256(
            overflow, _mm256_or_si256(add_part(quotes, base->value, image->value),
                                      add_part(trades, &base->value[4], &image->value[4])));
        values += quote->bytes + trade->bytes;
        trade_code += more;
        _mm256_storeu_si256((__m256i *)(void *)&image->value[8], load(&base->value[8]));
        _mm256_storeu_si256((__m256i *)(void *)&image->value[12], load(&base->value[12]));
        image->value[16] = base->value[16];
        const uint64_t entry = tg__load_u64_before(r.columns + bit / 8, r.end) >> bit % 8;
        bit += entry_bits;
        const uint64_t step = (entry & step_mask) + 1u;
        const uint64_t distance = entry >> r.step_width & distance_mask;
        update->covered = step;
        image->seq = base->seq + step;
        image->epoch = base->epoch;
        image->present = base->present | TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
        if ((image->present & SHAPE_FIELDS) != SHAPE_FIELDS) { /* a null may become a value */
            image->present |= moved_fields(quotes) | moved_fields(trades) << 4;
        }
        image->value[TG_FIELD_TS_EXCHANGE] =
            (int64_t)((uint64_t)r.newest_ts_ns - distance * resolution);
        wrapped |= image->seq < step;
        distances |= distance;
    }
    /* All distances together are at least the longest. The scalar decoder says which row is wrong
     * and why, or decodes them all if none is. */
    if (wrapped != 0 || distances > r.distance_max ||
        _mm256_movemask_pd(_mm256_castsi256_pd(overflow)) != 0) {
        return tg__shaped_rows_decode_scalar(rows, updates, fault);
    }
    return TG_OK;
}

#endif
