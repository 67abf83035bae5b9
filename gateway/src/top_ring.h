/** The venue's own best bid and ask of late, by its id: what a rebuilt book is compared with. */
#ifndef TG_GATEWAY_TOP_RING_H
#define TG_GATEWAY_TOP_RING_H

#include <stdbool.h>

#include "book.h"

#define TG__TOP_RING_SIZE 4096u /* full: the oldest is overwritten */

typedef struct tg__top {
    uint64_t id;
    tg__book_level sides[2]; /* by tg__book_side; quantity 0: the side is empty */
} tg__top;

/* All zero is an empty ring. */
typedef struct tg__top_ring {
    tg__top *tops; /* allocated with the first */
    uint64_t added;
} tg__top_ring;

void tg__top_ring_deinit(tg__top_ring *ring);

/* TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__top_ring_add(tg__top_ring *ring, const tg__top *top);

/* NULL: none with that id. */
const tg__top *tg__top_ring_find(const tg__top_ring *ring, uint64_t id);

/* Price and quantity of both sides are equal, by value. */
bool tg__top_is_of(const tg__top *top, const tg__book *book);

#endif
