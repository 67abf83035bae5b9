/**
 * Rows that belong to no instrument, as a ring: any of them can be taken at once. Rows are numbered
 * from 1; order[0] closes the ring.
 */
#ifndef TICKGLASS_STORE_FREE_ROWS_H
#define TICKGLASS_STORE_FREE_ROWS_H

#include <stdint.h>

typedef struct tg__order {
    uint16_t newer;
    uint16_t older;
} tg__order;

/* Rows 1 to count are free, in this order. */
static inline void tg__free_rows_init(tg__order *order, uint16_t count)
{
    for (uint32_t row = 0; row <= count; row++) {
        order[row].newer = (uint16_t)(row == 0 ? count : row - 1);
        order[row].older = (uint16_t)(row == count ? 0 : row + 1);
    }
}

/* The next one; 0: none is free. It stays in the ring. */
static inline uint16_t tg__free_rows_first(const tg__order *order)
{
    return order[0].older;
}

/* Take row, which is free, out of the ring. */
static inline void tg__free_rows_take(tg__order *order, uint16_t row)
{
    order[order[row].newer].older = order[row].older;
    order[order[row].older].newer = order[row].newer;
}

/* The next one to be taken is row. */
static inline void tg__free_rows_give(tg__order *order, uint16_t row)
{
    order[row] = (tg__order){.newer = 0, .older = order[0].older};
    order[order[0].older].newer = row;
    order[0].older = row;
}

#endif
