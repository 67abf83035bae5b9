/**
 * Which rows changed in which publication: a ring that overwrites its oldest entries, shared by all
 * versions. One writer, any number of readers, nobody waits.
 *
 * A version knows how far the log goes for it. What changed after a given publication is found by
 * walking back from there to the first entry that is no newer than it, which costs what the changes
 * are worth, however many rows there are. If the walk goes round the whole ring without one, every
 * row must be looked at; the ring has room for more than half as many changes as there are rows, so
 * that this costs about what the changes are worth, too.
 *
 * Such an entry also proves the walk. Entries are overwritten in their order, each stored with
 * release and loaded with acquire: who has loaded what overwrote an entry loads, from the place of
 * an older one, what overwrote that, and it is of a later publication than the walker's version.
 * Places that were never used hold publication 0, which is before all changes.
 */
#ifndef TICKGLASS_STORE_CHANGE_LOG_H
#define TICKGLASS_STORE_CHANGE_LOG_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct tg__change_log {
    _Atomic uint64_t *entry; /* row, and above its 16 bits the publication */
    uint32_t mask;           /* capacity, a power of two, less one */
    uint64_t end;            /* the writer's: entries that were put so far */
} tg__change_log;

typedef struct tg__change {
    uint64_t publication;
    uint16_t row;
} tg__change;

/* Writer. Publications never descend, and are from 1 to 2^48 - 1. */
static inline void tg__log_put(tg__change_log *log, uint64_t publication, uint16_t row)
{
    /* Release: pairs with the acquire in tg__log_get(), see above. */
    atomic_store_explicit(&log->entry[log->end & log->mask], publication << 16 | row,
                          memory_order_release);
    log->end++;
}

/* Any thread: the entry that lies back entries before the last one of a version's end. */
static inline tg__change tg__log_get(const tg__change_log *log, uint64_t end, uint32_t back)
{
    const uint64_t entry =
        atomic_load_explicit(&log->entry[(end - 1 - back) & log->mask], memory_order_acquire);
    return (tg__change){.publication = entry >> 16, .row = (uint16_t)entry};
}

#endif
