/* The opened instrument's name, prices, quality, and how it comes. */
#ifndef TG_TERMINAL_QUOTE_PANEL_H
#define TG_TERMINAL_QUOTE_PANEL_H

#include "instrument_view.h"
#include "panel_pen.h"

/* Where the texts stand that the glass check reads back. */
typedef struct quote_cells {
    tg_span venue;
    tg_span symbol;
    tg_span bid_size;
    tg_span bid;
    tg_span ask;
    tg_span ask_size;
    tg_span last;
} quote_cells;

/* Thread: any. */
quote_cells quote_panel_cells(panel_area area);

/* What the spans are laid out by. Zeroed: nothing was drawn. */
typedef struct quote_frame {
    bool known; /* the grid has the panel as it was written in this frame */
    bool opened;
    const tg_palette *palette;
    panel_area area;
} quote_frame;

/* In the frame that *frame has, only the texts are written again. Thread: owner. */
void quote_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                      const instrument_view *shown, quote_frame *frame);

#endif
