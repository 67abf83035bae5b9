#include "picture_chain.h"

#include <stdlib.h>

#include "draw_pack.h"

struct picture_chain {
    uint64_t number; /* of the next one */
    bool has_whole;
    int64_t whole_mono_ns; /* of the latest whole one */
    tg_draw_run rows[TG_GRID_SIDE_MAX];
    unsigned char bytes[PICTURE_CHAIN_BYTES_MAX];
};

tg_err picture_chain_open(picture_chain **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? TG_OK : TG_ERR_NO_MEMORY;
}

void picture_chain_close(picture_chain *chain)
{
    free(chain);
}

void picture_chain_begin(picture_chain *chain)
{
    chain->number = 0;
    chain->has_whole = false;
}

/* All cells, a run for each row. */
static tg_draw_list whole_list(picture_chain *chain, const tg_draw_list *list, tg_grid *grid)
{
    tg_draw_list whole = *list;
    for (uint16_t row = 0; row < list->rows; row++) {
        chain->rows[row] = (tg_draw_run){row, 0, list->columns, (uint32_t)row * list->columns};
    }
    whole.full = true;
    whole.run_count = list->rows;
    whole.cell_count = (size_t)list->rows * list->columns;
    whole.runs = chain->rows;
    whole.cells = tg_grid_drawn(grid);
    return whole;
}

tg_err picture_chain_next(picture_chain *chain, const tg_draw_list *list, tg_grid *grid,
                          int64_t now_mono_ns, chained_picture *out)
{
    const bool due =
        !chain->has_whole || now_mono_ns - chain->whole_mono_ns >= PICTURE_CHAIN_WHOLE_NS;
    const tg_draw_list packed = due && !list->full ? whole_list(chain, list, grid) : *list;
    *out =
        (chained_picture){.number = chain->number++, .whole = packed.full, .bytes = chain->bytes};
    const tg_err err = draw_pack(&packed, chain->bytes, sizeof chain->bytes, &out->size);
    if (err != TG_OK) {
        chain->has_whole = false;
    } else if (packed.full) {
        chain->has_whole = true;
        chain->whole_mono_ns = now_mono_ns;
    }
    return err;
}
