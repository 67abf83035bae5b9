/* How the bars of a plot cell lie in its bytes, and how they become pixels. */
#ifndef TICKGLASS_RENDER_PLOT_CELL_H
#define TICKGLASS_RENDER_PLOT_CELL_H

#include <tickglass/plot_cell.h>

#include "canvas.h"

/* Thread: any. */
void tg__plot_cell_pack(const tg_plot_bar bars[TG_PLOT_COLUMNS], char text[TG_CELL_TEXT_SIZE]);

/* Paints the cell over the pixels of at. Thread: owner. */
void tg__plot_cell_paint(const tg_cell *cell, tg__canvas *canvas, tg__rect at);

/*
 * The rectangles of its bars, in the foreground colour, where the cell lies at that place: inside
 * of it, from left to right. Returns how many. Thread: any.
 */
size_t tg__plot_cell_bars(const tg_cell *cell, tg__rect at, tg__rect bars[TG_PLOT_COLUMNS]);

#endif
