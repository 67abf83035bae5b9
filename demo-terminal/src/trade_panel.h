/* Time & sales: the trades that were seen of the opened instrument, newest first. */
#ifndef TG_TERMINAL_TRADE_PANEL_H
#define TG_TERMINAL_TRADE_PANEL_H

#include "instrument_view.h"
#include "panel_pen.h"
#include "trade_list.h"

/* Entries that fit into an area. Thread: any. */
size_t trade_panel_rows(panel_area area);

/* From the entry first on, 0 being the newest. Thread: owner. */
void trade_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                      const instrument_view *shown, const trade_list *list, size_t first);

#endif
