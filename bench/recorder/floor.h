/**
 * What no recorder can do without: a stamp, and a record's bytes copied into a ring; for the
 * sustained case another thread that writes the ring to a file as it is.
 */
#ifndef TG_BENCH_RECORDER_FLOOR_H
#define TG_BENCH_RECORDER_FLOOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FLOOR_RING_SIZE (UINT32_C(1) << 20)

typedef struct floor_record {
    uint64_t head;
    uint64_t stamp;
    uint64_t a;
    int64_t b;
    int64_t c;
    uint64_t d;
    uint64_t fill[2]; /* 64 bytes: a record never wraps */
} floor_record;

typedef struct floor_ring {
    _Alignas(64) _Atomic uint64_t tail; /* stored by the producer */
    uint64_t at;
    uint64_t head_seen;
    _Alignas(64) _Atomic uint64_t head; /* stored by the writing thread */
    unsigned char *bytes;
} floor_ring;

floor_ring *floor_open(void);
void floor_close(floor_ring *ring);

static inline void floor_put(floor_ring *ring, uint64_t stamp, uint32_t a, int64_t b, int64_t c,
                             uint64_t d)
{
    const floor_record record = {64, stamp, a, b, c, d, {0, 0}};
    memcpy(ring->bytes + (ring->at & (FLOOR_RING_SIZE - 1)), &record, 48);
    ring->at += sizeof record;
    atomic_store_explicit(&ring->tail, ring->at, memory_order_release); /* pairs with the writer */
}

/** ns per record with a thread that writes to the new file path; negative: it cannot be written. */
double floor_sustained(const char *path, uint32_t count);

#endif
