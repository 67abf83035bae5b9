/* Encoding DELTA: the step of a conflated channel from one boundary to a later one. PROTOCOL.md 8.
 */
#include <tickglass/internal/frame.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "cursor.h"
#include "delta_wire.h"
#include "exact_division.h"
#include "general_row.h"
#include "row.h"
#include "row_shapes.h"
#include "shaped_rows.h"
#include "state_digest.h"
#include "unaligned.h"
#include "varint.h"

static tg_err check_updates(const tg__channel *channel, const tg__frame *frame,
                            const tg__update *updates)
{
    TG_ENSURE(frame->base == channel->boundary && frame->boundary > frame->base &&
                  frame->set_digest == channel->set_digest && frame->count <= channel->count,
              TG_ERR_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg__update *const update = &updates[i];
        TG_ENSURE(update->slot < channel->count, TG_ERR_INVALID_ARGUMENT);
        TG_ENSURE(i == 0 || update->slot > updates[i - 1].slot, TG_ERR_INVALID_ARGUMENT);
        const tg_image *const base = &channel->images[update->slot];
        TG_ENSURE(tg_version_compare(tg_image_version(&update->image), tg_image_version(base)) > 0,
                  TG_ERR_INVALID_ARGUMENT);
        TG_ENSURE((update->image.present & ~TG_FIELD_ALL_BITS) == 0, TG_ERR_INVALID_ARGUMENT);
        TG_ENSURE(update->covered >= 1 && update->image.seq >= 1, TG_ERR_INVALID_ARGUMENT);
    }
    return TG_OK;
}

/* ---- slots ---- */

static size_t gap_list_size(const tg__frame *frame, const tg__update *updates)
{
    size_t size = 0;
    unsigned next = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        size += updates[i].slot - next < 128u ? 1u : 2u; /* a slot has 13 bits */
        next = updates[i].slot + 1u;
    }
    return size;
}

static tg_err put_gap_list(tg__sink *out, const tg__frame *frame, const tg__update *updates)
{
    unsigned next = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        TG_TRY(tg__put_varint(out, updates[i].slot - next));
        next = updates[i].slot + 1u;
    }
    return TG_OK;
}

static tg_err put_bitmap(tg__sink *out, size_t size, const tg__frame *frame,
                         const tg__update *updates)
{
    TG_ENSURE(tg__sink_left(out) >= size, TG_ERR_BUFFER_TOO_SMALL);
    memset(out->at, 0, size);
    for (uint32_t i = 0; i < frame->count; i++) {
        out->at[updates[i].slot / 8u] |= (uint8_t)(1u << updates[i].slot % 8u);
    }
    out->at += size;
    return TG_OK;
}

/* ---- rows ---- */

#define TS_FIELD     TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE)
#define SHAPE_FIELDS (TG_FIELD_BIT(TG__TAIL_FIELD_FIRST) - 1u)

/* How the rows of a frame are told. */
typedef struct plan {
    int64_t newest_ts_ns;
    tg__exact_divisor resolution;
    uint32_t shaped_count;
    uint32_t trade_count;
    unsigned step_code; /* the widths' places in their tables */
    unsigned distance_code;
    uint8_t codes[TG__SET_MAX];
    uint8_t trade_codes[TG__SET_MAX];
} plan;

static unsigned width_of(uint64_t bits)
{
    return bits == 0 ? 0 : 64u - (unsigned)__builtin_clzll(bits);
}

static uint64_t step_of(const tg_image *base, const tg_image *image)
{
    return image->seq - base->seq - 1u;
}

/* Units before the newest time. False if the time lies after it, or not a whole number of units
 * before: then it is no valid time. */
static bool take_distance(const plan *p, const tg_image *image, uint64_t *distance)
{
    const int64_t ts_ns = image->value[TG_FIELD_TS_EXCHANGE];
    const uint64_t ns = (uint64_t)p->newest_ts_ns - (uint64_t)ts_ns;
    return tg__divide_exactly(&p->resolution, ns, distance) & (ts_ns <= p->newest_ts_ns);
}

/* Zigzag of the fields that shapes carry; false if one leaves 64 bits or is too wide for any shape.
 */
static bool take_deltas(const tg_image *base, const tg_image *image, uint64_t *coded)
{
    uint64_t over = 0;
    uint64_t any = 0;
    for (unsigned field = 0; field < TG__TAIL_FIELD_FIRST; field++) {
        const uint64_t to = (uint64_t)image->value[field];
        const uint64_t from = (uint64_t)base->value[field];
        const uint64_t delta = to - from;
        coded[field] = delta << 1 ^ (0 - (delta >> 63));
        /* The time is told from the newest one, not from its old value. */
        over |= field == TG_FIELD_TS_EXCHANGE ? 0 : (to ^ from) & (delta ^ to);
        any |= field == TG_FIELD_TS_EXCHANGE ? 0 : coded[field];
    }
    coded[TG_FIELD_TS_EXCHANGE] = 0;
    return (over >> 63 | any >> TG__LANE_BITS_MAX) == 0;
}

/* A shape cannot say that a field becomes null, or that a null becomes 0. */
static bool nulls_allow_a_shape(const tg_image *base, const tg_image *image)
{
    if (base->present == image->present) {
        return true;
    }
    const uint32_t appeared = image->present & ~base->present & SHAPE_FIELDS & ~TS_FIELD;
    for (uint32_t bits = appeared; bits != 0; bits &= bits - 1) {
        if (image->value[__builtin_ctz(bits)] == 0) {
            return false;
        }
    }
    return (base->present & ~image->present) == 0;
}

/* True if something from TG__TAIL_FIELD_FIRST on changes. */
static bool needs_tail(const tg_image *base, const tg_image *image)
{
    int64_t differ = 0;
    for (unsigned field = TG__TAIL_FIELD_FIRST; field < TG_FIELD_COUNT; field++) {
        differ |= image->value[field] ^ base->value[field];
    }
    return differ != 0 || ((image->present ^ base->present) & ~SHAPE_FIELDS) != 0;
}

/* The row's code, and its trade code if it has one (else 0). */
static unsigned choose_code(const tg_image *base, const tg__update *update, uint8_t *trade_code)
{
    const tg_image *const image = &update->image;
    uint64_t coded[TG__TAIL_FIELD_FIRST];
    *trade_code = 0;
    if (image->epoch != base->epoch || update->covered != image->seq - base->seq ||
        (image->present & TS_FIELD) == 0 || !nulls_allow_a_shape(base, image) ||
        !take_deltas(base, image, coded)) {
        return TG__CODE_GENERAL;
    }
    const int quote = tg__quote_shape_find(coded);
    if (quote < 0) {
        return TG__CODE_GENERAL;
    }
    const bool tail = needs_tail(base, image);
    if (!tail && (coded[5] | coded[6] | coded[7]) == 0) {
        return (unsigned)quote;
    }
    const int trade = tg__trade_shape_find(coded + 4);
    if (trade < 0) {
        return TG__CODE_GENERAL;
    }
    *trade_code = (uint8_t)((unsigned)trade | (tail ? (unsigned)TG__CODE_MORE : 0u));
    return (unsigned)quote | TG__CODE_MORE;
}

/*
 * The time that the others are told from: the newest that is not absurdly far ahead of the gateway,
 * so that one wrong clock does not widen every row.
 */
static int64_t choose_newest(const tg__channel *channel, const tg__frame *frame,
                             const tg__update *updates)
{
    const int64_t ahead = (int64_t)channel->time_resolution_ns << 20;
    const int64_t limit =
        frame->ts_gateway_ns <= INT64_MAX - ahead ? frame->ts_gateway_ns + ahead : INT64_MAX;
    int64_t newest = INT64_MIN;
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg_image *const image = &updates[i].image;
        const int64_t ts = image->value[TG_FIELD_TS_EXCHANGE];
        if ((image->present & TS_FIELD) != 0 && ts <= limit && ts > newest) {
            newest = ts;
        }
    }
    return newest;
}

/*
 * The width that makes the column and the rows beyond it, which become general ones, smallest
 * together. counts[code] rows need the width of that code; the last entry needs more than any.
 */
static unsigned choose_width(const uint8_t *widths, const uint32_t *counts, uint32_t count)
{
    const size_t general_bits = 64; /* what a row is longer by as a general one, about */
    uint32_t beyond = counts[TG__COLUMN_WIDTHS];
    unsigned best = TG__COLUMN_WIDTHS - 1;
    size_t best_bits = SIZE_MAX;
    for (unsigned code = TG__COLUMN_WIDTHS; code-- > 0;) {
        const size_t bits = (size_t)(count - beyond) * widths[code] + beyond * general_bits;
        if (bits < best_bits) {
            best_bits = bits;
            best = code;
        }
        beyond += counts[code];
    }
    return best;
}

/* Rows that the columns cannot hold become general ones; the trade codes close up. */
static void drop_wide_rows(const tg__channel *channel, const tg__frame *frame,
                           const tg__update *updates, plan *p)
{
    const unsigned step_width = tg__step_widths[p->step_code];
    const unsigned distance_width = tg__distance_widths[p->distance_code];
    uint32_t trades = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        if (p->codes[i] == TG__CODE_GENERAL) {
            continue;
        }
        const tg_image *const image = &updates[i].image;
        const bool more = (p->codes[i] & TG__CODE_MORE) != 0;
        const uint8_t trade_code = more ? p->trade_codes[trades++] : 0;
        uint64_t distance = 0;
        (void)take_distance(p, image, &distance);
        if (step_of(&channel->images[updates[i].slot], image) >> step_width != 0 ||
            distance >> distance_width != 0) {
            p->codes[i] = TG__CODE_GENERAL;
            p->shaped_count--;
        } else if (more) {
            p->trade_codes[kept++] = trade_code;
        }
    }
    p->trade_count = kept;
}

static void make_plan(const tg__channel *channel, const tg__frame *frame, const tg__update *updates,
                      plan *p)
{
    uint32_t steps[TG__COLUMN_WIDTHS + 1] = {0};
    uint32_t distances[TG__COLUMN_WIDTHS + 1] = {0};
    uint64_t any_step = 0;
    uint64_t any_distance = 0;
    p->newest_ts_ns = choose_newest(channel, frame, updates);
    p->resolution = tg__exact_divisor_of(channel->time_resolution_ns);
    p->shaped_count = 0;
    p->trade_count = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg_image *const base = &channel->images[updates[i].slot];
        const tg_image *const image = &updates[i].image;
        uint8_t trade_code = 0;
        uint64_t distance = 0;
        p->codes[i] = take_distance(p, image, &distance)
                          ? (uint8_t)choose_code(base, &updates[i], &trade_code)
                          : (uint8_t)TG__CODE_GENERAL;
        if (p->codes[i] == TG__CODE_GENERAL) {
            continue;
        }
        p->shaped_count++;
        p->trade_codes[p->trade_count] = trade_code;
        p->trade_count += p->codes[i] >> 7;
        const uint64_t step = step_of(base, image);
        any_step |= step;
        any_distance |= distance;
        steps[tg__step_codes[width_of(step)]]++;
        distances[tg__distance_codes[width_of(distance)]]++;
    }
    p->step_code = choose_width(tg__step_widths, steps, p->shaped_count);
    p->distance_code = choose_width(tg__distance_widths, distances, p->shaped_count);
    if (any_step >> tg__step_widths[p->step_code] != 0 ||
        any_distance >> tg__distance_widths[p->distance_code] != 0) {
        drop_wide_rows(channel, frame, updates, p);
    }
}

static tg_err put_columns(tg__sink *out, const tg__channel *channel, const tg__frame *frame,
                          const tg__update *updates, const plan *p)
{
    const unsigned step_width = tg__step_widths[p->step_code];
    const unsigned entry_width = step_width + tg__distance_widths[p->distance_code];
    const size_t size = ((size_t)p->shaped_count * entry_width + 7u) / 8u;
    TG_ENSURE(tg__sink_left(out) >= size, TG_ERR_BUFFER_TOO_SMALL);
    uint64_t word = 0; /* entries collect here, lowest bits first; at most 56 + 7 bits */
    unsigned filled = 0;
    uint8_t *at = out->at;
    for (uint32_t i = 0; i < frame->count; i++) {
        if (p->codes[i] == TG__CODE_GENERAL) {
            continue;
        }
        const tg_image *const image = &updates[i].image;
        uint64_t distance = 0;
        (void)take_distance(p, image, &distance);
        word |= (step_of(&channel->images[updates[i].slot], image) | distance << step_width)
                << filled;
        filled += entry_width;
        if ((size_t)(out->end - at) >= 8) {
            tg__store_u64(at, word); /* what is over is written over by the next entry */
            at += filled / 8u;
            word = filled >= 64 ? 0 : word >> (filled & ~7u);
            filled %= 8u;
        }
        for (; filled >= 8; filled -= 8) {
            *at++ = (uint8_t)word;
            word >>= 8;
        }
    }
    if (filled > 0) {
        *at = (uint8_t)word;
    }
    out->at += size;
    return TG_OK;
}

/* Packs four lanes; writes sixteen bytes, of which shape->bytes count. */
static inline void pack_part(uint8_t *at, const tg__row_shape *shape, const uint64_t *coded)
{
    /* A lane that starts behind bit 63 is in no part of up to eight bytes, or is empty. */
    const uint64_t low = coded[0] | coded[1] << (shape->bit[1] & 63u) |
                         coded[2] << (shape->bit[2] & 63u) | coded[3] << (shape->bit[3] & 63u);
    tg__store_u64(at, low);
    if (shape->bytes <= 8) {
        return;
    }
    uint64_t words[2] = {0, 0};
    for (unsigned lane = 0; lane < 4; lane++) {
        const unsigned bit = shape->bit[lane];
        words[bit / 64u] |= coded[lane] << bit % 64u;
        if (bit / 64u == 0 && bit > 32) {
            words[1] |= coded[lane] >> (64u - bit);
        }
    }
    tg__store_u64(at, words[0]);
    tg__store_u64(at + 8, words[1]);
}

static tg_err put_values(tg__sink *out, const tg__channel *channel, const tg__frame *frame,
                         const tg__update *updates, const plan *p)
{
    const uint8_t *trade_code = p->trade_codes;
    for (uint32_t i = 0; i < frame->count; i++) {
        const unsigned code = p->codes[i];
        if (code == TG__CODE_GENERAL) {
            continue;
        }
        uint64_t coded[TG__TAIL_FIELD_FIRST];
        (void)take_deltas(&channel->images[updates[i].slot], &updates[i].image, coded);
        const tg__row_shape *const quote = &tg__quote_shapes[code & TG__CODE_NUMBER];
        const tg__row_shape *const trade =
            &tg__trade_shapes[code >= TG__CODE_MORE ? *trade_code++ & TG__CODE_NUMBER : 0];
        /* Where there is room, whole steps: what follows is written over what is too much. */
        uint8_t last[2 * TG__SHAPE_BYTES_MAX];
        uint8_t *const at = tg__sink_left(out) >= sizeof last ? out->at : last;
        pack_part(at, quote, coded);
        size_t size = quote->bytes;
        if (code >= TG__CODE_MORE) {
            pack_part(at + size, trade, coded + 4);
            size += trade->bytes;
        }
        if (at == last) {
            TG_TRY(tg__put_bytes(out, last, size));
        } else {
            out->at += size;
        }
    }
    return TG_OK;
}

static tg_err put_varying_parts(tg__sink *out, const tg__channel *channel, const tg__frame *frame,
                                const tg__update *updates, const plan *p)
{
    const uint8_t *trade_code = p->trade_codes;
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg_image *const base = &channel->images[updates[i].slot];
        if (p->codes[i] == TG__CODE_GENERAL) {
            TG_TRY(tg__general_row_put(out, base, &updates[i], channel->time_resolution_ns));
        } else if ((p->codes[i] & TG__CODE_MORE) != 0 && *trade_code++ >= TG__CODE_MORE) {
            TG_TRY(tg__row_tail_put(out, base, &updates[i].image));
        }
    }
    return TG_OK;
}

static tg_err put_time_from(tg__sink *out, int64_t from_ns, int64_t ns, uint32_t resolution_ns)
{
    int64_t distance_ns = 0;
    TG_ENSURE(tg__sub_checked(from_ns, ns, &distance_ns), TG_ERR_OVERFLOW);
    return tg__time_put(out, distance_ns, resolution_ns);
}

static tg_err put_header(tg__sink *out, const tg__channel *channel, const tg__frame *frame,
                         unsigned flags)
{
    TG_TRY(tg__put_u8(out, TG__KIND_DELTA));
    TG_TRY(tg__put_u8(out, (uint8_t)flags));
    TG_TRY(tg__put_u32(out, (uint32_t)frame->boundary));
    TG_TRY(tg__put_u32(out, frame->set_digest));
    TG_TRY(tg__put_varint(out, frame->boundary - frame->base));
    TG_TRY(put_time_from(out, frame->ts_gateway_ns, channel->ts_gateway_ns,
                         channel->time_resolution_ns));
    return tg__put_varint(out, frame->count);
}

static tg_err put_body(tg__sink *out, const tg__channel *channel, const tg__frame *frame,
                       const tg__update *updates, unsigned flags)
{
    plan p;
    make_plan(channel, frame, updates, &p);
    const size_t bitmap_size = (channel->count + 7u) / 8u;
    const bool gaps = gap_list_size(frame, updates) < bitmap_size;
    TG_TRY(put_header(out, channel, frame, flags | (gaps ? (unsigned)TG__DELTA_SLOT_GAPS : 0u)));
    TG_TRY(gaps ? put_gap_list(out, frame, updates) : put_bitmap(out, bitmap_size, frame, updates));
    TG_TRY(tg__put_bytes(out, p.codes, frame->count));
    TG_TRY(tg__put_bytes(out, p.trade_codes, p.trade_count));
    if (p.shaped_count > 0) {
        TG_TRY(tg__put_u8(out, (uint8_t)(p.step_code | p.distance_code << 4)));
        TG_TRY(
            put_time_from(out, frame->ts_gateway_ns, p.newest_ts_ns, channel->time_resolution_ns));
        TG_TRY(put_columns(out, channel, frame, updates, &p));
        TG_TRY(put_values(out, channel, frame, updates, &p));
    }
    return put_varying_parts(out, channel, frame, updates, &p);
}

tg_err tg__delta_encode(const tg__channel *channel, const tg__frame *frame,
                        const tg__update *updates, uint8_t *buffer, size_t capacity, size_t *size)
{
    TG_TRY(check_updates(channel, frame, updates));
    const unsigned flags = frame->state_digest ? TG__DELTA_STATE_DIGEST : 0;
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(frame->count > 0 ? put_body(&out, channel, frame, updates, flags)
                            : put_header(&out, channel, frame, flags));
    if (frame->state_digest) {
        TG_TRY(tg__put_u32(&out, tg__state_digest(channel, updates, frame->count)));
    }
    *size = tg__sink_size(&out);
    return TG_OK;
}
