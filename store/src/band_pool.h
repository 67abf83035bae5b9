/**
 * Tables of price bands, each kept once, however many dictionary entries have it.
 *
 * A venue has a handful of them for all its instruments; the usual table, one band from the least
 * price on, needs none (entry_pool.h). References are counted per entry, by the writer alone.
 * Indexes start at 1; 0 is none. Zeroed storage is an empty pool.
 */
#ifndef TICKGLASS_STORE_BAND_POOL_H
#define TICKGLASS_STORE_BAND_POOL_H

#include <tickglass/market.h>

typedef struct tg__band_table {
    tg_tick_band band[TG_TICK_BAND_MAX];
    uint32_t references; /* entries that have it; 0: the place is free */
    uint8_t count;
} tg__band_table;

typedef struct tg__band_pool {
    tg__band_table *table; /* by index; readers see bands and count of those that are referred to */
    uint16_t capacity;     /* indexes go from 1 to capacity */
    uint16_t used;         /* indexes over this were never taken */
} tg__band_pool;

/*
 * The place of a table with these bands, with one reference more; 0: it is not there, and no place
 * is free. Looks at every table: a dictionary is read once in a session, and has few of them.
 */
uint16_t tg__bands_take(tg__band_pool *pool, const tg_tick_band *band, uint8_t count);

/* The place is free again after the last reference. Index 0 is allowed. */
void tg__bands_release(tg__band_pool *pool, uint16_t index);

/* Compares the first count bands. */
bool tg__bands_equal(const tg_tick_band *a, const tg_tick_band *b, uint8_t count);

#endif
