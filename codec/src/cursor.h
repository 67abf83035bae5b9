/**
 * Bounds-checked reading and writing, little-endian. A getter that fails does not move, so the
 * cursor's offset then names the item that was rejected.
 */
#ifndef TG_CURSOR_H
#define TG_CURSOR_H

#include <stdbool.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/message.h>

#include "varint.h"

typedef struct tg__cursor {
    const uint8_t *begin;
    const uint8_t *at;
    const uint8_t *end;
} tg__cursor;

/* The getters that every frame goes through many times are inline. */

static inline tg__cursor tg__cursor_of(const uint8_t *bytes, size_t size)
{
    const tg__cursor in = {bytes, bytes, bytes + size};
    return in;
}

static inline size_t tg__cursor_left(const tg__cursor *in)
{
    return (size_t)(in->end - in->at);
}

static inline size_t tg__cursor_offset(const tg__cursor *in)
{
    return (size_t)(in->at - in->begin);
}

/* Back to where the item starts that is refused with err. */
static inline tg_err tg__refuse(tg__cursor *in, const uint8_t *item, tg_err err)
{
    in->at = item;
    return err;
}

static inline tg_err tg__get_le(tg__cursor *in, size_t size, uint64_t *out)
{
    TG_ENSURE(tg__cursor_left(in) >= size, TG_ERR_TRUNCATED);
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)in->at[i] << (8 * i);
    }
    in->at += size;
    *out = value;
    return TG_OK;
}

static inline tg_err tg__get_u8(tg__cursor *in, uint8_t *out)
{
    uint64_t value = 0;
    TG_TRY(tg__get_le(in, 1, &value));
    *out = (uint8_t)value;
    return TG_OK;
}

static inline tg_err tg__get_u16(tg__cursor *in, uint16_t *out)
{
    uint64_t value = 0;
    TG_TRY(tg__get_le(in, 2, &value));
    *out = (uint16_t)value;
    return TG_OK;
}

static inline tg_err tg__get_u32(tg__cursor *in, uint32_t *out)
{
    uint64_t value = 0;
    TG_TRY(tg__get_le(in, 4, &value));
    *out = (uint32_t)value;
    return TG_OK;
}

static inline tg_err tg__get_u64(tg__cursor *in, uint64_t *out)
{
    return tg__get_le(in, 8, out);
}

static inline tg_err tg__get_varint(tg__cursor *in, uint64_t *out)
{
    return tg__varint_read(&in->at, in->end, out);
}

/* TG_ERR_VALUE_RANGE over 32 bits. */
static inline tg_err tg__get_varint_u32(tg__cursor *in, uint32_t *out)
{
    const uint8_t *const start = in->at;
    uint64_t value = 0;
    TG_TRY(tg__get_varint(in, &value));
    if (value > UINT32_MAX) {
        return tg__refuse(in, start, TG_ERR_VALUE_RANGE);
    }
    *out = (uint32_t)value;
    return TG_OK;
}

static inline tg_err tg__get_zigzag(tg__cursor *in, int64_t *out)
{
    uint64_t value = 0;
    TG_TRY(tg__get_varint(in, &value));
    *out = tg__zigzag_decode(value);
    return TG_OK;
}

static inline tg_err tg__get_bytes(tg__cursor *in, size_t size, const uint8_t **out)
{
    TG_ENSURE(tg__cursor_left(in) >= size, TG_ERR_TRUNCATED);
    *out = in->at;
    in->at += size;
    return TG_OK;
}

/* Passes err on; unless it is TG_OK, *fault says where in stands. */
static inline tg_err tg__fault_at(tg_err err, const tg__cursor *in, uint32_t row, tg__fault *fault)
{
    if (err != TG_OK) {
        fault->offset = tg__cursor_offset(in);
        fault->row = row;
    }
    return err;
}

TG_MUST_CHECK tg_err tg__get_i8(tg__cursor *in, int8_t *out);
TG_MUST_CHECK tg_err tg__get_i64(tg__cursor *in, int64_t *out);
/* A length-prefixed piece of the message as a cursor of its own, with offsets of the whole. */
TG_MUST_CHECK tg_err tg__get_piece(tg__cursor *in, tg__cursor *piece);
/* u8 length and UTF-8 text into out[size], with terminator. An empty text only if empty_allowed. */
TG_MUST_CHECK tg_err tg__get_text(tg__cursor *in, bool empty_allowed, char *out, size_t size);
/* A byte that must have the given value: TG_ERR_MESSAGE_KIND, or TG_ERR_FLAGS with value 0. */
TG_MUST_CHECK tg_err tg__expect_kind(tg__cursor *in, tg__kind kind);
TG_MUST_CHECK tg_err tg__expect_no_flags(tg__cursor *in);

typedef struct tg__sink {
    uint8_t *begin;
    uint8_t *at;
    uint8_t *end;
} tg__sink;

/* The putters that every frame goes through many times are inline. */

static inline tg__sink tg__sink_of(uint8_t *bytes, size_t capacity)
{
    const tg__sink out = {bytes, bytes, bytes + capacity};
    return out;
}

static inline size_t tg__sink_size(const tg__sink *out)
{
    return (size_t)(out->at - out->begin);
}

static inline size_t tg__sink_left(const tg__sink *out)
{
    return (size_t)(out->end - out->at);
}

static inline tg_err tg__put_le(tg__sink *out, size_t size, uint64_t value)
{
    TG_ENSURE(tg__sink_left(out) >= size, TG_ERR_BUFFER_TOO_SMALL);
    for (size_t i = 0; i < size; i++) {
        out->at[i] = (uint8_t)(value >> (8 * i));
    }
    out->at += size;
    return TG_OK;
}

TG_MUST_CHECK static inline tg_err tg__put_u8(tg__sink *out, uint8_t value)
{
    return tg__put_le(out, 1, value);
}

TG_MUST_CHECK static inline tg_err tg__put_u16(tg__sink *out, uint16_t value)
{
    return tg__put_le(out, 2, value);
}

TG_MUST_CHECK static inline tg_err tg__put_u32(tg__sink *out, uint32_t value)
{
    return tg__put_le(out, 4, value);
}

TG_MUST_CHECK static inline tg_err tg__put_u64(tg__sink *out, uint64_t value)
{
    return tg__put_le(out, 8, value);
}

TG_MUST_CHECK static inline tg_err tg__put_bytes(tg__sink *out, const void *bytes, size_t size)
{
    TG_ENSURE(tg__sink_left(out) >= size, TG_ERR_BUFFER_TOO_SMALL);
    if (size > 0) {
        memcpy(out->at, bytes, size);
    }
    out->at += size;
    return TG_OK;
}

TG_MUST_CHECK static inline tg_err tg__put_varint(tg__sink *out, uint64_t value)
{
    if (tg__sink_left(out) >= TG__VARINT_SIZE_MAX) {
        out->at += tg__varint_write(out->at, value);
        return TG_OK;
    }
    uint8_t bytes[TG__VARINT_SIZE_MAX];
    return tg__put_bytes(out, bytes, tg__varint_write(bytes, value));
}

TG_MUST_CHECK static inline tg_err tg__put_zigzag(tg__sink *out, int64_t value)
{
    return tg__put_varint(out, tg__zigzag_encode(value));
}

TG_MUST_CHECK tg_err tg__put_text(tg__sink *out, bool empty_allowed, const char *text, size_t size);
/* Insert the length of what was put since start (an offset) in front of it, as a varint. */
TG_MUST_CHECK tg_err tg__put_length_before(tg__sink *out, size_t start);

#endif
