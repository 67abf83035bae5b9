/*
 * The last price of the opened instrument over time: in each column of pixels a bar from the lowest
 * to the highest price of that time. Where nothing is known there is no bar.
 */
#ifndef TG_TERMINAL_CHART_PANEL_H
#define TG_TERMINAL_CHART_PANEL_H

#include "chart_columns.h"
#include "instrument_view.h"
#include "panel_pen.h"

/* columns is room to work in, too large for the stack. Thread: owner. */
void chart_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                      const instrument_view *shown, chart_columns *columns);

#endif
