/* Decoding DELTA: the step of a conflated channel from one boundary to a later one. PROTOCOL.md 8.
 */
#include <tickglass/internal/frame.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "cursor.h"
#include "delta_decode.h"
#include "delta_wire.h"
#include "general_row.h"
#include "row.h"
#include "shaped_rows.h"
#include "state_digest.h"
#include "unaligned.h"
#include "varint.h"

/* Where the parts of the rows lie. */
typedef struct layout {
    unsigned flags;
    uint32_t general_count;
    uint32_t varying_count; /* general rows and tails */
    uint32_t trade_count;   /* trade codes */
    size_t values_size;
    tg__shaped_rows rows;
} layout;

/* The boundary with these low 32 bits that lies nearest to the reference. PROTOCOL.md 6.1. */
static uint64_t rebuild_boundary(uint32_t low, uint64_t reference)
{
    const uint32_t ahead = low - (uint32_t)reference;
    if (ahead < UINT32_C(0x80000000)) {
        return reference + ahead;
    }
    const uint32_t behind = (uint32_t)reference - low;
    return reference >= behind ? reference - behind : reference + ahead;
}

static tg_err get_flags(tg__cursor *in, tg__frame *frame, layout *l)
{
    TG_ENSURE(tg__cursor_left(in) >= 1, TG_ERR_TRUNCATED);
    TG_ENSURE((*in->at & ~(unsigned)TG__DELTA_FLAGS_KNOWN) == 0, TG_ERR_FLAGS);
    l->flags = *in->at++;
    frame->state_digest = (l->flags & TG__DELTA_STATE_DIGEST) != 0;
    return TG_OK;
}

static tg_err get_boundary(tg__cursor *in, const tg__channel *channel, tg__frame *frame)
{
    uint32_t low = 0;
    TG_TRY(tg__get_u32(in, &low));
    frame->boundary = rebuild_boundary(low, channel->boundary);
    const uint8_t *const digest_at = in->at;
    TG_TRY(tg__get_u32(in, &frame->set_digest));
    const uint8_t *const back_at = in->at;
    uint64_t back = 0;
    TG_TRY(tg__get_varint(in, &back));
    if (back == 0 || back > frame->boundary) {
        return tg__refuse(in, back_at, TG_ERR_BOUNDARY);
    }
    frame->base = frame->boundary - back;
    if (frame->base != channel->boundary) {
        return tg__refuse(in, back_at, TG_ERR_BASE_MISMATCH);
    }
    if (frame->set_digest != channel->set_digest) {
        return tg__refuse(in, digest_at, TG_ERR_SET_MISMATCH);
    }
    return TG_OK;
}

/* A time told as a distance before (negative: after) another. */
static tg_err get_time_from(tg__cursor *in, int64_t from_ns, uint32_t resolution_ns, int64_t *ns)
{
    const uint8_t *const start = in->at;
    int64_t distance_ns = 0;
    TG_TRY(tg__time_get(in, resolution_ns, &distance_ns));
    if (!tg__sub_checked(from_ns, distance_ns, ns)) {
        in->at = start;
        return TG_ERR_DELTA_OVERFLOW;
    }
    return TG_OK;
}

static tg_err get_header(tg__cursor *in, const tg__channel *channel, tg__frame *frame, layout *l)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_DELTA));
    const uint8_t *const flags_at = in->at;
    TG_TRY(get_flags(in, frame, l));
    TG_TRY(get_boundary(in, channel, frame));
    const uint8_t *const ts_at = in->at;
    int64_t ts_delta_ns = 0;
    TG_TRY(tg__time_get(in, channel->time_resolution_ns, &ts_delta_ns));
    if (!tg__add_checked(channel->ts_gateway_ns, ts_delta_ns, &frame->ts_gateway_ns)) {
        in->at = ts_at;
        return TG_ERR_DELTA_OVERFLOW;
    }
    const uint8_t *const count_at = in->at;
    TG_TRY(tg__get_varint_u32(in, &frame->count));
    if (frame->count > channel->count) {
        in->at = count_at;
        return TG_ERR_COUNT_LIMIT;
    }
    if (frame->count == 0 && (l->flags & TG__DELTA_SLOT_GAPS) != 0) {
        return tg__refuse(in, flags_at, TG_ERR_FLAGS);
    }
    return TG_OK;
}

static tg_err get_gap_list(tg__cursor *in, const tg__channel *channel, uint32_t count,
                           tg__update *updates)
{
    uint64_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *const start = in->at;
        uint64_t gap = 0;
        TG_TRY(tg__get_varint(in, &gap));
        if (gap >= channel->count - next) {
            in->at = start;
            return TG_ERR_SLOT;
        }
        updates[i].slot = (uint16_t)(next + gap);
        updates[i].id = channel->ids[updates[i].slot];
        next += gap + 1;
    }
    return TG_OK;
}

static tg_err get_bitmap(tg__cursor *in, const tg__channel *channel, uint32_t count,
                         tg__update *updates)
{
    const size_t size = (channel->count + 7u) / 8u;
    const uint8_t *bytes = NULL;
    TG_TRY(tg__get_bytes(in, size, &bytes));
    tg__update *update = updates;
    tg__update *const updates_end = updates + count;
    bool good = true;
    for (size_t first = 0; first < size && good; first += 8) {
        uint64_t word = tg__load_u64_before(bytes + first, bytes + size);
        /* Bits behind the set's last slot, and more bits than rows, are errors. */
        const uint32_t slots = channel->count - (uint32_t)first * 8u;
        good = (slots >= 64 || word >> slots == 0) &&
               __builtin_popcountll(word) <= updates_end - update;
        for (word = good ? word : 0; word != 0; word &= word - 1) {
            const size_t slot = first * 8 + (unsigned)__builtin_ctzll(word);
            update->slot = (uint16_t)slot;
            update->id = channel->ids[slot];
            update++;
        }
    }
    if (!good || update != updates_end) {
        in->at = bytes;
        return TG_ERR_SLOT;
    }
    return TG_OK;
}

/* The sum of what the codes announce, without a branch for each. */
static tg_err sum_codes(tg__cursor *in, const uint8_t *codes, uint32_t count,
                        const uint64_t *meaning, uint64_t *sum)
{
    uint64_t every = TG__CODE_EXISTS;
    *sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        *sum += meaning[codes[i]];
        every &= meaning[codes[i]];
    }
    if (every != 0) {
        return TG_OK;
    }
    in->at = codes;
    while (meaning[*in->at] >= TG__CODE_EXISTS) {
        in->at++;
    }
    return TG_ERR_ROW_SHAPE;
}

static tg_err get_codes(tg__cursor *in, uint32_t count, layout *l)
{
    uint64_t quotes = 0;
    uint64_t trades = 0;
    TG_TRY(tg__get_bytes(in, count, &l->rows.codes));
    TG_TRY(sum_codes(in, l->rows.codes, count, tg__quote_codes, &quotes));
    l->general_count = TG__CODES_VARYING(quotes);
    l->trade_count = TG__CODES_TRADES(quotes);
    TG_TRY(tg__get_bytes(in, l->trade_count, &l->rows.trade_codes));
    TG_TRY(sum_codes(in, l->rows.trade_codes, l->trade_count, tg__trade_codes, &trades));
    l->varying_count = l->general_count + TG__CODES_VARYING(trades);
    l->values_size = TG__CODES_BYTES(quotes) + TG__CODES_BYTES(trades);
    return TG_OK;
}

/* Widths, newest time, columns and values: one exact length for all of them. */
static tg_err get_shaped_parts(tg__cursor *in, const tg__channel *channel, const tg__frame *frame,
                               layout *l)
{
    tg__shaped_rows *const rows = &l->rows;
    uint8_t widths = 0;
    TG_TRY(tg__get_u8(in, &widths));
    rows->step_width = tg__step_widths[widths & 15u];
    rows->distance_width = tg__distance_widths[widths >> 4];
    TG_TRY(
        get_time_from(in, frame->ts_gateway_ns, channel->time_resolution_ns, &rows->newest_ts_ns));
    /* Distances up to this many units before the newest time stay in 64 bits. */
    rows->distance_max =
        ((uint64_t)rows->newest_ts_ns - (uint64_t)INT64_MIN) / channel->time_resolution_ns;
    const size_t bits =
        (size_t)(frame->count - l->general_count) * (rows->step_width + rows->distance_width);
    TG_TRY(tg__get_bytes(in, (bits + 7u) / 8u, &rows->columns));
    return tg__get_bytes(in, l->values_size, &rows->values);
}

static tg_err get_shaped_rows(tg__cursor *in, const tg__channel *channel, const tg__frame *frame,
                              layout *l, tg__shaped_rows_decoder *decoder, tg__update *updates,
                              tg__fault *fault)
{
    TG_TRY(tg__fault_at(get_shaped_parts(in, channel, frame, l), in, TG__NO_ROW, fault));
    l->rows.channel = channel;
    l->rows.end = in->end;
    l->rows.count = frame->count;
    tg__shaped_rows_fault rejected = {0, in->at};
    const tg_err err = decoder(&l->rows, updates, &rejected);
    if (err != TG_OK) {
        in->at = rejected.at;
    }
    return tg__fault_at(err, in, rejected.row, fault);
}

/* Tails and general rows, in order of rows. */
static tg_err get_varying_parts(tg__cursor *in, const tg__channel *channel, tg__frame *frame,
                                const layout *l, tg__update *updates, tg__fault *fault)
{
    const uint8_t *trade_code = l->rows.trade_codes;
    uint32_t left = l->varying_count;
    for (uint32_t i = 0; left > 0; i++) {
        const unsigned code = l->rows.codes[i];
        const tg_image *const base = &channel->images[updates[i].slot];
        tg_err err = TG_OK;
        if (code == TG__CODE_GENERAL) {
            err = tg__general_row_get(in, base, channel->time_resolution_ns, &updates[i],
                                      &frame->unknown_fields);
            left--;
        } else if ((code & TG__CODE_MORE) != 0 && *trade_code++ >= TG__CODE_MORE) {
            err = tg__row_tail_get(in, base, &updates[i].image, &frame->unknown_fields);
            left--;
        }
        TG_TRY(tg__fault_at(err, in, i, fault));
    }
    return TG_OK;
}

static tg_err get_rows(tg__cursor *in, const tg__channel *channel, tg__frame *frame, layout *l,
                       tg__shaped_rows_decoder *decoder, tg__update *updates, tg__fault *fault)
{
    tg_err err = (l->flags & TG__DELTA_SLOT_GAPS) != 0
                     ? get_gap_list(in, channel, frame->count, updates)
                     : get_bitmap(in, channel, frame->count, updates);
    if (err == TG_OK) {
        err = get_codes(in, frame->count, l);
    }
    TG_TRY(tg__fault_at(err, in, TG__NO_ROW, fault));
    if (l->general_count < frame->count) {
        TG_TRY(get_shaped_rows(in, channel, frame, l, decoder, updates, fault));
    }
    return get_varying_parts(in, channel, frame, l, updates, fault);
}

static tg_err get_digest(tg__cursor *in, const tg__channel *channel, const tg__frame *frame,
                         const tg__update *updates)
{
    const uint8_t *const start = in->at;
    uint32_t digest = 0;
    TG_TRY(tg__get_u32(in, &digest));
    if (digest != tg__state_digest(channel, updates, frame->count)) {
        in->at = start;
        return TG_ERR_STATE_DIGEST;
    }
    return TG_OK;
}

tg_err tg__delta_decode_with(tg__shaped_rows_decoder *decoder, const tg__channel *channel,
                             const tg__delta_input *input, tg__frame *frame, tg__update *updates,
                             tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(input->message, input->size);
    layout l;
    memset(&l, 0, sizeof l);
    memset(frame, 0, sizeof *frame);
    tg_err err = get_header(&in, channel, frame, &l);
    if (err == TG_OK && frame->count > input->update_capacity) {
        err = TG_ERR_BUFFER_TOO_SMALL;
    }
    TG_TRY(tg__fault_at(err, &in, TG__NO_ROW, fault));
    if (frame->count > 0) {
        TG_TRY(get_rows(&in, channel, frame, &l, decoder, updates, fault));
    }
    if (frame->state_digest) {
        err = get_digest(&in, channel, frame, updates);
        TG_TRY(tg__fault_at(err, &in, TG__NO_ROW, fault));
    }
    err = tg__cursor_left(&in) == 0 ? TG_OK : TG_ERR_TRAILING_BYTES;
    return tg__fault_at(err, &in, TG__NO_ROW, fault);
}

tg_err tg__delta_decode(const tg__channel *channel, const uint8_t *message, size_t size,
                        tg__frame *frame, tg__update *updates, size_t update_capacity,
                        tg__fault *fault)
{
    const tg__delta_input input = {message, size, update_capacity};
    return tg__delta_decode_with(tg__shaped_rows_decoder_select(), channel, &input, frame, updates,
                                 fault);
}
