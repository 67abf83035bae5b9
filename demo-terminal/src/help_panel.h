/* The pages behind F1. They take the place of the watchlist, so that no price is half covered. */
#ifndef TG_TERMINAL_HELP_PANEL_H
#define TG_TERMINAL_HELP_PANEL_H

#include <tickglass/cell_grid.h>
#include <tickglass/palette.h>

/* The keys, then what the screen says, in as many pages as that many lines take. Thread: any. */
unsigned help_pages(uint16_t row_count);

/* From first_row down, row_count lines; page from 0. Thread: owner. */
void help_draw(tg_grid *grid, uint16_t first_row, uint16_t row_count, const tg_palette *palette,
               unsigned page);

#endif
