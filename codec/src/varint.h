/**
 * The integer primitives of the wire. PROTOCOL.md 2.2 (varint), 2.3 (zigzag), 2.4 (checked sums).
 *
 * Inline because every value of every row goes through them. ./dev prove proves the contracts;
 * tests/proofs/primitives.c defines the words they use.
 */
#ifndef TG_VARINT_H
#define TG_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/internal/control_flow.h>

#define TG__VARINT_SIZE_MAX 10u

/* LEB128, shortest form only. On error *at does not move. */
/*@ requires \valid(at) && \valid(out) && \separated(at, out);
    requires \base_addr(*at) == \base_addr(end) && *at <= end;
    requires \valid_read(*at + (0 .. end - *at - 1));
    requires \separated(at, *at + (0 .. end - *at - 1));
    requires \separated(out, *at + (0 .. end - *at - 1));
    assigns *at, *out;
    ensures \result == TG_OK ==> \old(*at) + 1 <= *at <= \old(*at) + TG__VARINT_SIZE_MAX;
    ensures *at <= end;
    ensures \result != TG_OK ==> *at == \old(*at) && *out == \old(*out);
*/
static inline tg_err tg__varint_read(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    const size_t left = (size_t)(end - *at);
    uint64_t value = 0;
    /*@ loop invariant 0 <= i <= TG__VARINT_SIZE_MAX && i <= left;
        loop assigns i, value;
        loop variant TG__VARINT_SIZE_MAX - i;
    */
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
/*@ requires \valid(out + (0 .. TG__VARINT_SIZE_MAX - 1));
    assigns out[0 .. TG__VARINT_SIZE_MAX - 1];
    ensures 1 <= \result <= TG__VARINT_SIZE_MAX;
    ensures value < 0x80 ==> \result == 1 && out[0] == value;
*/
static inline size_t tg__varint_write(uint8_t *out, uint64_t value)
{
    size_t size = 0;
    /*@ loop invariant 0 <= size <= 9 && value < tg__varint_bound(size);
        loop invariant \at(value, Pre) < 0x80 ==> size == 0 && value == \at(value, Pre);
        loop assigns size, value, out[0 .. TG__VARINT_SIZE_MAX - 1];
        loop variant value;
    */
    while (value >= 0x80) {
        out[size++] = (uint8_t)(value | 0x80u);
        value >>= 7;
    }
    out[size++] = (uint8_t)value;
    return size;
}

/*@ assigns \nothing;
    ensures \result == tg__zigzag(value);
*/
static inline uint64_t tg__zigzag_encode(int64_t value)
{
    const uint64_t half = (uint64_t)(value < 0 ? -(value + 1) : value);
    return 2u * half + (value < 0 ? 1u : 0u);
}

/*@ assigns \nothing;
    ensures tg__zigzag(\result) == value;
*/
static inline int64_t tg__zigzag_decode(uint64_t value)
{
    const uint64_t half = value / 2u;
    /* half <= INT64_MAX, so both results are in range without a conversion that wraps. */
    return value % 2u == 0 ? (int64_t)half : -(int64_t)half - 1;
}

/* False on overflow; then *out is untouched. */
/*@ requires \valid(out);
    assigns *out;
    ensures \result != 0 <==> INT64_MIN <= a + b <= INT64_MAX;
    ensures \result != 0 ==> *out == a + b;
    ensures \result == 0 ==> *out == \old(*out);
*/
static inline bool tg__add_checked(int64_t a, int64_t b, int64_t *out)
{
    if (b >= 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
        return false;
    }
    *out = a + b;
    return true;
}

/*@ requires \valid(out);
    assigns *out;
    ensures \result != 0 <==> INT64_MIN <= a - b <= INT64_MAX;
    ensures \result != 0 ==> *out == a - b;
    ensures \result == 0 ==> *out == \old(*out);
*/
static inline bool tg__sub_checked(int64_t a, int64_t b, int64_t *out)
{
    if (b >= 0 ? a < INT64_MIN + b : a > INT64_MAX + b) {
        return false;
    }
    *out = a - b;
    return true;
}

/* factor >= 1. */
/*@ requires \valid(out) && factor >= 1;
    assigns *out;
    ensures \result != 0 <==> INT64_MIN <= a * factor <= INT64_MAX;
    ensures \result != 0 ==> *out == a * factor;
    ensures \result == 0 ==> *out == \old(*out);
*/
static inline bool tg__multiply_checked(int64_t a, int64_t factor, int64_t *out)
{
    if (a > INT64_MAX / factor || a < INT64_MIN / factor) {
        return false;
    }
    *out = a * factor;
    return true;
}

#endif
