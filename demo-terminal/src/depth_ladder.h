/*
 * The book of the opened instrument on a price axis that stands still: bids left, asks right of the
 * prices. Where no book comes, the best bid and ask stand on the axis and the panel says so.
 */
#ifndef TG_TERMINAL_DEPTH_LADDER_H
#define TG_TERMINAL_DEPTH_LADDER_H

#include <tickglass/price_text.h>

#include "instrument_view.h"
#include "ladder_axis.h"
#include "panel_pen.h"

/* The cells of one row of the axis. */
typedef struct ladder_cells {
    tg_span bid_size;
    tg_span price;
    tg_span mark; /* of the last trade */
    tg_span ask_size;
} ladder_cells;

/* Rows of the axis in an area. Thread: any. */
size_t depth_ladder_rows(panel_area area);
ladder_cells depth_ladder_cells(panel_area area, size_t row);
/* Where the heads stand: that of the prices is "price" as long as the axis has both best ones. */
ladder_cells depth_ladder_heads(panel_area area);
/* The line below the axis. */
tg_span depth_ladder_source(panel_area area);

/* Puts the market into the middle, between best bid and ask; false if there is none. Thread: owner.
 */
bool depth_ladder_recentre(ladder_axis *axis, const instrument_view *shown);

/* What every row of the axis is drawn by. */
typedef struct ladder_frame {
    bool known; /* the grid has the panel as it was written in this frame */
    bool there; /* an instrument is, so that there are rows */
    bool suspect;
    const tg_palette *palette;
    panel_area area;
    tg_price_style style;
    int8_t quantity_exponent;
} ladder_frame;

/* One side of a row; no level: nothing. */
typedef struct ladder_size {
    bool there;
    bool best;
    bool has_quantity;
    uint16_t bar; /* cells */
    int64_t quantity;
} ladder_size;

/* What a row of the axis shows. */
typedef struct ladder_line {
    bool has_price;
    bool has_last; /* the last trade was here */
    int8_t last_direction;
    int64_t price;
    ladder_size bid;
    ladder_size ask;
} ladder_line;

/* From pass to pass. Zeroed: nothing was drawn. */
typedef struct ladder_memory {
    ladder_frame frame;
    ladder_line line[LADDER_ROWS_MAX]; /* as they were written */
} ladder_memory;

/* Centres by itself the first time and in another scale only. Rows that look as they did are not
 * written again. Thread: owner. */
void depth_ladder_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                       const instrument_view *shown, ladder_axis *axis, ladder_memory *memory);

#endif
