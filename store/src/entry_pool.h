/**
 * Dictionary entries, written once and never changed while a version refers to them.
 *
 * A rename or a new scale takes a new place; the old one becomes free when the last version of the
 * store has moved on. References are counted per version, by the writer alone. Indexes start at 1;
 * 0 is none. Zeroed storage is an empty pool.
 */
#ifndef TICKGLASS_STORE_ENTRY_POOL_H
#define TICKGLASS_STORE_ENTRY_POOL_H

#include <tickglass/market.h>

typedef struct tg__entry_use {
    uint32_t name_hash;
    uint32_t references; /* versions that refer to it; of a free place: the next free one */
} tg__entry_use;

typedef struct tg__entry_pool {
    tg_instrument *entry; /* by index; readers see it */
    tg__entry_use *use;   /* by index; the writer's */
    uint32_t capacity;    /* indexes go from 1 to capacity */
    uint32_t used;        /* indexes over this were never taken */
    uint32_t free;        /* first of the given-back places; 0: none */
} tg__entry_pool;

uint32_t tg__name_hash(const char *symbol);

/* A place holding a copy, with no reference yet; 0 if none is free. */
uint32_t tg__entry_take(tg__entry_pool *pool, const tg_instrument *instrument);

void tg__entry_refer(tg__entry_pool *pool, uint32_t index);
/* The place is free again after the last one. Index 0 is allowed in both. */
void tg__entry_release(tg__entry_pool *pool, uint32_t index);

/* Compares every field, whatever lies between and behind them. */
bool tg__entry_equal(const tg_instrument *a, const tg_instrument *b);

#endif
