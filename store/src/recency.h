/**
 * Rows ordered by when they were last raised, newest first, each once.
 *
 * What was raised after a given stamp is found by walking from the front: the cost is that of the
 * answer, however long ago the stamp was. Rows are numbered from 1; 0 is the end. A row with stamp
 * 0 is not in the list. Zeroed storage is an empty list.
 */
#ifndef TICKGLASS_STORE_RECENCY_H
#define TICKGLASS_STORE_RECENCY_H

#include <stdint.h>

typedef struct tg__order {
    uint16_t newer;
    uint16_t older;
} tg__order;

typedef struct tg__recency {
    uint64_t *stamp;  /* by row; never ascending from front to end */
    tg__order *order; /* by row; order[0] closes the ring: older is the front, newer the end */
} tg__recency;

static inline uint16_t tg__recency_front(const tg__recency *list)
{
    return list->order[0].older;
}

/* Put row in front with stamp, which is at least that of every other row. */
void tg__recency_raise(tg__recency *list, uint16_t row, uint64_t stamp);

/* Put row behind another one (0: in front). Its stamp must fit there. */
void tg__recency_place(tg__recency *list, uint16_t behind, uint16_t row, uint64_t stamp);

/* Take row out, if it is in. */
void tg__recency_remove(tg__recency *list, uint16_t row);

#endif
