/**
 * The channel image: what one conflated channel has carried so far. Both ends keep one; a delta is
 * only ever applied to it, never to the store. PROTOCOL.md section 6.
 */
#ifndef TICKGLASS_INTERNAL_CHANNEL_H
#define TICKGLASS_INTERNAL_CHANNEL_H

#include <tickglass/internal/message.h>
#include <tickglass/market.h>

typedef struct tg__channel {
    uint64_t boundary;
    int64_t ts_gateway_ns; /* of the last frame */
    uint32_t set_digest;
    uint32_t time_resolution_ns;
    uint32_t count; /* instruments in the set */
    uint32_t capacity;
    tg_instrument_id *ids; /* strictly ascending; slot = index */
    tg_image *images;      /* by slot */
} tg__channel;

/* One changed row with absolute values. */
typedef struct tg__update {
    tg_instrument_id id;
    uint16_t slot;
    uint64_t covered; /* lane ticks that this update stands for; 0 in snapshots: not known */
    tg_image image;
} tg__update;

/* The envelope of a delta or snapshot. */
typedef struct tg__frame {
    uint64_t base; /* the boundary that the channel must stand at; equals boundary in snapshots */
    uint64_t boundary; /* the boundary that it stands at afterwards */
    int64_t ts_gateway_ns;
    uint32_t set_digest;
    uint32_t count;          /* rows */
    bool state_digest;       /* carries a digest of the state after it */
    uint32_t unknown_fields; /* decoder: values of unknown field numbers that were skipped */
} tg__frame;

/* An empty set at boundary 0. ids and images hold capacity elements and stay the caller's. */
void tg__channel_init(tg__channel *channel, tg_instrument_id *ids, tg_image *images,
                      uint32_t capacity, uint32_t time_resolution_ns);

/* Digest of an ordered id set: CRC-32C over the ids as u16 little-endian. PROTOCOL.md 6.2. */
uint32_t tg__set_digest(const tg_instrument_id *ids, size_t count);

/* CRC-32C over every image of the set in canonical form. PROTOCOL.md 6.5. */
uint32_t tg__channel_digest(const tg__channel *channel);

/* Slot of id, or -1. */
int32_t tg__channel_slot(const tg__channel *channel, tg_instrument_id id);

/* Take over the rows of a frame that tg__delta_decode() accepted, or that is about to be encoded.
 */
void tg__channel_apply(tg__channel *channel, const tg__frame *frame, const tg__update *updates);

/* Forget the set and take over the rows of a snapshot: frame->count <= capacity, ids ascending. */
void tg__channel_replace(tg__channel *channel, const tg__frame *frame, const tg__update *rows);

#endif
