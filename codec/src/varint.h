/**
 * The integer primitives of the wire. PROTOCOL.md 2.2 (varint), 2.3 (zigzag), 2.4 (checked sums).
 *
 * Inline because every value of every row goes through them.
 */
#ifndef TG_VARINT_H
#define TG_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/internal/control_flow.h>

#define TG__VARINT_SIZE_MAX 10u

/* LEB128, shortest form only. On error *at does not move. */
static inline tg_err tg__varint_read(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    const size_t left = (size_t)(end - *at);
    uint64_t value = 0;
    for (unsigned i = 0; i < TG__VARINT_SIZE_MAX; i++) {
        TG_ENSURE(i < left, TG_ERR_TRUNCATED);
        const uint8_t byte = (*at)[i];
        /* The tenth byte has room for one bit; a last byte of 0 would be a longer form of the same.
         */
        TG_ENSURE(i < 9 || byte <= 1, TG_ERR_VARINT);
        value |= (uint64_t)(byte & 0x7fu) << (7 * i);
        if ((byte & 0x80u) == 0) {
            TG_ENSURE(byte != 0 || i == 0, TG_ERR_VARINT);
            *at += i + 1;
            *out = value;
            return TG_OK;
        }
    }
    return TG_ERR_VARINT;
}

/* Writes 1 to TG__VARINT_SIZE_MAX bytes; the caller has made sure that there is room. */
static inline size_t tg__varint_write(uint8_t *out, uint64_t value)
{
    size_t size = 0;
    while (value >= 0x80) {
        out[size++] = (uint8_t)(value | 0x80u);
        value >>= 7;
    }
    out[size++] = (uint8_t)value;
    return size;
}

static inline uint64_t tg__zigzag_encode(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t tg__zigzag_decode(uint64_t value)
{
    const uint64_t half = value >> 1;
    /* half <= INT64_MAX, so both results are in range without a conversion that wraps. */
    return (value & 1u) == 0 ? (int64_t)half : -(int64_t)half - 1;
}

/* False on overflow; then *out is untouched. */
static inline bool tg__add_checked(int64_t a, int64_t b, int64_t *out)
{
    if (b >= 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
        return false;
    }
    *out = a + b;
    return true;
}

static inline bool tg__sub_checked(int64_t a, int64_t b, int64_t *out)
{
    if (b >= 0 ? a < INT64_MIN + b : a > INT64_MAX + b) {
        return false;
    }
    *out = a - b;
    return true;
}

/* factor >= 1. */
static inline bool tg__multiply_checked(int64_t a, int64_t factor, int64_t *out)
{
    if (a > INT64_MAX / factor || a < INT64_MIN / factor) {
        return false;
    }
    *out = a * factor;
    return true;
}

#endif
