/**
 * A second decoder of the data messages, written from PROTOCOL.md alone and slow on purpose: one
 * bit at a time, 128-bit arithmetic, no table but the protocol's own. It shares no code with
 * codec/src; fuzz targets hold the real decoders to it.
 *
 * Every function gives the codec's error codes, and the place that the codec names.
 */
#ifndef TG_FUZZ_ORACLE_H
#define TG_FUZZ_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/internal/frame.h>

__extension__ typedef __int128 wide;

/* Reads a message; the first error stays. */
typedef struct oracle {
    const uint8_t *bytes;
    size_t end; /* of the message, or of a row within it */
    size_t at;
    size_t item; /* where the item that was read last starts */
    tg_err err;
    tg__fault fault;
} oracle;

void oracle_start(oracle *in, const uint8_t *bytes, size_t size);
/* Notes err at the given place, always returns false. */
bool oracle_fail(oracle *in, tg_err err, size_t at);

bool oracle_bytes_le(oracle *in, unsigned count, uint64_t *out);
bool oracle_varint(oracle *in, uint64_t *out);
bool oracle_varint32(oracle *in, uint32_t *out);
bool oracle_zigzag(oracle *in, wide *out);
/* A time in nanoseconds; it fits in 64 bits. */
bool oracle_time(oracle *in, uint32_t resolution_ns, wide *out);

/* Value of `width` bits from bit number `bit` of bytes on, lowest first. */
uint64_t oracle_bits(const uint8_t *bytes, size_t bit, unsigned width);

uint32_t oracle_crc32c(uint32_t crc, const uint8_t *bytes, size_t size);
/* PROTOCOL.md 6.5 of the channel with the updates over it. */
uint32_t oracle_state_digest(const tg__channel *channel, const tg__update *updates, uint32_t count);

/* Each returns what the decoder of that message has to return; updates hold the channel's count. */
tg_err oracle_delta(const tg__channel *channel, const uint8_t *bytes, size_t size, tg__frame *frame,
                    tg__update *updates, tg__fault *fault);
tg_err oracle_snapshot(const uint8_t *bytes, size_t size, uint32_t resolution_ns, tg__frame *frame,
                       unsigned *reason, tg__update *rows, size_t capacity, tg__fault *fault);

typedef struct oracle_ticks_list {
    int64_t ts_gateway_ns;
    uint32_t count;
    tg__tick *ticks; /* as many as the caller gives room for; the others are only checked */
    size_t capacity;
} oracle_ticks_list;
tg_err oracle_ticks(const uint8_t *bytes, size_t size, uint32_t resolution_ns,
                    oracle_ticks_list *list, tg__fault *fault);

#endif
