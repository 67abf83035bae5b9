/*
 * What passes drew, packed for the record: the first one of a file whole, the others as they were
 * drawn, and one that is whole again at least every ten seconds, so that a reader may begin in the
 * middle. They are numbered: one that is missing is noticed, and later ones are not drawn over it.
 */
#ifndef TG_TERMINAL_PICTURE_CHAIN_H
#define TG_TERMINAL_PICTURE_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/cell_grid.h>
#include <tickglass/err.h>

#define PICTURE_CHAIN_WHOLE_NS INT64_C(10000000000)
/* Of one picture: ten times what a watchlist in the smallest letters takes on a 4K display. */
#define PICTURE_CHAIN_BYTES_MAX (UINT32_C(1) << 20)

typedef struct picture_chain picture_chain;

/* TG_ERR_NO_MEMORY. Thread: owner, all of these. */
TG_MUST_CHECK tg_err picture_chain_open(picture_chain **out);
/* NULL is allowed. */
void picture_chain_close(picture_chain *chain);

/* A file begins: what is packed next is whole. */
void picture_chain_begin(picture_chain *chain);

typedef struct chained_picture {
    uint64_t number;            /* from 0, of its file */
    bool whole;                 /* a full list: nothing of before is needed */
    const unsigned char *bytes; /* draw_pack.h; the chain's, until the next one */
    size_t size;
} chained_picture;

/*
 * list: what the pass drew, the latest damage of grid. Allocates nothing. TG_ERR_BUFFER_TOO_SMALL,
 * TG_ERR_INVALID_ARGUMENT (draw_pack): out then has a number and no bytes, and the next one is
 * whole.
 */
TG_MUST_CHECK tg_err picture_chain_next(picture_chain *chain, const tg_draw_list *list,
                                        tg_grid *grid, int64_t now_mono_ns, chained_picture *out);

#endif
