/** Data messages: DELTA, SNAPSHOT and TICKS. PROTOCOL.md sections 7 to 10. */
#ifndef TICKGLASS_INTERNAL_FRAME_H
#define TICKGLASS_INTERNAL_FRAME_H

#include <tickglass/internal/channel.h>

typedef enum tg__snapshot_reason {
    TG__SNAPSHOT_SET_CHANGE = 0, /* join, subscribe, unsubscribe */
    TG__SNAPSHOT_RESYNC = 1,     /* the client asked */
    TG__SNAPSHOT_GAP = 2         /* the gateway dropped frames: this restates everything */
} tg__snapshot_reason;

/*
 * Encode the step from channel to frame->boundary. channel is read, not changed: apply afterwards.
 * updates are ordered by slot; frame->count of them. frame->base and set_digest must be the
 * channel's. With frame->state_digest the digest of the state after the frame is computed.
 * TG_ERR_BUFFER_TOO_SMALL, TG_ERR_INVALID_ARGUMENT (order, versions, times that are no multiple of
 * the resolution).
 */
TG_MUST_CHECK tg_err tg__delta_encode(const tg__channel *channel, const tg__frame *frame,
                                      const tg__update *updates, uint8_t *out, size_t capacity,
                                      size_t *size);

/*
 * Decode against channel, which is not changed; updates[0 .. frame->count - 1] hold absolute values
 * then. On any error nothing may be used but *fault, and *frame after TG_ERR_BASE_MISMATCH and
 * TG_ERR_SET_MISMATCH (whose rows were not looked at). update_capacity >= channel->count.
 */
TG_MUST_CHECK tg_err tg__delta_decode(const tg__channel *channel, const uint8_t *message,
                                      size_t size, tg__frame *frame, tg__update *updates,
                                      size_t update_capacity, tg__fault *fault);

/* The envelope of a snapshot; row_bytes of encoded rows follow it. */
TG_MUST_CHECK tg_err tg__snapshot_header_encode(const tg__frame *frame, tg__snapshot_reason reason,
                                                uint32_t time_resolution_ns, uint8_t *out,
                                                size_t capacity, size_t *size);

/* One row, the same bytes for every connection that gets this version of the instrument. */
TG_MUST_CHECK tg_err tg__snapshot_row_encode(const tg__update *row, uint32_t time_resolution_ns,
                                             uint8_t *out, size_t capacity, size_t *size);

/* rows[0 .. frame->count - 1] on TG_OK, ids strictly ascending and matching the digest. */
TG_MUST_CHECK tg_err tg__snapshot_decode(const uint8_t *message, size_t size,
                                         uint32_t time_resolution_ns, tg__frame *frame,
                                         tg__snapshot_reason *reason, tg__update *rows,
                                         size_t row_capacity, tg__fault *fault);

/* An absolute row outside the conflated channel: priority tick, or the answer to a partial resync.
 */
typedef struct tg__tick {
    tg__update update; /* slot is not used */
    bool has_book;
    tg_book book;
} tg__tick;

typedef struct tg__ticks_reader {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t left;
    uint32_t time_resolution_ns;
} tg__ticks_reader;

TG_MUST_CHECK tg_err tg__ticks_encode(int64_t ts_gateway_ns, uint32_t time_resolution_ns,
                                      const tg__tick *ticks, size_t count, uint8_t *out,
                                      size_t capacity, size_t *size);

/* Validates the whole message; the reader then yields reader->left ticks. */
TG_MUST_CHECK tg_err tg__ticks_decode(const uint8_t *message, size_t size,
                                      uint32_t time_resolution_ns, int64_t *ts_gateway_ns,
                                      tg__ticks_reader *reader, tg__fault *fault);

/* False at the end. */
bool tg__ticks_next(tg__ticks_reader *reader, tg__tick *tick);

#endif
