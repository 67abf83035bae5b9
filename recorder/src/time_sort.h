/** Sorting references to records by time, stable, in time that is linear in their number. */
#ifndef TICKGLASS_TIME_SORT_H
#define TICKGLASS_TIME_SORT_H

#include <stddef.h>
#include <stdint.h>

/** Where a record lies, and its time. */
typedef struct tg__timed {
    int64_t order_ns;
    uint32_t stream;
    uint32_t place;
} tg__timed;

/**
 * Sort by order_ns; those of one time keep their order.
 * @param[in] spare  room for count of them
 * Returns where the sorted ones are: items or spare.
 */
tg__timed *tg__time_sort(tg__timed *items, tg__timed *spare, size_t count);

#endif
