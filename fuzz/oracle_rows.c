/* What a SNAPSHOT and TICKS say, read slowly. PROTOCOL.md sections 7, 9 and 10. */
#include "oracle.h"

#include <string.h>

/* Section 7. Null fields are 0. */
static bool read_row(oracle *in, uint32_t resolution_ns, tg__update *row, uint32_t *unknown)
{
    uint64_t number = 0;
    uint32_t mask = 0;
    memset(row, 0, sizeof *row);
    if (!oracle_bytes_le(in, 2, &number)) {
        return false;
    }
    if (number == 65535) {
        return oracle_fail(in, TG_ERR_VALUE_RANGE, in->item);
    }
    row->id = (tg_instrument_id)number;
    if (!oracle_varint32(in, &row->image.epoch) || !oracle_varint(in, &row->image.seq) ||
        !oracle_varint(in, &row->covered) || !oracle_varint32(in, &mask)) {
        return false;
    }
    for (unsigned field = 0; field < 32; field++) {
        wide value = 0;
        if (mask / (UINT32_C(1) << field) % 2 == 0) {
            continue;
        }
        if (!(field == 4 ? oracle_time(in, resolution_ns, &value) : oracle_zigzag(in, &value))) {
            return false;
        }
        if (field < TG_FIELD_COUNT) {
            row->image.value[field] = (int64_t)value;
            row->image.present += UINT32_C(1) << field;
        } else {
            (*unknown)++;
        }
    }
    return true;
}

/* A length and that many bytes: *end is where they end. */
static bool read_length(oracle *in, size_t *end)
{
    const size_t at = in->at;
    uint64_t length = 0;
    if (!oracle_varint(in, &length)) {
        return false;
    }
    if ((wide)in->at + (wide)length > (wide)in->end) {
        return oracle_fail(in, TG_ERR_TRUNCATED, at);
    }
    *end = in->at + length;
    return true;
}

static bool read_count(oracle *in, uint32_t *count)
{
    const size_t at = in->at;
    if (!oracle_varint32(in, count)) {
        return false;
    }
    return *count <= 8192 || oracle_fail(in, TG_ERR_COUNT_LIMIT, at);
}

/* Kind and a second byte of at most `most`. */
static bool read_kind(oracle *in, unsigned kind, unsigned most, uint64_t *second)
{
    uint64_t number = 0;
    if (!oracle_bytes_le(in, 1, &number)) {
        return false;
    }
    if (number != kind) {
        return oracle_fail(in, TG_ERR_MESSAGE_KIND, 0);
    }
    if (!oracle_bytes_le(in, 1, second)) {
        return false;
    }
    return *second <= most || oracle_fail(in, TG_ERR_FLAGS, 1);
}

/* Section 9 */
static bool read_snapshot(oracle *in, uint32_t resolution_ns, tg__frame *frame, unsigned *reason,
                          tg__update *rows, size_t capacity)
{
    uint64_t number = 0;
    wide ts_ns = 0;
    if (!read_kind(in, 0x83, 2, &number)) {
        return false;
    }
    *reason = (unsigned)number;
    if (!oracle_bytes_le(in, 8, &frame->boundary) || !oracle_bytes_le(in, 4, &number)) {
        return false;
    }
    const size_t digest_at = in->item;
    frame->base = frame->boundary;
    frame->set_digest = (uint32_t)number;
    if (!oracle_time(in, resolution_ns, &ts_ns) || !read_count(in, &frame->count)) {
        return false;
    }
    frame->ts_gateway_ns = (int64_t)ts_ns;
    if (frame->count > capacity) {
        return oracle_fail(in, TG_ERR_BUFFER_TOO_SMALL, in->at);
    }
    const size_t message_end = in->end;
    uint32_t crc = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        size_t row_end = 0;
        in->fault.row = i;
        if (!read_length(in, &row_end)) {
            return false;
        }
        in->end = row_end;
        const size_t id_at = in->at;
        if (!read_row(in, resolution_ns, &rows[i], &frame->unknown_fields)) {
            return false;
        }
        in->at = row_end;
        in->end = message_end;
        rows[i].slot = (uint16_t)i;
        if (i > 0 && rows[i].id <= rows[i - 1].id) {
            return oracle_fail(in, TG_ERR_SET_ORDER, id_at);
        }
        const uint8_t id[2] = {(uint8_t)(rows[i].id % 256), (uint8_t)(rows[i].id / 256)};
        crc = oracle_crc32c(crc, id, 2);
    }
    in->fault.row = TG__NO_ROW;
    if (in->at < in->end) {
        return oracle_fail(in, TG_ERR_TRAILING_BYTES, in->at);
    }
    return crc == frame->set_digest || oracle_fail(in, TG_ERR_SET_DIGEST, digest_at);
}

tg_err oracle_snapshot(const uint8_t *bytes, size_t size, uint32_t resolution_ns, tg__frame *frame,
                       unsigned *reason, tg__update *rows, size_t capacity, tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    memset(frame, 0, sizeof *frame);
    (void)read_snapshot(&in, resolution_ns, frame, reason, rows, capacity);
    *fault = in.fault;
    return in.err;
}

static bool read_levels(oracle *in, tg_level *levels, unsigned count)
{
    wide price = 0;
    for (unsigned i = 0; i < count; i++) {
        wide step = 0;
        wide quantity = 0;
        if (!oracle_zigzag(in, &step)) {
            return false;
        }
        price += step;
        if (price < INT64_MIN || price > INT64_MAX) {
            return oracle_fail(in, TG_ERR_DELTA_OVERFLOW, in->item);
        }
        if (!oracle_zigzag(in, &quantity)) {
            return false;
        }
        levels[i].price = (int64_t)price;
        levels[i].quantity = (int64_t)quantity;
    }
    return true;
}

static bool read_tick(oracle *in, uint32_t resolution_ns, tg__tick *tick)
{
    uint32_t unknown = 0;
    uint64_t bids = 0;
    uint64_t asks = 0;
    memset(tick, 0, sizeof *tick);
    if (!read_row(in, resolution_ns, &tick->update, &unknown)) {
        return false;
    }
    if (in->at == in->end) {
        return true;
    }
    tick->has_book = true;
    if (!oracle_bytes_le(in, 1, &bids)) {
        return false;
    }
    if (bids > 10) {
        return oracle_fail(in, TG_ERR_COUNT_LIMIT, in->item);
    }
    if (!oracle_bytes_le(in, 1, &asks)) {
        return false;
    }
    if (asks > 10) {
        return oracle_fail(in, TG_ERR_COUNT_LIMIT, in->item);
    }
    tick->book.bid_count = (uint8_t)bids;
    tick->book.ask_count = (uint8_t)asks;
    return read_levels(in, tick->book.bid, (unsigned)bids) &&
           read_levels(in, tick->book.ask, (unsigned)asks);
}

/* Section 10 */
static bool read_ticks(oracle *in, uint32_t resolution_ns, oracle_ticks_list *list)
{
    uint64_t flags = 0;
    wide ts_ns = 0;
    if (!read_kind(in, 0x85, 0, &flags) || !oracle_time(in, resolution_ns, &ts_ns) ||
        !read_count(in, &list->count)) {
        return false;
    }
    list->ts_gateway_ns = (int64_t)ts_ns;
    const size_t message_end = in->end;
    for (uint32_t i = 0; i < list->count; i++) {
        tg__tick spare;
        in->fault.row = i;
        size_t tick_end = 0;
        if (!read_length(in, &tick_end)) {
            return false;
        }
        in->end = tick_end;
        if (!read_tick(in, resolution_ns, i < list->capacity ? &list->ticks[i] : &spare)) {
            return false;
        }
        in->at = tick_end;
        in->end = message_end;
    }
    in->fault.row = TG__NO_ROW;
    return in->at == in->end || oracle_fail(in, TG_ERR_TRAILING_BYTES, in->at);
}

tg_err oracle_ticks(const uint8_t *bytes, size_t size, uint32_t resolution_ns,
                    oracle_ticks_list *list, tg__fault *fault)
{
    oracle in;
    oracle_start(&in, bytes, size);
    (void)read_ticks(&in, resolution_ns, list);
    *fault = in.fault;
    return in.err;
}
