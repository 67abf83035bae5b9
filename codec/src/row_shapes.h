/**
 * Row shapes: the widths in which a DELTA row carries its quote fields and its trade fields.
 * PROTOCOL.md 8.3 lists them; the index in the list is the shape's number on the wire.
 *
 * Both lists are ordered by size, so that the first shape that fits is a smallest one.
 */
#ifndef TG_ROW_SHAPES_H
#define TG_ROW_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off */
/* bits of: bid price, ask price, bid quantity, ask quantity */
#define TG__QUOTE_SHAPES(X)                                                                        \
    X( 0,  0,  0,  0)                                                                              \
    X( 0,  0,  8,  0) X( 0,  0,  0,  8) X( 0,  0,  4,  4) X( 0,  0,  6,  2) X( 0,  0,  2,  6)      \
    X( 8,  0,  0,  0) X( 0,  8,  0,  0) X( 4,  4,  0,  0) X( 2,  0,  6,  0) X( 0,  2,  0,  6)      \
    X( 0,  0, 16,  0) X( 0,  0,  0, 16) X( 0,  0,  8,  8) X( 0,  0, 10,  6) X( 0,  0,  6, 10)      \
    X( 0,  0, 12,  4) X( 0,  0,  4, 12) X( 0,  0, 14,  2) X( 0,  0,  2, 14) X( 2,  0, 14,  0)      \
    X( 0,  2,  0, 14) X( 6,  0, 10,  0) X( 0,  6,  0, 10) X( 2,  2,  6,  6) X( 2,  2,  8,  4)      \
    X( 2,  2,  4,  8) X( 3,  3,  5,  5) X( 3,  3,  8,  2) X( 3,  3,  2,  8) X( 2,  2, 12,  0)      \
    X( 2,  2,  0, 12)                                                                              \
    X( 0,  0, 24,  0) X( 0,  0,  0, 24) X( 0,  0, 12, 12) X( 0,  0, 14, 10) X( 0,  0, 10, 14)      \
    X( 0,  0, 16,  8) X( 0,  0,  8, 16) X( 8,  0, 16,  0) X( 0,  8,  0, 16) X(10,  0, 14,  0)      \
    X( 0, 10,  0, 14) X( 2,  2, 10, 10) X( 2,  2, 12,  8) X( 2,  2,  8, 12) X( 3,  3, 10,  8)      \
    X( 3,  3,  8, 10) X( 4,  4,  8,  8) X( 4,  4, 10,  6) X( 4,  4,  6, 10) X( 4,  0, 10, 10)      \
    X( 0,  4, 10, 10) X( 2,  2, 20,  0) X( 2,  2,  0, 20)                                          \
    X( 0,  0, 32,  0) X( 0,  0,  0, 32) X( 0,  0, 16, 16) X( 2,  2, 14, 14) X( 2,  2, 16, 12)      \
    X( 2,  2, 12, 16) X( 3,  3, 14, 12) X( 3,  3, 12, 14) X( 3,  3, 16, 10) X( 3,  3, 10, 16)      \
    X( 4,  4, 12, 12) X( 4,  4, 14, 10) X( 4,  4, 10, 14) X( 6,  6, 10, 10) X( 4,  0, 14, 14)      \
    X( 0,  4, 14, 14) X(12,  0, 20,  0) X( 0, 12,  0, 20)                                          \
    X( 0,  0, 20, 20) X( 0,  0, 24, 16) X( 0,  0, 16, 24) X( 4,  4, 16, 16) X( 6,  6, 14, 14)      \
    X( 8,  8, 12, 12) X( 8,  0, 16, 16) X( 0,  8, 16, 16) X( 8,  0, 32,  0) X( 0,  8,  0, 32)      \
    X( 0,  0, 24, 24) X(16,  0, 32,  0) X( 0, 16,  0, 32) X( 4,  4, 20, 20) X( 8,  8, 16, 16)      \
    X(16, 16,  8,  8)                                                                              \
    X( 0,  0, 28, 28) X(24,  0, 32,  0) X( 0, 24,  0, 32) X( 8,  8, 20, 20) X(14, 14, 14, 14)      \
    X( 0,  0, 32, 32) X( 8,  8, 24, 24) X(16, 16, 16, 16)                                          \
    X(16, 16, 24, 24) X(16, 16, 32, 32) X(24, 24, 24, 24) X(32, 32, 32, 32)

/* bits of: last price, last quantity, volume */
#define TG__TRADE_SHAPES(X)                                                                        \
    X( 0,  0,  0)                                                                                  \
    X( 0,  4,  4) X( 2,  3,  3) X( 4,  2,  2) X( 0,  3,  5) X( 2,  2,  4) X( 0,  0,  8)            \
    X( 0,  8,  8) X( 4,  6,  6) X( 2,  6,  8) X( 6,  5,  5) X( 4,  4,  8) X( 8,  4,  4)            \
    X( 0,  6, 10) X( 4,  2, 10) X( 2,  0, 14)                                                      \
    X( 0, 12, 12) X( 4, 10, 10) X( 2, 10, 12) X( 6,  8, 10) X( 8,  8,  8) X( 4,  8, 12)            \
    X( 0, 10, 14) X( 0,  8, 16) X( 4,  0, 20) X( 0,  0, 24)                                        \
    X( 0, 16, 16) X( 4, 14, 14) X( 2, 14, 16) X( 6, 12, 14) X( 4, 12, 16) X(10, 10, 12)            \
    X(16,  8,  8)                                                                                  \
    X( 0, 20, 20) X( 8, 16, 16) X( 4, 16, 20) X(12, 12, 16) X(20, 10, 10)                          \
    X( 0, 24, 24) X( 8, 20, 20) X(20, 14, 14)                                                      \
    X( 0, 28, 28) X( 8, 24, 24) X( 0, 32, 32) X(16, 24, 24) X(24, 24, 24) X(32, 32, 32)
/* clang-format on */

#define TG__SHAPE_COUNT_ONE(...) +1
#define TG__QUOTE_SHAPE_COUNT    (0u TG__QUOTE_SHAPES(TG__SHAPE_COUNT_ONE))
#define TG__TRADE_SHAPE_COUNT    (0u TG__TRADE_SHAPES(TG__SHAPE_COUNT_ONE))
#define TG__SHAPE_NONE           0u /* no field of that part changes */
#define TG__SHAPE_BYTES_MAX      16u
#define TG__LANE_BITS_MAX        32u

/* Four lanes of a part of a row, lowest bits first: quote shapes as listed; in a trade shape lane 0
 * is empty, so that lane k of a trade shape is field 4 + k. */
typedef struct tg__row_shape {
    uint64_t mask[4]; /* low bits of the lane's width */
    uint8_t bit[4];   /* where the lane starts */
    uint8_t bytes;
} tg__row_shape;

extern const tg__row_shape tg__quote_shapes[TG__QUOTE_SHAPE_COUNT];
extern const tg__row_shape tg__trade_shapes[TG__TRADE_SHAPE_COUNT];

/* A row's code byte, and its trade code. */
#define TG__CODE_NUMBER  0x7fu /* the quote or trade shape's number */
#define TG__CODE_GENERAL 0x7f  /* whole byte: the row is a general one, behind all shaped ones */
#define TG__CODE_MORE    0x80  /* quote code: a trade code belongs to the row; trade code: a tail */

/*
 * What a code announces, in fields of one word so that a frame's codes are judged by one sum: bytes
 * of the part, parts of varying length (a general row or a tail), trade codes; and a bit that every
 * code that exists has set.
 */
extern const uint64_t tg__quote_codes[256];
extern const uint64_t tg__trade_codes[256];
#define TG__CODE_EXISTS        (UINT64_C(1) << 63)
#define TG__CODE_VARYING_ONE   (UINT64_C(1) << 24)
#define TG__CODE_TRADE_ONE     (UINT64_C(1) << 40)
#define TG__CODES_BYTES(sum)   ((size_t)((sum)&0xffffffu))
#define TG__CODES_VARYING(sum) ((uint32_t)((sum) >> 24 & 0xffffu))
#define TG__CODES_TRADES(sum)  ((uint32_t)((sum) >> 40 & 0xffffu))

/* A smallest shape whose lanes are at least as wide as coded[0 .. 3], each below 2^32; -1: none. */
int tg__quote_shape_find(const uint64_t *coded);
int tg__trade_shape_find(const uint64_t *coded);

typedef struct tg__shape_set {
    uint64_t low;
    uint64_t high;
} tg__shape_set;
extern const tg__shape_set tg__quote_shape_sets[4][TG__LANE_BITS_MAX + 1u];
extern const uint64_t tg__trade_shape_sets[4][TG__LANE_BITS_MAX + 1u];

/* Widths of the version step and of the exchange time's distance, by the nibbles of one byte. */
#define TG__COLUMN_WIDTHS 16u
extern const uint8_t tg__step_widths[TG__COLUMN_WIDTHS];
extern const uint8_t tg__distance_widths[TG__COLUMN_WIDTHS];

/* The first nibble whose width holds that many bits; TG__COLUMN_WIDTHS if none does. */
extern const uint8_t tg__step_codes[65];
extern const uint8_t tg__distance_codes[65];

#endif
