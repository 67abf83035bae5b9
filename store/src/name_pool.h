/**
 * Short names, each kept once, however many refer to it: venues' and currencies'.
 *
 * References are counted by the writer alone; a name that has one does not change. Indexes start at
 * 1; 0 is the empty name, which is always there. Zeroed storage is an empty pool.
 */
#ifndef TICKGLASS_STORE_NAME_POOL_H
#define TICKGLASS_STORE_NAME_POOL_H

#include <tickglass/market.h>

typedef struct tg__name {
    char text[TG_VENUE_NAME_SIZE];
    uint32_t references; /* 0: the place is free */
} tg__name;

typedef struct tg__name_pool {
    tg__name *name;    /* by index; readers see texts of those that are referred to */
    uint16_t capacity; /* indexes go from 1 to capacity */
    uint16_t used;     /* indexes over this were never taken */
} tg__name_pool;

/*
 * The place of a name, with one reference more; 0: it is empty, or not there and no place is free.
 * Looks at every name: a dictionary is read once in a session, and has few of them.
 */
uint16_t tg__name_take(tg__name_pool *pool, const char *text);

/* Index 0 is allowed in both; the place is free again after the last reference. */
void tg__name_refer(tg__name_pool *pool, uint16_t index);
void tg__name_release(tg__name_pool *pool, uint16_t index);

#endif
