#include "top_ring.h"

#include <stdlib.h>

#include <tickglass/internal/control_flow.h>

void tg__top_ring_deinit(tg__top_ring *ring)
{
    free(ring->tops);
    ring->tops = NULL;
    ring->added = 0;
}

tg_err tg__top_ring_add(tg__top_ring *ring, const tg__top *top)
{
    if (ring->tops == NULL) {
        ring->tops = calloc(TG__TOP_RING_SIZE, sizeof *ring->tops);
        TG_ENSURE(ring->tops != NULL, TG_ERR_NO_MEMORY);
    }
    ring->tops[ring->added % TG__TOP_RING_SIZE] = *top;
    ring->added++;
    return TG_OK;
}

/* From the newest, which is where a match nearly always is. */
const tg__top *tg__top_ring_find(const tg__top_ring *ring, uint64_t id)
{
    for (uint64_t back = 1; back <= ring->added && back <= TG__TOP_RING_SIZE; back++) {
        const tg__top *top = &ring->tops[(ring->added - back) % TG__TOP_RING_SIZE];
        if (top->id == id) {
            return top;
        }
        if (top->id < id) {
            return NULL; /* ids of one instrument ascend */
        }
    }
    return NULL;
}

bool tg__top_is_of(const tg__top *top, const tg__book *book)
{
    for (int side = 0; side < 2; side++) {
        const tg__book_level *best = tg__book_at(book, (tg__book_side)side, 0);
        const tg__book_level *told = &top->sides[side];
        const bool both_empty = best == NULL && told->quantity.mantissa == 0;
        if (!both_empty && (best == NULL || tg__decimal_compare(best->price, told->price) != 0 ||
                            tg__decimal_compare(best->quantity, told->quantity) != 0)) {
            return false;
        }
    }
    return true;
}
