/* DELTA: the step of a conflated channel from one boundary to a later one. PROTOCOL.md section 8.
 */
#include <tickglass/internal/frame.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "cursor.h"
#include "row.h"
#include "state_digest.h"
#include "varint.h"

enum {
    FLAG_STATE_DIGEST = 1,
    FLAG_SLOT_GAPS = 2, /* changed slots as a list of gaps; else as a bitmap */
    FLAGS_KNOWN = 3
};

enum {
    ROW_EPOCH_RAISED = 1,
    ROW_COVERED = 2,
    ROW_NULLED = 4,
    ROW_EXTENSIONS_KNOWN = 7
};

/* ---- encoding ---- */

static size_t varint_size(uint64_t value)
{
    uint8_t bytes[TG__VARINT_SIZE_MAX];
    return tg__varint_write(bytes, value);
}

static tg_err check_updates(const tg__channel *channel, const tg__frame *frame,
                            const tg__update *updates)
{
    TG_ENSURE(frame->count <= channel->count, TG_ERR_INVALID_ARGUMENT);
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

static size_t gap_list_size(const tg__frame *frame, const tg__update *updates)
{
    size_t size = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        const unsigned previous = i == 0 ? 0 : updates[i - 1].slot + 1u;
        size += varint_size(updates[i].slot - previous);
    }
    return size;
}

static tg_err put_gap_list(tg__sink *out, const tg__frame *frame, const tg__update *updates)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        const unsigned previous = i == 0 ? 0 : updates[i - 1].slot + 1u;
        TG_TRY(tg__put_varint(out, updates[i].slot - previous));
    }
    return TG_OK;
}

static tg_err put_bitmap(tg__sink *out, size_t bytes, const tg__frame *frame,
                         const tg__update *updates)
{
    uint32_t next = 0;
    for (size_t i = 0; i < bytes; i++) {
        unsigned byte = 0;
        while (next < frame->count && updates[next].slot / 8u == i) {
            byte |= 1u << (updates[next].slot % 8u);
            next++;
        }
        TG_TRY(tg__put_u8(out, (uint8_t)byte));
    }
    return TG_OK;
}

/* Fields whose value differs, nulls that appear apart. */
static uint32_t changed_mask(const tg_image *base, const tg_image *image)
{
    uint32_t mask = 0;
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        const uint32_t bit = TG_FIELD_BIT(field);
        const bool appeared = (base->present & bit) == 0;
        if ((image->present & bit) != 0 &&
            (appeared || image->value[field] != base->value[field])) {
            mask |= bit;
        }
    }
    return mask;
}

static tg_err put_field_delta(tg__sink *out, unsigned field, int64_t from, int64_t to,
                              uint32_t time_resolution_ns)
{
    int64_t delta = 0;
    TG_ENSURE(tg__sub_checked(to, from, &delta), TG_ERR_OVERFLOW);
    if (field == TG_FIELD_TS_EXCHANGE) {
        return tg__time_put(out, delta, time_resolution_ns);
    }
    return tg__put_zigzag(out, delta);
}

static tg_err put_row(tg__sink *out, const tg_image *base, const tg__update *update,
                      uint32_t time_resolution_ns)
{
    const tg_image *const image = &update->image;
    const uint32_t mask = changed_mask(base, image);
    const uint32_t nulled = base->present & ~image->present;
    const bool raised = image->epoch != base->epoch;
    const bool covered = raised || update->covered != image->seq - base->seq;
    const unsigned extensions = (raised ? (unsigned)ROW_EPOCH_RAISED : 0u) |
                                (covered ? (unsigned)ROW_COVERED : 0u) |
                                (nulled != 0 ? (unsigned)ROW_NULLED : 0u);
    TG_TRY(tg__put_varint(out, (uint64_t)mask << 1 | (extensions != 0)));
    if (extensions != 0) {
        TG_TRY(tg__put_u8(out, (uint8_t)extensions));
    }
    if (raised) {
        TG_TRY(tg__put_varint(out, image->epoch - base->epoch));
        TG_TRY(tg__put_varint(out, image->seq));
    } else {
        TG_TRY(tg__put_varint(out, image->seq - base->seq));
    }
    if (covered) {
        TG_TRY(tg__put_varint(out, update->covered));
    }
    if (nulled != 0) {
        TG_TRY(tg__put_varint(out, nulled));
    }
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if ((mask & TG_FIELD_BIT(field)) != 0) {
            TG_TRY(put_field_delta(out, field, base->value[field], image->value[field],
                                   time_resolution_ns));
        }
    }
    return TG_OK;
}

tg_err tg__delta_encode(const tg__channel *channel, const tg__frame *frame,
                        const tg__update *updates, uint8_t *buffer, size_t capacity, size_t *size)
{
    TG_ENSURE(frame->base == channel->boundary && frame->boundary > frame->base &&
                  frame->set_digest == channel->set_digest,
              TG_ERR_INVALID_ARGUMENT);
    TG_TRY(check_updates(channel, frame, updates));
    const size_t bitmap_size = (channel->count + 7u) / 8u;
    const bool gaps = frame->count > 0 && gap_list_size(frame, updates) < bitmap_size;
    tg__sink out = tg__sink_of(buffer, capacity);
    TG_TRY(tg__put_u8(&out, TG__KIND_DELTA));
    TG_TRY(tg__put_u8(&out, (uint8_t)((frame->state_digest ? (unsigned)FLAG_STATE_DIGEST : 0u) |
                                      (gaps ? (unsigned)FLAG_SLOT_GAPS : 0u))));
    TG_TRY(tg__put_u32(&out, (uint32_t)frame->boundary));
    TG_TRY(tg__put_u32(&out, frame->set_digest));
    TG_TRY(tg__put_varint(&out, frame->boundary - frame->base));
    int64_t ts_delta = 0;
    TG_ENSURE(tg__sub_checked(frame->ts_gateway_ns, channel->ts_gateway_ns, &ts_delta),
              TG_ERR_OVERFLOW);
    TG_TRY(tg__time_put(&out, ts_delta, channel->time_resolution_ns));
    TG_TRY(tg__put_varint(&out, frame->count));
    if (frame->count > 0) {
        TG_TRY(gaps ? put_gap_list(&out, frame, updates)
                    : put_bitmap(&out, bitmap_size, frame, updates));
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        TG_TRY(put_row(&out, &channel->images[updates[i].slot], &updates[i],
                       channel->time_resolution_ns));
    }
    if (frame->state_digest) {
        TG_TRY(tg__put_u32(&out, tg__state_digest(channel, updates, frame->count)));
    }
    *size = tg__sink_size(&out);
    return TG_OK;
}

/* ---- decoding ---- */

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

static tg_err get_header(tg__cursor *in, const tg__channel *channel, tg__frame *frame,
                         unsigned *flags)
{
    TG_TRY(tg__expect_kind(in, TG__KIND_DELTA));
    TG_ENSURE(tg__cursor_left(in) >= 1, TG_ERR_TRUNCATED);
    TG_ENSURE((*in->at & ~(unsigned)FLAGS_KNOWN) == 0, TG_ERR_FLAGS);
    *flags = *in->at++;
    frame->state_digest = (*flags & FLAG_STATE_DIGEST) != 0;
    uint32_t low = 0;
    TG_TRY(tg__get_u32(in, &low));
    frame->boundary = rebuild_boundary(low, channel->boundary);
    TG_TRY(tg__get_u32(in, &frame->set_digest));
    const uint8_t *const back_at = in->at;
    uint64_t back = 0;
    TG_TRY(tg__get_varint(in, &back));
    if (back == 0 || back > frame->boundary) {
        in->at = back_at;
        return TG_ERR_BOUNDARY;
    }
    frame->base = frame->boundary - back;
    TG_ENSURE(frame->base == channel->boundary, TG_ERR_BASE_MISMATCH);
    TG_ENSURE(frame->set_digest == channel->set_digest, TG_ERR_SET_MISMATCH);
    const uint8_t *const ts_at = in->at;
    int64_t ts_delta = 0;
    TG_TRY(tg__time_get(in, channel->time_resolution_ns, &ts_delta));
    if (!tg__add_checked(channel->ts_gateway_ns, ts_delta, &frame->ts_gateway_ns)) {
        in->at = ts_at;
        return TG_ERR_DELTA_OVERFLOW;
    }
    const uint8_t *const count_at = in->at;
    TG_TRY(tg__get_varint_u32(in, &frame->count));
    if (frame->count > channel->count) {
        in->at = count_at;
        return TG_ERR_COUNT_LIMIT;
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
    uint32_t found = 0;
    for (size_t i = 0; i < size; i++) {
        for (unsigned bits = bytes[i]; bits != 0; bits &= bits - 1) {
            unsigned bit = 0;
            while ((bits >> bit & 1u) == 0) {
                bit++;
            }
            const size_t slot = i * 8 + bit;
            if (slot >= channel->count || found == count) {
                in->at = bytes;
                return TG_ERR_SLOT;
            }
            updates[found++].slot = (uint16_t)slot;
        }
    }
    if (found != count) {
        in->at = bytes;
        return TG_ERR_SLOT;
    }
    return TG_OK;
}

/* What a row says before its values. */
typedef struct row_head {
    uint32_t mask;
    uint32_t nulled;
} row_head;

static tg_err get_row_version(tg__cursor *in, unsigned extensions, const tg_image *base,
                              tg__update *update)
{
    uint64_t step = 0;
    if ((extensions & ROW_EPOCH_RAISED) != 0) {
        TG_ENSURE((extensions & ROW_COVERED) != 0, TG_ERR_VERSION);
        TG_TRY(tg__get_varint(in, &step));
        TG_ENSURE(step >= 1 && step <= UINT32_MAX - base->epoch, TG_ERR_VERSION);
        update->image.epoch = base->epoch + (uint32_t)step;
        TG_TRY(tg__get_varint(in, &update->image.seq));
        TG_ENSURE(update->image.seq >= 1, TG_ERR_VERSION);
    } else {
        TG_TRY(tg__get_varint(in, &step));
        TG_ENSURE(step >= 1 && step <= UINT64_MAX - base->seq, TG_ERR_VERSION);
        update->image.epoch = base->epoch;
        update->image.seq = base->seq + step;
        update->covered = step;
    }
    if ((extensions & ROW_COVERED) != 0) {
        TG_TRY(tg__get_varint(in, &update->covered));
        TG_ENSURE(update->covered >= 1, TG_ERR_VERSION);
    }
    return TG_OK;
}

static tg_err get_row_head(tg__cursor *in, const tg_image *base, tg__update *update, row_head *head)
{
    uint64_t bits = 0;
    TG_TRY(tg__get_varint(in, &bits));
    TG_ENSURE(bits >> 1 <= UINT32_MAX, TG_ERR_FIELD_MASK);
    head->mask = (uint32_t)(bits >> 1);
    head->nulled = 0;
    uint8_t extensions = 0;
    if ((bits & 1u) != 0) {
        TG_TRY(tg__get_u8(in, &extensions));
        TG_ENSURE(extensions != 0 && (extensions & ~(unsigned)ROW_EXTENSIONS_KNOWN) == 0,
                  TG_ERR_FLAGS);
    }
    TG_TRY(get_row_version(in, extensions, base, update));
    if ((extensions & ROW_NULLED) != 0) {
        TG_TRY(tg__get_varint_u32(in, &head->nulled));
        TG_ENSURE(head->nulled != 0 && (head->nulled & ~base->present) == 0 &&
                      (head->nulled & head->mask) == 0,
                  TG_ERR_FIELD_MASK);
    }
    return TG_OK;
}

static tg_err get_field(tg__cursor *in, unsigned field, const tg_image *base,
                        uint32_t time_resolution_ns, tg_image *image)
{
    int64_t delta = 0;
    if (field == TG_FIELD_TS_EXCHANGE) {
        TG_TRY(tg__time_get(in, time_resolution_ns, &delta));
    } else {
        TG_TRY(tg__get_zigzag(in, &delta));
    }
    const uint32_t bit = TG_FIELD_BIT(field);
    TG_ENSURE(delta != 0 || (base->present & bit) == 0, TG_ERR_FIELD_MASK);
    TG_ENSURE(tg__add_checked(base->value[field], delta, &image->value[field]),
              TG_ERR_DELTA_OVERFLOW);
    image->present |= bit;
    return TG_OK;
}

/* Decodes one row against its base. On error in stands at or behind the rejected item. */
static tg_err get_row(tg__cursor *in, const tg_image *base, uint32_t time_resolution_ns,
                      tg__update *update, uint32_t *unknown_fields)
{
    row_head head;
    update->image = *base;
    TG_TRY(get_row_head(in, base, update, &head));
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if ((head.nulled & TG_FIELD_BIT(field)) != 0) {
            update->image.value[field] = 0;
        }
    }
    update->image.present &= ~head.nulled;
    for (unsigned field = 0; field < 32; field++) {
        if ((head.mask & TG_FIELD_BIT(field)) == 0) {
            continue;
        }
        if (field < TG_FIELD_COUNT) {
            TG_TRY(get_field(in, field, base, time_resolution_ns, &update->image));
        } else {
            int64_t unknown = 0;
            TG_TRY(tg__get_zigzag(in, &unknown));
            (*unknown_fields)++;
        }
    }
    return TG_OK;
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

tg_err tg__delta_decode(const tg__channel *channel, const uint8_t *message, size_t size,
                        tg__frame *frame, tg__update *updates, size_t update_capacity,
                        tg__fault *fault)
{
    tg__cursor in = tg__cursor_of(message, size);
    unsigned flags = 0;
    memset(frame, 0, sizeof *frame);
    tg_err err = get_header(&in, channel, frame, &flags);
    if (err == TG_OK && frame->count > update_capacity) {
        err = TG_ERR_BUFFER_TOO_SMALL;
    }
    if (err == TG_OK && frame->count > 0) {
        err = (flags & FLAG_SLOT_GAPS) != 0 ? get_gap_list(&in, channel, frame->count, updates)
                                            : get_bitmap(&in, channel, frame->count, updates);
    } else if (err == TG_OK && (flags & FLAG_SLOT_GAPS) != 0) {
        err = TG_ERR_FLAGS;
    }
    TG_TRY(tg__fault_at(err, &in, TG__NO_ROW, fault));
    for (uint32_t i = 0; i < frame->count; i++) {
        tg__update *const update = &updates[i];
        update->id = channel->ids[update->slot];
        err = get_row(&in, &channel->images[update->slot], channel->time_resolution_ns, update,
                      &frame->unknown_fields);
        TG_TRY(tg__fault_at(err, &in, i, fault));
    }
    if (frame->state_digest) {
        err = get_digest(&in, channel, frame, updates);
        TG_TRY(tg__fault_at(err, &in, TG__NO_ROW, fault));
    }
    err = tg__cursor_left(&in) == 0 ? TG_OK : TG_ERR_TRAILING_BYTES;
    return tg__fault_at(err, &in, TG__NO_ROW, fault);
}
