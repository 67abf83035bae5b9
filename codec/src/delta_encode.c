/* Encoding DELTA: the step of a conflated channel from one boundary to a later one. PROTOCOL.md 8.
 */
#include <tickglass/internal/frame.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "cursor.h"
#include "delta_encode.h"
#include "delta_wire.h"
#include "general_row.h"
#include "row.h"
#include "row_shapes.h"
#include "state_digest.h"
#include "unaligned.h"

static tg_err check_frame(const tg__channel *channel, const tg__frame *frame)
{
    TG_ENSURE(frame->base == channel->boundary && frame->boundary > frame->base &&
                  frame->set_digest == channel->set_digest && frame->count <= channel->count,
              TG_ERR_INVALID_ARGUMENT);
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
    uint64_t word = 0; /* bits of eight bytes collect here */
    unsigned word_at = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        const unsigned slot = updates[i].slot;
        if (slot / 64u != word_at) {
            tg__store_u64(out->at + (size_t)word_at * 8u, word);
            word_at = slot / 64u;
            word = 0;
        }
        word |= UINT64_C(1) << slot % 64u;
    }
    for (size_t at = (size_t)word_at * 8u; at < size && word != 0; at++) {
        out->at[at] = (uint8_t)word;
        word >>= 8;
    }
    out->at += size;
    return TG_OK;
}

/* ---- rows ---- */

/* Bits that follow each other without gaps, lowest first. */
typedef struct bit_writer {
    uint8_t *at;
    const uint8_t *end; /* of the buffer, behind which nothing is written */
    uint64_t word;      /* at most 7 bits between two additions */
    unsigned filled;
} bit_writer;

/* width <= 56 */
static inline void add_bits(bit_writer *to, uint64_t bits, unsigned width)
{
    to->word |= bits << to->filled;
    to->filled += width;
    if (to->end - to->at >= 8) {
        tg__store_u64(to->at, to->word); /* what is over is written over by the next ones */
        to->at += to->filled / 8u;
        to->word >>= to->filled & ~7u;
        to->filled %= 8u;
    }
    for (; to->filled >= 8; to->filled -= 8) {
        *to->at++ = (uint8_t)to->word;
        to->word >>= 8;
    }
}

static tg_err put_columns(tg__sink *out, const tg__delta_plan *plan)
{
    const unsigned step_width = tg__step_widths[plan->step_code];
    const unsigned width = step_width + tg__distance_widths[plan->distance_code];
    const uint32_t count = plan->shaped_count;
    const size_t size = ((size_t)count * width + 7u) / 8u;
    TG_ENSURE(tg__sink_left(out) >= size, TG_ERR_BUFFER_TOO_SMALL);
    bit_writer to = {out->at, out->end, 0, 0};
    uint32_t i = 0;
    /* Each addition waits for the one before it: two rows at once where they are narrow. */
    for (; width <= 28 && i + 1 < count; i += 2) {
        const uint64_t first = plan->steps[i] | (uint64_t)plan->distances[i] << step_width;
        const uint64_t second = plan->steps[i + 1] | (uint64_t)plan->distances[i + 1] << step_width;
        add_bits(&to, first | second << width, 2 * width);
    }
    for (; i < count; i++) {
        add_bits(&to, plan->steps[i] | (uint64_t)plan->distances[i] << step_width, width);
    }
    if (to.filled > 0) {
        *to.at = (uint8_t)to.word;
    }
    out->at += size;
    return TG_OK;
}

/* Those that the plan has packed, then the others. */
static tg_err put_values(tg__sink *out, const tg__channel *channel, const tg__frame *frame,
                         const tg__update *updates, const tg__delta_plan *plan)
{
    TG_TRY(tg__put_bytes(out, plan->packed, plan->packed_size));
    for (uint32_t i = plan->packed_count; i < frame->count; i++) {
        if (plan->codes[i] != TG__CODE_GENERAL) {
            uint8_t packed[TG__ROW_PACKED_MAX];
            const size_t size =
                tg__row_pack(&channel->images[updates[i].slot], &updates[i].image, packed);
            TG_TRY(tg__put_bytes(out, packed, size));
        }
    }
    return TG_OK;
}

static tg_err put_varying_parts(tg__sink *out, const tg__channel *channel, const tg__frame *frame,
                                const tg__update *updates, const tg__delta_plan *plan)
{
    const uint8_t *trade_code = plan->trade_codes;
    uint32_t left = frame->count - plan->shaped_count;
    for (uint32_t i = 0; i < plan->trade_count; i++) {
        left += plan->trade_codes[i] >> 7; /* a tail */
    }
    for (uint32_t i = 0; left > 0; i++) {
        const tg_image *const base = &channel->images[updates[i].slot];
        if (plan->codes[i] == TG__CODE_GENERAL) {
            TG_TRY(tg__general_row_put(out, base, &updates[i], channel->time_resolution_ns));
            left--;
        } else if ((plan->codes[i] & TG__CODE_MORE) != 0 && *trade_code++ >= TG__CODE_MORE) {
            TG_TRY(tg__row_tail_put(out, base, &updates[i].image));
            left--;
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
                       const tg__update *updates, const tg__delta_plan *plan)
{
    const unsigned flags = frame->state_digest ? TG__DELTA_STATE_DIGEST : 0;
    const size_t bitmap_size = (channel->count + 7u) / 8u;
    /* A gap takes a byte or more. */
    const bool gaps = frame->count < bitmap_size && gap_list_size(frame, updates) < bitmap_size;
    TG_TRY(put_header(out, channel, frame, flags | (gaps ? (unsigned)TG__DELTA_SLOT_GAPS : 0u)));
    TG_TRY(gaps ? put_gap_list(out, frame, updates) : put_bitmap(out, bitmap_size, frame, updates));
    TG_TRY(tg__put_bytes(out, plan->codes, frame->count));
    TG_TRY(tg__put_bytes(out, plan->trade_codes, plan->trade_count));
    if (plan->shaped_count > 0) {
        TG_TRY(tg__put_u8(out, (uint8_t)(plan->step_code | plan->distance_code << 4)));
        TG_TRY(put_time_from(out, frame->ts_gateway_ns, plan->newest_ts_ns,
                             channel->time_resolution_ns));
        TG_TRY(put_columns(out, plan));
        TG_TRY(put_values(out, channel, frame, updates, plan));
    }
    return put_varying_parts(out, channel, frame, updates, plan);
}

tg_err tg__delta_encode_with(tg__rows_planner *planner, const tg__channel *channel,
                             const tg__frame *frame, const tg__update *updates, tg__sink *out)
{
    tg__delta_plan plan;
    TG_TRY(check_frame(channel, frame));
    if (frame->count > 0) {
        TG_TRY(tg__delta_plan_make(planner, channel, frame, updates, &plan));
        TG_TRY(put_body(out, channel, frame, updates, &plan));
    } else {
        TG_TRY(put_header(out, channel, frame, frame->state_digest ? TG__DELTA_STATE_DIGEST : 0u));
    }
    if (frame->state_digest) {
        TG_TRY(tg__put_u32(out, tg__state_digest(channel, updates, frame->count)));
    }
    return TG_OK;
}

tg_err tg__delta_encode(const tg__channel *channel, const tg__frame *frame,
                        const tg__update *updates, uint8_t *buffer, size_t capacity, size_t *size)
{
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__delta_encode_with(tg__rows_planner_select(), channel, frame, updates, &out));
    *size = tg__sink_size(&out);
    return TG_OK;
}
