/*
 * A way to lay out a frame. Every one carries the same: boundary, base, set digest, gateway time,
 * and for each changed row its slot, version step, exchange time and changed values at the
 * channel's time resolution; and every decoder fills the same rows.
 */
#ifndef BENCH_LAYOUT_H
#define BENCH_LAYOUT_H

#include <tickglass/internal/frame.h>

#define LAYOUT_SIZE_MAX (4u << 20)

/* Bytes written to out, which has room for LAYOUT_SIZE_MAX. Every row covers its whole step and
 * keeps its epoch; 0: this frame cannot be told. */
typedef size_t layout_encode(const tg__channel *channel, const tg__frame *frame,
                             const tg__update *updates, uint8_t *out);
typedef tg_err layout_decode(const tg__channel *channel, const uint8_t *message, size_t size,
                             tg__frame *frame, tg__update *updates);

typedef struct layout {
    const char *encoder; /* the names in the report; NULL: another entry reports it */
    const char *decoder;
    layout_encode *encode;
    layout_decode *decode;
} layout;

/* DELTA, and SNAPSHOT for a frame that restates the set. */
layout_encode delta_encode;
layout_decode delta_decode_scalar;
layout_decode delta_decode_avx2; /* only where the processor has it */
layout_encode snapshot_encode;
layout_decode snapshot_decode;

/* Structs of 60 bytes at fixed places, read and written in one step. */
layout_encode fixed_encode;
layout_decode fixed_decode;

/* JSON with absolute numbers, by cJSON. */
layout_encode cjson_encode;
layout_decode cjson_decode;

/* frame.proto, by protobuf-c. */
layout_encode protobuf_encode;
layout_decode protobuf_decode;

/* The decoded rows themselves: what a decoder costs that has nothing to do. */
layout_encode raw_encode;
layout_decode raw_decode;

#endif
