/**
 * A ring of records of which the newest stay: one writer, any number of readers, and neither ever
 * waits for the other. When it is full the oldest record is overwritten.
 *
 * Records are numbered from 1. A reader copies first and asks afterwards which of the copied
 * records the writer had begun to overwrite: those it gives up. Why nothing torn gets through:
 * begun is raised before the first word of a record is stored, each word is stored with release and
 * loaded with acquire; so a reader that loaded a word of the record that overwrites number n loads
 * from begun, after that, at least n + capacity.
 */
#ifndef TICKGLASS_STORE_OVERWRITE_RING_H
#define TICKGLASS_STORE_OVERWRITE_RING_H

#include <stdatomic.h>
#include <stdint.h>

#include "stop_point.h"

typedef struct tg__ring {
    _Atomic uint64_t begun;   /* number of the newest record whose writing has begun */
    _Atomic uint64_t written; /* of the newest that is whole */
} tg__ring;

/* Constant. */
typedef struct tg__ring_shape {
    uint32_t capacity; /* in records */
    uint32_t words;    /* of a record */
} tg__ring_shape;

/* Writer. Number of the new record. */
static inline uint64_t tg__ring_put(tg__ring *ring, const tg__ring_shape *shape,
                                    _Atomic uint64_t *storage, const uint64_t *record)
{
    /* Relaxed: this thread alone writes it; the words below carry it to readers. */
    const uint64_t number = atomic_load_explicit(&ring->begun, memory_order_relaxed) + 1;
    atomic_store_explicit(&ring->begun, number, memory_order_relaxed);
    _Atomic uint64_t *at = storage + number % shape->capacity * shape->words;
    for (uint32_t i = 0; i < shape->words; i++) {
        TG__STOP_POINT("a record of a ring is written in part");
        /* Release: pairs with the acquire in tg__ring_copy(), see above. */
        atomic_store_explicit(&at[i], record[i], memory_order_release);
    }
    TG__STOP_POINT("a record of a ring is written and not said to be");
    /* Release: who sees the number sees the record; pairs with tg__ring_written(). */
    atomic_store_explicit(&ring->written, number, memory_order_release);
    return number;
}

/* Number of the newest record that is whole; 0: none. */
static inline uint64_t tg__ring_written(const tg__ring *ring)
{
    return atomic_load_explicit(&ring->written, memory_order_acquire);
}

/*
 * Any thread: copy records first to last, which were whole, into out. The result is how many of
 * them, from the first on, had been overwritten: what out holds of those is worthless.
 */
static inline uint64_t tg__ring_copy(const tg__ring *ring, const tg__ring_shape *shape,
                                     const _Atomic uint64_t *storage, uint64_t first, uint64_t last,
                                     uint64_t *out)
{
    for (uint64_t number = first; number <= last; number++) {
        const _Atomic uint64_t *at = storage + number % shape->capacity * shape->words;
        for (uint32_t i = 0; i < shape->words; i++) {
            *out++ = atomic_load_explicit(&at[i], memory_order_acquire);
        }
    }
    /* Relaxed: the acquires before it keep it behind them. */
    const uint64_t begun = atomic_load_explicit(&ring->begun, memory_order_relaxed);
    if (begun < first + shape->capacity) {
        return 0;
    }
    const uint64_t overwritten = begun - shape->capacity - first + 1;
    return overwritten > last - first + 1 ? last - first + 1 : overwritten;
}

#endif
