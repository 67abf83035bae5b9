/**
 * Rows ordered by when they were last raised, newest first, each once.
 *
 * What was raised after a given stamp is found by walking from the front: the cost is that of the
 * answer, however long ago the stamp was. Rows are numbered from 1; 0 is the end. A row with stamp
 * 0 is not in the list. Zeroed storage is an empty list.
 */
#ifndef TICKGLASS_STORE_RECENCY_H
#define TICKGLASS_STORE_RECENCY_H

#include <stddef.h>
#include <stdint.h>

typedef struct tg__order {
    uint16_t newer;
    uint16_t older;
} tg__order;

typedef struct tg__recency {
    uint64_t *stamp;  /* of row 0; never ascending from front to end */
    size_t stride;    /* in stamps, from row to row: they may lie within larger rows */
    tg__order *order; /* by row; order[0] closes the ring: older is the front, newer the end */
} tg__recency;

static inline uint64_t tg__recency_stamp(const tg__recency *list, uint16_t row)
{
    return list->stamp[row * list->stride];
}

static inline uint16_t tg__recency_front(const tg__recency *list)
{
    return list->order[0].older;
}

/* Take row out, if it is in. */
static inline void tg__recency_remove(tg__recency *list, uint16_t row)
{
    if (tg__recency_stamp(list, row) == 0) {
        return;
    }
    const tg__order at = list->order[row];
    list->order[at.newer].older = at.older;
    list->order[at.older].newer = at.newer;
    list->stamp[row * list->stride] = 0;
}

/* Put row behind another one (0: in front). Its stamp must fit there. */
static inline void tg__recency_place(tg__recency *list, uint16_t behind, uint16_t row,
                                     uint64_t stamp)
{
    tg__recency_remove(list, row);
    const uint16_t next = list->order[behind].older;
    list->order[row] = (tg__order){.newer = behind, .older = next};
    list->order[behind].older = row;
    list->order[next].newer = row;
    list->stamp[row * list->stride] = stamp;
}

/* Put row in front with stamp, which is at least that of every other row. */
static inline void tg__recency_raise(tg__recency *list, uint16_t row, uint64_t stamp)
{
    /* Raised in this round already: the order among equals has no meaning. */
    if (tg__recency_stamp(list, row) != stamp) {
        tg__recency_place(list, 0, row, stamp);
    }
}

#endif
