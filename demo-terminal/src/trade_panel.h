/* Time & sales: the trades that were seen of the opened instrument, newest first. */
#ifndef TG_TERMINAL_TRADE_PANEL_H
#define TG_TERMINAL_TRADE_PANEL_H

#include <tickglass/price_text.h>

#include "instrument_view.h"
#include "panel_pen.h"
#include "trade_list.h"

/* Entries that fit into an area. Thread: any. */
size_t trade_panel_rows(panel_area area);

/* All that the lines below the title come from. Zeroed: nothing is known of them. */
typedef struct trade_look {
    bool known; /* the grid has the lines as they were written with this look */
    bool there; /* an instrument is, so that there are lines */
    bool suspect;
    const tg_palette *palette;
    panel_area area;
    tg_price_style style;
    int8_t quantity_exponent;
    size_t first;
    size_t count;
    uint64_t dropped;
    trade_entry newest; /* the only one that changes while it is listed */
} trade_look;

/*
 * From the entry first on, 0 being the newest. Lines whose look is *look are not written again;
 * *look is then theirs. Thread: owner.
 */
void trade_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                      const instrument_view *shown, const trade_list *list, size_t first,
                      trade_look *look);

#endif
