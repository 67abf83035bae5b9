/**
 * Dictionary entries, written once and never changed while a version refers to them.
 *
 * A rename or a new scale takes a new place; the old one becomes free when the last version of the
 * store has moved on. References are counted per version, by the writer alone. Indexes start at 1;
 * 0 is none. Zeroed storage is an empty pool.
 *
 * A store has two places for each instrument, so an entry keeps what a tg_instrument says in less
 * than a third of its size: tables of bands and currencies are shared, and of a symbol that is
 * longer than most the end lies elsewhere.
 */
#ifndef TICKGLASS_STORE_ENTRY_POOL_H
#define TICKGLASS_STORE_ENTRY_POOL_H

#include <tickglass/market.h>

#include "band_pool.h"
#include "name_pool.h"

#define TG__SYMBOL_HEAD 32
#define TG__SYMBOL_TAIL (TG_SYMBOL_SIZE - TG__SYMBOL_HEAD)

typedef struct tg__entry {
    int64_t multiplier; /* its mantissa */
    int64_t tick_size;  /* of the only band, which begins at INT64_MIN. 0: see bands */
    uint32_t epoch;     /* of a free place: the next free one */
    uint32_t cadence_ms;
    tg_instrument_id id;
    uint16_t bands;    /* in the pool's tables; 0: see tick_size, or none at all if that is 0 */
    uint16_t currency; /* in the pool's currencies */
    uint16_t tail;     /* of the symbol, in the pool's tails; 0: the head is all of it */
    tg_venue_id venue;
    uint8_t asset_class;  /* tg_asset_class */
    uint8_t price_format; /* tg_price_format */
    int8_t price_exponent;
    int8_t quantity_exponent;
    int8_t multiplier_exponent;
    bool delayed;
    uint8_t references;         /* the writer's: versions that refer to it */
    char head[TG__SYMBOL_HEAD]; /* of the symbol; with a tail there is no terminator in it */
} tg__entry;
_Static_assert(sizeof(tg__entry) == 72, "an entry has no holes");

typedef union tg__symbol_tail {
    char text[TG__SYMBOL_TAIL];
    uint16_t next; /* of a free place */
} tg__symbol_tail;

/* Readers see what the entries that their version refers to say, and what these refer to. */
typedef struct tg__entry_pool {
    tg__entry *entry; /* by index */
    tg__band_pool bands;
    tg__name_pool currencies;
    tg__symbol_tail *tail; /* by index, from 1 */
    uint32_t capacity;     /* indexes go from 1 to capacity */
    uint32_t used;         /* indexes over this were never taken */
    uint32_t free;         /* first of the given-back places; 0: none */
    uint16_t tail_capacity;
    uint16_t tails_used;
    uint16_t tail_free;
} tg__entry_pool;

uint32_t tg__name_hash(const char *symbol);

/* A place holding a copy, with no reference yet; 0 if none is free, or none for what it shares. */
uint32_t tg__entry_take(tg__entry_pool *pool, const tg_instrument *instrument);

void tg__entry_refer(tg__entry_pool *pool, uint32_t index);
/* The place is free again after the last one. Index 0 is allowed in both. */
void tg__entry_release(tg__entry_pool *pool, uint32_t index);

/* As it was given to tg__entry_take(); what lies behind its texts and bands is zero. */
void tg__entry_read(const tg__entry_pool *pool, const tg__entry *entry, tg_instrument *out);

/* Compares every field, whatever lies between and behind them. */
bool tg__entry_equal(const tg__entry_pool *pool, const tg__entry *entry,
                     const tg_instrument *instrument);

/* Both for its symbol alone; what lies behind its end is zero. */
void tg__entry_symbol(const tg__entry_pool *pool, const tg__entry *entry, char out[TG_SYMBOL_SIZE]);
bool tg__entry_is_named(const tg__entry_pool *pool, const tg__entry *entry, const char *symbol);

#endif
