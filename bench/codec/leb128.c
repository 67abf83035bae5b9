#include "leb128.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "time_units.h"
#include "varint.h"

static uint8_t *put_u32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
    return at + 4;
}

static uint8_t *put(uint8_t *at, uint64_t value)
{
    return at + tg__varint_write(at, value);
}

size_t leb128_encode(const tg__channel *channel, const tg__frame *frame, const tg__update *updates,
                     uint8_t *out)
{
    const tg__exact_divisor resolution = tg__exact_divisor_of(channel->time_resolution_ns);
    uint8_t *at = out;
    *at++ = TG__KIND_DELTA;
    *at++ = 0;
    at = put_u32(at, (uint32_t)frame->boundary);
    at = put_u32(at, frame->set_digest);
    at = put(at, frame->boundary - frame->base);
    at = put(at, tg__zigzag_encode(
                     units_of(&resolution, frame->ts_gateway_ns - channel->ts_gateway_ns)));
    at = put(at, frame->count);
    const size_t bitmap_size = (channel->count + 7u) / 8u;
    memset(at, 0, bitmap_size);
    for (uint32_t i = 0; i < frame->count; i++) {
        at[updates[i].slot / 8u] |= (uint8_t)(1u << updates[i].slot % 8u);
    }
    at += bitmap_size;
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg_image *const base = &channel->images[updates[i].slot];
        const tg_image *const image = &updates[i].image;
        uint32_t mask = image->present ^ base->present;
        for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
            mask |= (uint32_t)(image->value[field] != base->value[field]) << field;
        }
        at = put(at, (uint64_t)mask << 1);
        at = put(at, image->seq - base->seq);
        for (uint32_t bits = mask; bits != 0; bits &= bits - 1) {
            const unsigned field = (unsigned)__builtin_ctz(bits);
            if (field == TG_FIELD_TS_EXCHANGE) {
                /* As DELTA does it, from the gateway's time: shorter than from the last tick. */
                at = put(at, tg__zigzag_encode(units_of(&resolution, frame->ts_gateway_ns -
                                                                         image->value[field])));
            } else {
                at = put(at, tg__zigzag_encode(image->value[field] - base->value[field]));
            }
        }
    }
    return (size_t)(at - out);
}

static tg_err get_row(const uint8_t **at, const uint8_t *end, int64_t ts_gateway_ns,
                      int64_t resolution, const tg_image *base, tg__update *update)
{
    uint64_t mask = 0;
    uint64_t step = 0;
    update->image = *base;
    TG_TRY(tg__varint_read(at, end, &mask));
    TG_TRY(tg__varint_read(at, end, &step));
    TG_ENSURE(mask >> (TG_FIELD_COUNT + 1) == 0 && step >= 1 && step <= UINT64_MAX - base->seq,
              TG_ERR_FIELD_MASK);
    update->image.seq = base->seq + step;
    update->covered = step;
    for (uint32_t bits = (uint32_t)(mask >> 1); bits != 0; bits &= bits - 1) {
        const unsigned field = (unsigned)__builtin_ctz(bits);
        uint64_t coded = 0;
        int64_t delta_ns = 0;
        TG_TRY(tg__varint_read(at, end, &coded));
        const int64_t delta = tg__zigzag_decode(coded);
        if (field == TG_FIELD_TS_EXCHANGE) {
            TG_ENSURE(ns_of(delta, resolution, &delta_ns) &&
                          tg__sub_checked(ts_gateway_ns, delta_ns, &update->image.value[field]),
                      TG_ERR_DELTA_OVERFLOW);
        } else {
            TG_ENSURE(tg__add_checked(base->value[field], delta, &update->image.value[field]),
                      TG_ERR_DELTA_OVERFLOW);
        }
        update->image.present |= TG_FIELD_BIT(field);
    }
    return TG_OK;
}

tg_err leb128_decode(const tg__channel *channel, const uint8_t *message, size_t size,
                     tg__frame *frame, tg__update *updates)
{
    const uint8_t *at = message + 2;
    const uint8_t *const end = message + size;
    const int64_t resolution = (int64_t)channel->time_resolution_ns;
    uint64_t value = 0;
    int64_t ts_ns = 0;
    TG_ENSURE(size >= 13 && message[0] == TG__KIND_DELTA, TG_ERR_TRUNCATED);
    uint32_t words[2] = {0, 0};
    for (unsigned i = 0; i < 8; i++) {
        words[i / 4] |= (uint32_t)*at++ << (8 * (i % 4));
    }
    TG_TRY(tg__varint_read(&at, end, &value));
    frame->base = channel->boundary;
    frame->boundary = frame->base + value;
    TG_ENSURE((uint32_t)frame->boundary == words[0], TG_ERR_BASE_MISMATCH);
    frame->set_digest = words[1];
    TG_ENSURE(channel->set_digest == words[1], TG_ERR_SET_MISMATCH);
    TG_TRY(tg__varint_read(&at, end, &value));
    TG_ENSURE(ns_of(tg__zigzag_decode(value), resolution, &ts_ns) &&
                  tg__add_checked(channel->ts_gateway_ns, ts_ns, &frame->ts_gateway_ns),
              TG_ERR_DELTA_OVERFLOW);
    TG_TRY(tg__varint_read(&at, end, &value));
    TG_ENSURE(value <= channel->count, TG_ERR_COUNT_LIMIT);
    frame->count = (uint32_t)value;
    const size_t bitmap_size = (channel->count + 7u) / 8u;
    TG_ENSURE((size_t)(end - at) >= bitmap_size, TG_ERR_TRUNCATED);
    const uint8_t *const bitmap = at;
    at += bitmap_size;
    uint32_t found = 0;
    for (size_t i = 0; i < bitmap_size; i++) {
        for (unsigned bits = bitmap[i]; bits != 0; bits &= bits - 1) {
            const size_t slot = i * 8 + (unsigned)__builtin_ctz(bits);
            TG_ENSURE(slot < channel->count && found < frame->count, TG_ERR_SLOT);
            updates[found].slot = (uint16_t)slot;
            updates[found].id = channel->ids[slot];
            TG_TRY(get_row(&at, end, frame->ts_gateway_ns, resolution, &channel->images[slot],
                           &updates[found]));
            found++;
        }
    }
    TG_ENSURE(found == frame->count && at == end, TG_ERR_TRAILING_BYTES);
    return TG_OK;
}
