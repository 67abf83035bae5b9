/* Repairing DELTA, SNAPSHOT and TICKS. PROTOCOL.md sections 7 to 10. */
#include "repairing_mutator.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/crc32c.h>

#include "row_shapes.h"

#define PIECE_MAX 1024u

/* ---- DELTA ---- */

static uint32_t bit_count(uint64_t bits)
{
    return (uint32_t)__builtin_popcountll(bits);
}

static tg_err repair_bitmap(loose *in, const tg__channel *channel, tg__sink *out, uint32_t *count,
                            uint16_t *slots)
{
    uint8_t bitmap[(START_SET_MAX + 7u) / 8u] = {0};
    const size_t size = (channel->count + 7u) / 8u;
    uint32_t found = 0;
    for (size_t i = 0; i < size; i++) {
        bitmap[i] = loose_u8(in);
    }
    if (channel->count % 8u != 0) {
        bitmap[size - 1] &= (uint8_t)((1u << channel->count % 8u) - 1u);
    }
    for (uint32_t slot = 0; slot < channel->count; slot++) {
        if ((bitmap[slot / 8u] >> slot % 8u & 1u) != 0) {
            slots[found++] = (uint16_t)slot;
        }
    }
    if (found == 0) {
        bitmap[0] = 1;
        slots[found++] = 0;
    }
    *count = found;
    TG_TRY(tg__put_varint(out, found));
    return tg__put_bytes(out, bitmap, size);
}

static tg_err repair_gaps(loose *in, const tg__channel *channel, tg__sink *out, uint32_t count,
                          uint16_t *slots)
{
    uint32_t next = 0;
    TG_TRY(tg__put_varint(out, count));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t room = channel->count - next - (count - 1u - i);
        const uint32_t gap = (uint32_t)(loose_varint(in) % room);
        TG_TRY(tg__put_varint(out, gap));
        slots[i] = (uint16_t)(next + gap);
        next += gap + 1u;
    }
    return TG_OK;
}

typedef struct row_codes {
    uint8_t quote[START_SET_MAX];
    uint8_t trade[START_SET_MAX];
    uint32_t shaped;
    uint32_t trades;
    size_t bytes;
} row_codes;

static tg_err repair_codes(loose *in, uint32_t count, tg__sink *out, row_codes *codes)
{
    memset(codes, 0, sizeof *codes);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t code = loose_u8(in);
        if (code != TG__CODE_GENERAL) {
            code = (uint8_t)((code & TG__CODE_MORE) |
                             (code & TG__CODE_NUMBER) % TG__QUOTE_SHAPE_COUNT);
            codes->shaped++;
            codes->bytes += tg__quote_shapes[code & TG__CODE_NUMBER].bytes;
            codes->trades += code >> 7;
        }
        codes->quote[i] = code;
    }
    TG_TRY(tg__put_bytes(out, codes->quote, count));
    for (uint32_t i = 0; i < codes->trades; i++) {
        const uint8_t code = loose_u8(in);
        const unsigned number = (code & TG__CODE_NUMBER) % TG__TRADE_SHAPE_COUNT;
        codes->trade[i] = (uint8_t)((code & TG__CODE_MORE) | number);
        codes->trade[i] += codes->trade[i] == 0 ? 1 : 0;
        codes->bytes += tg__trade_shapes[codes->trade[i] & TG__CODE_NUMBER].bytes;
    }
    return tg__put_bytes(out, codes->trade, codes->trades);
}

static tg_err copy_bytes(loose *in, size_t size, tg__sink *out)
{
    for (size_t i = 0; i < size; i++) {
        TG_TRY(tg__put_u8(out, loose_u8(in)));
    }
    return TG_OK;
}

static tg_err repair_shaped(loose *in, const row_codes *codes, tg__sink *out)
{
    const uint8_t widths = loose_u8(in);
    TG_TRY(tg__put_u8(out, widths));
    TG_TRY(tg__put_varint(out, loose_varint(in)));
    const size_t entry = tg__step_widths[widths & 15u] + tg__distance_widths[widths >> 4];
    return copy_bytes(in, (codes->shaped * entry + 7u) / 8u + codes->bytes, out);
}

static tg_err repair_fields(loose *in, uint32_t mask, const tg_image *base, tg__sink *out)
{
    for (uint32_t bits = mask; bits != 0; bits &= bits - 1) {
        const uint64_t value = loose_varint(in);
        const bool was_null = ((bits & -bits) & base->present) == 0;
        TG_TRY(tg__put_varint(out, value == 0 && !was_null ? 2 : value));
    }
    return TG_OK;
}

static uint64_t at_least_one(uint64_t value)
{
    return value == 0 ? 1 : value;
}

static tg_err repair_general(loose *in, const tg_image *base, tg__sink *out)
{
    const uint64_t head = loose_varint(in);
    uint32_t mask = (uint32_t)(head >> 1);
    mask &= loose_chance(in, 4) ? UINT32_MAX : TG_FIELD_ALL_BITS;
    unsigned extensions = (head & 1u) != 0 ? loose_u8(in) & 7u : 0;
    extensions |= (head & 1u) != 0 && extensions == 0 ? 2u : 0;
    extensions &= base->epoch == UINT32_MAX ? 6u : 7u;
    extensions |= (extensions & 1u) << 1;
    uint64_t epoch_step = 0;
    if ((extensions & 1u) != 0) {
        epoch_step = at_least_one(loose_varint(in) % (UINT32_MAX - base->epoch + 1ull));
    }
    uint64_t seq = at_least_one(loose_varint(in));
    if ((extensions & 1u) == 0 && seq > UINT64_MAX - base->seq) {
        seq = at_least_one(UINT64_MAX - base->seq);
    }
    const uint64_t covered = (extensions & 2u) != 0 ? at_least_one(loose_varint(in)) : 0;
    uint32_t nulls = 0;
    if ((extensions & 4u) != 0) {
        const uint32_t possible = base->present & ~mask;
        nulls = (uint32_t)loose_varint(in) & possible;
        nulls = nulls != 0 ? nulls : possible & -possible;
        extensions &= nulls != 0 ? 7u : 3u;
    }
    TG_TRY(tg__put_varint(out, (uint64_t)mask << 1 | (extensions != 0)));
    if (extensions != 0) {
        TG_TRY(tg__put_u8(out, (uint8_t)extensions));
    }
    if (epoch_step != 0) {
        TG_TRY(tg__put_varint(out, epoch_step));
    }
    TG_TRY(tg__put_varint(out, seq));
    if (covered != 0) {
        TG_TRY(tg__put_varint(out, covered));
    }
    if (nulls != 0) {
        TG_TRY(tg__put_varint(out, nulls));
    }
    return repair_fields(in, mask, base, out);
}

static tg_err repair_varying(loose *in, const tg__channel *channel, const row_codes *codes,
                             const uint16_t *slots, uint32_t count, tg__sink *out)
{
    const uint8_t *trade = codes->trade;
    for (uint32_t i = 0; i < count; i++) {
        const tg_image *const base = &channel->images[slots[i]];
        if (codes->quote[i] == TG__CODE_GENERAL) {
            TG_TRY(repair_general(in, base, out));
        } else if (codes->quote[i] >= TG__CODE_MORE && *trade++ >= TG__CODE_MORE) {
            uint32_t mask = (uint32_t)loose_varint(in) & 0xffffffu;
            mask = mask != 0 ? mask : 1;
            TG_TRY(tg__put_varint(out, mask));
            TG_TRY(repair_fields(in, mask << 8, base, out));
        }
    }
    return TG_OK;
}

/* The digest of the state after the message, which has none yet; 0 if it is not valid. */
static uint32_t digest_after(const tg__channel *channel, const uint8_t *message, size_t size)
{
    static tg__update updates[START_SET_MAX];
    static tg_image images[START_SET_MAX];
    tg__frame frame;
    tg__fault fault;
    tg__channel after = *channel;
    if (tg__delta_decode(channel, message, size, &frame, updates, START_SET_MAX, &fault) != TG_OK) {
        return 0;
    }
    memcpy(images, channel->images, channel->count * sizeof images[0]);
    after.images = images;
    tg__channel_apply(&after, &frame, updates);
    return tg__channel_digest(&after);
}

tg_err repair_delta(loose *in, const tg__channel *channel, tg__sink *out)
{
    static row_codes codes;
    static uint16_t slots[START_SET_MAX];
    uint8_t *const message = out->at;
    unsigned flags = loose_u8(in) & 3u;
    (void)loose_le(in, 8);
    uint64_t back = loose_varint(in);
    back = back >= 1 && back <= 100000 ? back : 1;
    TG_TRY(tg__put_u8(out, TG__KIND_DELTA));
    TG_TRY(tg__put_u8(out, (uint8_t)flags));
    TG_TRY(tg__put_u32(out, (uint32_t)(channel->boundary + back)));
    TG_TRY(tg__put_u32(out, channel->set_digest));
    TG_TRY(tg__put_varint(out, back));
    TG_TRY(tg__put_varint(out, loose_varint(in)));
    uint32_t count = (uint32_t)(loose_varint(in) % (channel->count + 1u));
    if (count == 0) {
        flags &= 1u;
        TG_TRY(tg__put_u8(out, 0));
    } else {
        TG_TRY((flags & 2u) != 0 ? repair_gaps(in, channel, out, count, slots)
                                 : repair_bitmap(in, channel, out, &count, slots));
        TG_TRY(repair_codes(in, count, out, &codes));
        if (codes.shaped > 0) {
            TG_TRY(repair_shaped(in, &codes, out));
        }
        TG_TRY(repair_varying(in, channel, &codes, slots, count, out));
    }
    if ((flags & 1u) != 0) {
        message[1] = (uint8_t)(flags & 2u);
        TG_TRY(tg__put_u32(out, digest_after(channel, message, (size_t)(out->at - message))));
    }
    message[1] = (uint8_t)flags;
    return TG_OK;
}

/* ---- absolute rows ---- */

static tg_err repair_row(loose *in, uint32_t id, tg__sink *out)
{
    TG_TRY(tg__put_u16(out, (uint16_t)id));
    TG_TRY(tg__put_varint(out, loose_varint(in) & UINT32_MAX));
    TG_TRY(tg__put_varint(out, loose_varint(in)));
    TG_TRY(tg__put_varint(out, loose_varint(in)));
    uint32_t mask = (uint32_t)loose_varint(in);
    mask &= loose_chance(in, 4) ? UINT32_MAX : TG_FIELD_ALL_BITS;
    TG_TRY(tg__put_varint(out, mask));
    for (uint32_t left = bit_count(mask); left > 0; left--) {
        TG_TRY(tg__put_varint(out, loose_varint(in)));
    }
    return TG_OK;
}

static tg_err put_piece(const uint8_t *bytes, const tg__sink *piece, tg__sink *out)
{
    TG_TRY(tg__put_varint(out, tg__sink_size(piece)));
    return tg__put_bytes(out, bytes, tg__sink_size(piece));
}

tg_err repair_snapshot(loose *in, tg__sink *out)
{
    static uint8_t rows[1u << 15];
    uint8_t bytes[PIECE_MAX];
    tg__sink all = tg__sink_of(rows, sizeof rows);
    const uint8_t reason = loose_u8(in) % 3u;
    const uint64_t boundary = loose_le(in, 8);
    (void)loose_le(in, 4);
    const uint64_t ts = loose_varint(in);
    const uint32_t wanted = (uint32_t)(loose_varint(in) % (START_SET_MAX + 1u));
    uint32_t count = 0;
    uint32_t digest = 0;
    uint32_t id = 0;
    while (count < wanted && in->at < in->end) {
        loose piece = loose_piece(in);
        tg__sink row = tg__sink_of(bytes, sizeof bytes);
        const uint32_t own = (uint32_t)loose_le(&piece, 2);
        id = count == 0 || own > id ? own : id + 1u;
        if (id >= TG_INSTRUMENT_NONE) {
            break;
        }
        TG_TRY(repair_row(&piece, id, &row));
        TG_TRY(copy_bytes(&piece, (size_t)(piece.end - piece.at), &row));
        TG_TRY(put_piece(bytes, &row, &all));
        const uint8_t id_bytes[2] = {(uint8_t)id, (uint8_t)(id >> 8)};
        digest = tg__crc32c(digest, id_bytes, sizeof id_bytes);
        count++;
    }
    TG_TRY(tg__put_u8(out, TG__KIND_SNAPSHOT));
    TG_TRY(tg__put_u8(out, reason));
    TG_TRY(tg__put_u64(out, boundary));
    TG_TRY(tg__put_u32(out, digest));
    TG_TRY(tg__put_varint(out, ts));
    TG_TRY(tg__put_varint(out, count));
    return tg__put_bytes(out, rows, tg__sink_size(&all));
}

static tg_err repair_book(loose *in, tg__sink *out)
{
    const uint8_t bids = loose_u8(in) % (TG_BOOK_DEPTH_MAX + 1u);
    const uint8_t asks = loose_u8(in) % (TG_BOOK_DEPTH_MAX + 1u);
    TG_TRY(tg__put_u8(out, bids));
    TG_TRY(tg__put_u8(out, asks));
    for (unsigned i = 0; i < 2u * (bids + asks); i++) {
        TG_TRY(tg__put_varint(out, loose_varint(in)));
    }
    return copy_bytes(in, (size_t)(in->end - in->at), out);
}

tg_err repair_ticks(loose *in, tg__sink *out)
{
    static uint8_t ticks[1u << 15];
    uint8_t bytes[PIECE_MAX];
    tg__sink all = tg__sink_of(ticks, sizeof ticks);
    (void)loose_u8(in);
    const uint64_t ts = loose_varint(in);
    const uint32_t wanted = (uint32_t)(loose_varint(in) % 64u);
    uint32_t count = 0;
    for (; count < wanted && in->at < in->end; count++) {
        loose piece = loose_piece(in);
        tg__sink tick = tg__sink_of(bytes, sizeof bytes);
        const uint32_t id = (uint32_t)loose_le(&piece, 2);
        TG_TRY(repair_row(&piece, id < TG_INSTRUMENT_NONE ? id : 0, &tick));
        if (piece.at < piece.end) {
            TG_TRY(repair_book(&piece, &tick));
        }
        TG_TRY(put_piece(bytes, &tick, &all));
    }
    TG_TRY(tg__put_u8(out, TG__KIND_TICKS));
    TG_TRY(tg__put_u8(out, 0));
    TG_TRY(tg__put_varint(out, ts));
    TG_TRY(tg__put_varint(out, count));
    return tg__put_bytes(out, ticks, tg__sink_size(&all));
}
