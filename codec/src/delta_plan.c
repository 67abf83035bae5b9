#include "delta_plan.h"

#include <string.h>

#include "delta_plan_rows.h"
#include "unaligned.h"

/* ---- one row ---- */

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
        /* The time is told from the newest one, not from its old value. */
        over |= field == TG_FIELD_TS_EXCHANGE ? 0 : (to ^ from) & (delta ^ to);
        coded[field] = delta << 1 ^ (0 - (delta >> 63));
        any |= field == TG_FIELD_TS_EXCHANGE ? 0 : coded[field];
    }
    coded[TG_FIELD_TS_EXCHANGE] = 0;
    return (over >> 63 | any >> TG__LANE_BITS_MAX) == 0;
}

/* True if something from TG__TAIL_FIELD_FIRST on changes. */
static bool needs_tail(const tg_image *base, const tg_image *image)
{
    int64_t differ = 0;
    for (unsigned field = TG__TAIL_FIELD_FIRST; field < TG_FIELD_COUNT; field++) {
        differ |= image->value[field] ^ base->value[field];
    }
    return differ != 0 || ((image->present ^ base->present) & ~TG__SHAPE_BITS) != 0;
}

/* Packs four lanes; writes sixteen bytes, of which shape->bytes count. */
static void pack_part(uint8_t *at, const tg__row_shape *shape, const uint64_t *coded)
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

static tg__shaped_row shape_row(const tg_image *base, const tg_image *image, uint8_t *packed)
{
    const tg__shaped_row general = {TG__CODE_GENERAL, 0, 0};
    uint64_t coded[TG__TAIL_FIELD_FIRST];
    if (!take_deltas(base, image, coded)) {
        return general;
    }
    const int quote = tg__quote_shape_find(coded);
    if (quote < 0) {
        return general;
    }
    tg__shaped_row row = {(unsigned)quote, 0, tg__quote_shapes[quote].bytes};
    pack_part(packed, &tg__quote_shapes[quote], coded);
    const bool tail = needs_tail(base, image);
    if (tail || (coded[5] | coded[6] | coded[7]) != 0) {
        const int trade = tg__trade_shape_find(coded + 4);
        if (trade < 0) {
            return general;
        }
        pack_part(packed + row.size, &tg__trade_shapes[trade], coded + 4);
        row.code |= TG__CODE_MORE;
        row.trade_code = (unsigned)trade | (tail ? (unsigned)TG__CODE_MORE : 0u);
        row.size += tg__trade_shapes[trade].bytes;
    }
    return row;
}

size_t tg__row_pack(const tg_image *base, const tg_image *image, uint8_t packed[TG__ROW_PACKED_MAX])
{
    return shape_row(base, image, packed).size;
}

/* ---- all rows ---- */

tg_err tg__rows_plan_scalar(const tg__channel *channel, const tg__frame *frame,
                            const tg__update *updates, tg__delta_plan *plan,
                            tg__column_needs *needs)
{
    return tg__plan_rows(shape_row, channel, frame, updates, plan, needs);
}

tg__rows_planner *tg__rows_planner_select(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return tg__rows_plan_avx2;
    }
#endif
    return tg__rows_plan_scalar;
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
        const bool counts = ((image->present & TG__TS_BIT) != 0) & (ts <= limit);
        newest = counts && ts > newest ? ts : newest;
    }
    return newest;
}

/* Of values, in which UINT32_MAX stands for more. */
static uint32_t count_wider(const uint32_t *values, uint32_t count, unsigned width)
{
    uint32_t wider = 0;
    for (uint32_t i = 0; i < count; i++) {
        wider += values[i] >> width != 0;
    }
    return wider;
}

/* A column and what its rows need together. */
typedef struct column {
    const uint8_t *widths;
    const uint32_t *values;
    uint32_t count;
    uint32_t far_count; /* values over 32 bits */
    uint64_t any;       /* a bit that is set in none of them is not set */
} column;

/*
 * The code of the width that makes the column and the rows beyond it, which become general ones,
 * smallest together.
 */
static unsigned choose_width(const column *of, const uint8_t *codes)
{
    const size_t general_bits = 64; /* what a row is longer by as a general one, about */
    const unsigned longest = of->any == 0 ? 0 : 64u - (unsigned)__builtin_clzll(of->any);
    const unsigned widest =
        codes[longest] < TG__COLUMN_WIDTHS ? codes[longest] : TG__COLUMN_WIDTHS - 1;
    unsigned best = widest;
    size_t best_bits = SIZE_MAX;
    for (unsigned code = widest + 1; code-- > 0;) {
        const unsigned width = of->widths[code];
        const uint32_t beyond = width >= longest ? 0
                                : width < 32     ? count_wider(of->values, of->count, width)
                                                 : of->far_count;
        if (beyond * general_bits >= best_bits) {
            break; /* still narrower leaves still more of them */
        }
        const size_t bits = (size_t)(of->count - beyond) * width + beyond * general_bits;
        if (bits < best_bits) {
            best_bits = bits;
            best = code;
        }
    }
    return best;
}

/* Where the next shaped row stands in the lists of a plan. */
typedef struct place {
    uint32_t shaped;
    uint32_t trade;
    uint32_t packed; /* byte */
} place;

/* Moves a row to an earlier place; both places are behind it then. */
static void keep_row(tg__delta_plan *plan, place *to, place *from, bool more, uint32_t packed_size)
{
    plan->steps[to->shaped] = plan->steps[from->shaped];
    plan->distances[to->shaped++] = plan->distances[from->shaped++];
    plan->trade_codes[to->trade] = plan->trade_codes[from->trade];
    to->trade += more;
    from->trade += more;
    if (to->packed != from->packed) {
        memmove(plan->packed + to->packed, plan->packed + from->packed, packed_size);
    }
    to->packed += packed_size;
    from->packed += packed_size;
}

static bool columns_hold(const tg__delta_plan *plan, const tg_image *base, const tg_image *image)
{
    const uint64_t step = image->seq - base->seq - 1u;
    uint64_t distance = 0;
    (void)tg__divide_exactly(
        &plan->resolution,
        (uint64_t)plan->newest_ts_ns - (uint64_t)image->value[TG_FIELD_TS_EXCHANGE], &distance);
    return step >> tg__step_widths[plan->step_code] == 0 &&
           distance >> tg__distance_widths[plan->distance_code] == 0;
}

/* Rows that the columns cannot hold become general ones; what is kept of the others closes up. */
static void drop_wide_rows(const tg__channel *channel, const tg__frame *frame,
                           const tg__update *updates, tg__delta_plan *plan)
{
    place to = {0, 0, 0};
    place from = {0, 0, 0};
    for (uint32_t i = 0; i < frame->count; i++) {
        const unsigned code = plan->codes[i];
        if (code == TG__CODE_GENERAL) {
            continue;
        }
        const bool more = (code & TG__CODE_MORE) != 0;
        const unsigned trade = more ? plan->trade_codes[from.trade] & TG__CODE_NUMBER : 0;
        const uint32_t packed_size =
            i < plan->packed_count
                ? tg__quote_shapes[code & TG__CODE_NUMBER].bytes + tg__trade_shapes[trade].bytes
                : 0u;
        if (columns_hold(plan, &channel->images[updates[i].slot], &updates[i].image)) {
            keep_row(plan, &to, &from, more, packed_size);
        } else {
            plan->codes[i] = TG__CODE_GENERAL;
            from.shaped++;
            from.trade += more;
            from.packed += packed_size;
        }
    }
    plan->shaped_count = to.shaped;
    plan->trade_count = to.trade;
    plan->packed_size = to.packed;
}

tg_err tg__delta_plan_make(tg__rows_planner *planner, const tg__channel *channel,
                           const tg__frame *frame, const tg__update *updates, tg__delta_plan *plan)
{
    tg__column_needs needs;
    plan->newest_ts_ns = choose_newest(channel, frame, updates);
    plan->resolution = tg__exact_divisor_of(channel->time_resolution_ns);
    TG_TRY(planner(channel, frame, updates, plan, &needs));
    const column steps = {tg__step_widths, plan->steps, plan->shaped_count, 0, needs.any_step};
    const column distances = {tg__distance_widths, plan->distances, plan->shaped_count,
                              needs.far_count, needs.any_distance};
    plan->step_code = choose_width(&steps, tg__step_codes);
    plan->distance_code = choose_width(&distances, tg__distance_codes);
    if (needs.any_step >> tg__step_widths[plan->step_code] != 0 ||
        needs.any_distance >> tg__distance_widths[plan->distance_code] != 0) {
        drop_wide_rows(channel, frame, updates, plan);
    }
    return TG_OK;
}
