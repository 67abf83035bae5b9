/* What a DELTA says, read slowly. PROTOCOL.md section 8. */
#include "oracle.h"

#include <string.h>

#include "oracle_shapes.h"

#define UNITS_OF_32_BITS ((wide)1 << 32)

/* The parts of the message, as far as they are known. */
typedef struct parts {
    uint64_t flags;
    uint32_t general_count;
    uint32_t trade_count;
    const uint8_t *codes;
    const uint8_t *trade_codes;
    size_t columns_at;
    size_t values_at;
    unsigned step_width;
    unsigned distance_width;
    wide reference_ns;
} parts;

static bool in_64_bits(wide value)
{
    return value >= INT64_MIN && value <= INT64_MAX;
}

/* 6.1: of all numbers with these low 32 bits the one nearest to the reference, never below 0. One
 * past 64 bits is wrapped: it then lies before its base, and is refused for that. */
static uint64_t nearest_boundary(uint64_t low, uint64_t reference)
{
    wide best = -1;
    wide best_distance = 0;
    const wide turn = (wide)reference / UNITS_OF_32_BITS;
    for (int way = -1; way <= 1; way++) {
        const wide candidate = (turn + way) * UNITS_OF_32_BITS + (wide)low;
        const wide distance = candidate > reference ? candidate - reference : reference - candidate;
        if (candidate >= 0 && (best < 0 || distance < best_distance)) {
            best = candidate;
            best_distance = distance;
        }
    }
    return (uint64_t)best;
}

static bool read_header(oracle *in, const tg__channel *channel, tg__frame *frame, parts *p)
{
    uint64_t number = 0;
    if (!oracle_bytes_le(in, 1, &number)) {
        return false;
    }
    if (number != 0x84) {
        return oracle_fail(in, TG_ERR_MESSAGE_KIND, 0);
    }
    if (!oracle_bytes_le(in, 1, &p->flags)) {
        return false;
    }
    if (p->flags > 3) {
        return oracle_fail(in, TG_ERR_FLAGS, 1);
    }
    frame->state_digest = p->flags % 2 == 1;
    if (!oracle_bytes_le(in, 4, &number)) {
        return false;
    }
    frame->boundary = nearest_boundary(number, channel->boundary);
    if (!oracle_bytes_le(in, 4, &number)) {
        return false;
    }
    frame->set_digest = (uint32_t)number;
    const size_t digest_at = in->item;
    const size_t back_at = in->at;
    if (!oracle_varint(in, &number)) {
        return false;
    }
    if (number == 0 || (wide)frame->boundary - (wide)number < 0) {
        return oracle_fail(in, TG_ERR_BOUNDARY, back_at);
    }
    frame->base = frame->boundary - number;
    if (frame->base != channel->boundary) {
        return oracle_fail(in, TG_ERR_BASE_MISMATCH, back_at);
    }
    if (frame->set_digest != channel->set_digest) {
        return oracle_fail(in, TG_ERR_SET_MISMATCH, digest_at);
    }
    const size_t ts_at = in->at;
    wide moved_ns = 0;
    if (!oracle_time(in, channel->time_resolution_ns, &moved_ns)) {
        return false;
    }
    if (!in_64_bits(channel->ts_gateway_ns + moved_ns)) {
        return oracle_fail(in, TG_ERR_DELTA_OVERFLOW, ts_at);
    }
    frame->ts_gateway_ns = (int64_t)(channel->ts_gateway_ns + moved_ns);
    const size_t count_at = in->at;
    if (!oracle_varint32(in, &frame->count)) {
        return false;
    }
    if (frame->count > channel->count) {
        return oracle_fail(in, TG_ERR_COUNT_LIMIT, count_at);
    }
    return frame->count > 0 || p->flags < 2 || oracle_fail(in, TG_ERR_FLAGS, 1);
}

/* 8.1 */
static bool read_slots(oracle *in, const tg__channel *channel, uint32_t count, bool gaps,
                       tg__update *updates)
{
    uint32_t found = 0;
    wide slot = 0;
    for (; gaps && found < count; found++) {
        const size_t at = in->at;
        uint64_t gap = 0;
        if (!oracle_varint(in, &gap)) {
            return false;
        }
        slot += gap;
        if (slot >= channel->count) {
            return oracle_fail(in, TG_ERR_SLOT, at);
        }
        updates[found].slot = (uint16_t)slot++;
    }
    if (!gaps) {
        const size_t size = channel->count / 8 + (channel->count % 8 > 0 ? 1 : 0);
        if (in->end - in->at < size) {
            return oracle_fail(in, TG_ERR_TRUNCATED, in->at);
        }
        for (size_t bit = 0; bit < size * 8; bit++) {
            if (oracle_bits(in->bytes + in->at, bit, 1) == 0) {
                continue;
            }
            if (bit >= channel->count || found == count) {
                return oracle_fail(in, TG_ERR_SLOT, in->at);
            }
            updates[found++].slot = (uint16_t)bit;
        }
        if (found < count) {
            return oracle_fail(in, TG_ERR_SLOT, in->at);
        }
        in->at += size;
    }
    for (uint32_t i = 0; i < count; i++) {
        updates[i].id = channel->ids[updates[i].slot];
    }
    return true;
}

/* 8.2, and the bytes that all values take. */
static bool read_codes(oracle *in, uint32_t count, parts *p, size_t *values_bits)
{
    if (in->end - in->at < count) {
        return oracle_fail(in, TG_ERR_TRUNCATED, in->at);
    }
    p->codes = in->bytes + in->at;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned code = p->codes[i];
        if (code == 0x7f) {
            p->general_count++;
            continue;
        }
        if (code % 128 >= ORACLE_QUOTE_SHAPES) {
            return oracle_fail(in, TG_ERR_ROW_SHAPE, in->at + i);
        }
        p->trade_count += code >= 128 ? 1 : 0;
        for (unsigned lane = 0; lane < 4; lane++) {
            *values_bits += oracle_quote_width[code % 128][lane];
        }
    }
    in->at += count;
    if (in->end - in->at < p->trade_count) {
        return oracle_fail(in, TG_ERR_TRUNCATED, in->at);
    }
    p->trade_codes = in->bytes + in->at;
    for (uint32_t i = 0; i < p->trade_count; i++) {
        const unsigned code = p->trade_codes[i];
        if (code == 0 || code % 128 >= ORACLE_TRADE_SHAPES) {
            return oracle_fail(in, TG_ERR_ROW_SHAPE, in->at + i);
        }
        for (unsigned lane = 0; lane < 3; lane++) {
            *values_bits += oracle_trade_width[code % 128][lane];
        }
    }
    in->at += p->trade_count;
    return true;
}

/* 8.3: widths, reference time, and where columns and values lie. */
static bool read_columns(oracle *in, const tg__channel *channel, const tg__frame *frame, parts *p,
                         size_t values_bits)
{
    uint64_t widths = 0;
    if (!oracle_bytes_le(in, 1, &widths)) {
        return false;
    }
    p->step_width = oracle_step_width[widths % 16];
    p->distance_width = oracle_distance_width[widths / 16];
    const size_t lag_at = in->at;
    wide lag_ns = 0;
    if (!oracle_time(in, channel->time_resolution_ns, &lag_ns)) {
        return false;
    }
    p->reference_ns = frame->ts_gateway_ns - lag_ns;
    if (!in_64_bits(p->reference_ns)) {
        return oracle_fail(in, TG_ERR_DELTA_OVERFLOW, lag_at);
    }
    const size_t bits =
        (size_t)(frame->count - p->general_count) * (p->step_width + p->distance_width);
    const size_t columns = bits / 8 + (bits % 8 > 0 ? 1 : 0);
    if (in->end - in->at < columns) {
        return oracle_fail(in, TG_ERR_TRUNCATED, in->at);
    }
    p->columns_at = in->at;
    in->at += columns;
    if ((in->end - in->at) * 8 < values_bits) {
        return oracle_fail(in, TG_ERR_TRUNCATED, in->at);
    }
    p->values_at = in->at;
    in->at += values_bits / 8;
    return true;
}

/* 8.4: one field of a part. False if the sum leaves 64 bits. */
static bool add_lane(const oracle *in, size_t *bit, unsigned width, unsigned field, tg_image *image)
{
    const uint64_t code = oracle_bits(in->bytes, *bit, width);
    *bit += width;
    if (code == 0) {
        return true;
    }
    const wide delta = code % 2 == 0 ? (wide)code / 2 : -((wide)code + 1) / 2;
    const wide sum = image->value[field] + delta;
    if (!in_64_bits(sum)) {
        return false;
    }
    image->value[field] = (int64_t)sum;
    image->present |= UINT32_C(1) << field;
    return true;
}

static bool read_shaped_rows(oracle *in, const tg__channel *channel, const tg__frame *frame,
                             const parts *p, tg__update *updates)
{
    size_t column_bit = p->columns_at * 8;
    size_t value_bit = p->values_at * 8;
    uint32_t trade = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        const unsigned code = p->codes[i];
        if (code == 0x7f) {
            continue;
        }
        tg__update *const update = &updates[i];
        tg_image *const image = &update->image;
        const size_t row_at = value_bit / 8;
        in->fault.row = i;
        *image = channel->images[update->slot];
        bool fits = true;
        for (unsigned lane = 0; lane < 4; lane++) {
            fits &= add_lane(in, &value_bit, oracle_quote_width[code % 128][lane], lane, image);
        }
        for (unsigned lane = 0; lane < 3 && code >= 128; lane++) {
            const unsigned width = oracle_trade_width[p->trade_codes[trade] % 128][lane];
            fits &= add_lane(in, &value_bit, width, 5 + lane, image);
        }
        trade += code >= 128 ? 1 : 0;
        const wide step = (wide)oracle_bits(in->bytes, column_bit, p->step_width) + 1;
        column_bit += p->step_width;
        const wide distance = (wide)oracle_bits(in->bytes, column_bit, p->distance_width);
        column_bit += p->distance_width;
        if ((wide)image->seq + step > (wide)UINT64_MAX) {
            return oracle_fail(in, TG_ERR_VERSION, row_at);
        }
        const wide ts_ns = p->reference_ns - distance * channel->time_resolution_ns;
        if (!in_64_bits(ts_ns) || !fits) {
            return oracle_fail(in, TG_ERR_DELTA_OVERFLOW, row_at);
        }
        image->seq = (uint64_t)(image->seq + step);
        update->covered = (uint64_t)step;
        image->value[4] = (int64_t)ts_ns;
        image->present |= UINT32_C(1) << 4;
    }
    in->fault.row = TG__NO_ROW;
    return true;
}

/* The values behind a mask, in a general row and in a tail. */
static bool read_fields(oracle *in, uint32_t mask, const tg_image *base, uint32_t resolution_ns,
                        tg__update *update, uint32_t *unknown)
{
    for (unsigned field = 0; field < 32; field++) {
        wide delta = 0;
        if (mask / (UINT32_C(1) << field) % 2 == 0) {
            continue;
        }
        if (!(field == 4 ? oracle_time(in, resolution_ns, &delta) : oracle_zigzag(in, &delta))) {
            return false;
        }
        if (field >= TG_FIELD_COUNT) {
            (*unknown)++;
            continue;
        }
        const bool was_null = base->present / (UINT32_C(1) << field) % 2 == 0;
        const wide sum = (was_null ? 0 : base->value[field]) + delta;
        if (delta == 0 && !was_null) {
            return oracle_fail(in, TG_ERR_FIELD_MASK, in->item);
        }
        if (!in_64_bits(sum)) {
            return oracle_fail(in, TG_ERR_DELTA_OVERFLOW, in->item);
        }
        update->image.value[field] = (int64_t)sum;
        update->image.present |= UINT32_C(1) << field;
    }
    return true;
}

/* 8.5: epoch, seq and covered. */
static bool read_version(oracle *in, uint64_t extensions, const tg_image *base, tg__update *update)
{
    uint64_t number = 0;
    if (extensions % 2 == 1) {
        if (extensions / 2 % 2 == 0) {
            return oracle_fail(in, TG_ERR_VERSION, in->item);
        }
        if (!oracle_varint(in, &number)) {
            return false;
        }
        if (number == 0 || (wide)base->epoch + (wide)number > UINT32_MAX) {
            return oracle_fail(in, TG_ERR_VERSION, in->item);
        }
        update->image.epoch = (uint32_t)(base->epoch + number);
        if (!oracle_varint(in, &number)) {
            return false;
        }
        update->image.seq = number;
    } else {
        if (!oracle_varint(in, &number)) {
            return false;
        }
        if ((wide)base->seq + (wide)number > (wide)UINT64_MAX) {
            return oracle_fail(in, TG_ERR_VERSION, in->item);
        }
        update->image.seq = base->seq + number;
        update->covered = number;
    }
    if (number == 0) {
        return oracle_fail(in, TG_ERR_VERSION, in->item);
    }
    if (extensions / 2 % 2 == 1) {
        if (!oracle_varint(in, &update->covered)) {
            return false;
        }
        if (update->covered == 0) {
            return oracle_fail(in, TG_ERR_VERSION, in->item);
        }
    }
    return true;
}

/* 8.5 */
static bool read_general(oracle *in, const tg_image *base, uint32_t resolution_ns,
                         tg__update *update, uint32_t *unknown)
{
    uint64_t head = 0;
    uint64_t extensions = 0;
    uint32_t nulls = 0;
    update->image = *base;
    if (!oracle_varint(in, &head)) {
        return false;
    }
    if (head / 2 > UINT32_MAX) {
        return oracle_fail(in, TG_ERR_FIELD_MASK, in->item);
    }
    const uint32_t mask = (uint32_t)(head / 2);
    if (head % 2 == 1) {
        if (!oracle_bytes_le(in, 1, &extensions)) {
            return false;
        }
        if (extensions == 0 || extensions > 7) {
            return oracle_fail(in, TG_ERR_FLAGS, in->item);
        }
    }
    if (!read_version(in, extensions, base, update)) {
        return false;
    }
    if (extensions / 4 == 1) {
        if (!oracle_varint32(in, &nulls)) {
            return false;
        }
        bool good = nulls != 0;
        for (unsigned field = 0; field < 32; field++) {
            const uint32_t bit = UINT32_C(1) << field;
            if (nulls / bit % 2 == 1) {
                /* Whether a field of a later version was null is not known here. */
                good = good && mask / bit % 2 == 0 &&
                       (field >= TG_FIELD_COUNT || base->present / bit % 2 == 1);
                update->image.present &= ~bit;
                if (field < TG_FIELD_COUNT) {
                    update->image.value[field] = 0;
                }
            }
        }
        if (!good) {
            return oracle_fail(in, TG_ERR_FIELD_MASK, in->item);
        }
    }
    return read_fields(in, mask, base, resolution_ns, update, unknown);
}

/* 8.6 */
static bool read_tail(oracle *in, const tg_image *base, tg__update *update, uint32_t *unknown)
{
    const size_t at = in->at;
    uint64_t mask = 0;
    if (!oracle_varint(in, &mask)) {
        return false;
    }
    if (mask == 0 || mask >= UINT64_C(1) << 24) {
        return oracle_fail(in, TG_ERR_FIELD_MASK, at);
    }
    return read_fields(in, (uint32_t)(mask * 256), base, 1, update, unknown);
}

static bool read_varying(oracle *in, const tg__channel *channel, tg__frame *frame, const parts *p,
                         tg__update *updates)
{
    uint32_t trade = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg_image *const base = &channel->images[updates[i].slot];
        in->fault.row = i;
        bool good = true;
        if (p->codes[i] == 0x7f) {
            good = read_general(in, base, channel->time_resolution_ns, &updates[i],
                                &frame->unknown_fields);
        } else if (p->codes[i] >= 128 && p->trade_codes[trade++] >= 128) {
            good = read_tail(in, base, &updates[i], &frame->unknown_fields);
        }
        if (!good) {
            return false;
        }
    }
    in->fault.row = TG__NO_ROW;
    return true;
}

static bool read_delta(oracle *in, const tg__channel *channel, tg__frame *frame,
                       tg__update *updates)
{
    parts p;
    size_t values_bits = 0;
    memset(&p, 0, sizeof p);
    if (!read_header(in, channel, frame, &p)) {
        return false;
    }
    if (frame->count > 0) {
        if (!read_slots(in, channel, frame->count, p.flags >= 2, updates) ||
            !read_codes(in, frame->count, &p, &values_bits)) {
            return false;
        }
        if (p.general_count < frame->count &&
            (!read_columns(in, channel, frame, &p, values_bits) ||
             !read_shaped_rows(in, channel, frame, &p, updates))) {
            return false;
        }
        if (!read_varying(in, channel, frame, &p, updates)) {
            return false;
        }
    }
    const size_t digest_at = in->at;
    uint64_t digest = 0;
    if (frame->state_digest) {
        if (!oracle_bytes_le(in, 4, &digest)) {
            return false;
        }
        if (digest != oracle_state_digest(channel, updates, frame->count)) {
            return oracle_fail(in, TG_ERR_STATE_DIGEST, digest_at);
        }
    }
    return in->at == in->end || oracle_fail(in, TG_ERR_TRAILING_BYTES, in->at);
}

tg_err oracle_delta(const tg__channel *channel, const uint8_t *bytes, size_t size, tg__frame *frame,
                    tg__update *updates, tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    memset(frame, 0, sizeof *frame);
    (void)read_delta(&in, channel, frame, updates);
    *fault = in.fault;
    return in.err;
}
