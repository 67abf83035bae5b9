/* Bars in a rectangle of cells, in columns finer than these: what plots of a panel are made of. */
#ifndef TG_TERMINAL_PLOT_AREA_H
#define TG_TERMINAL_PLOT_AREA_H

#include <stdint.h>

#include <tickglass/plot_cell.h>

#include "panel_pen.h"

#define PLOT_AREA_WIDTH_MAX 256 /* cells */

/* Row and column count from the panel's corner. */
typedef struct plot_area {
    const panel_pen *pen;
    uint16_t row;
    uint16_t column;
    uint16_t width;
    uint16_t rows;
} plot_area;

/* Levels of the whole plot from its top down, both ends included; nothing where top > bottom. */
typedef struct plot_range {
    uint32_t top;
    uint32_t bottom;
} plot_range;

#define PLOT_RANGE_NONE ((plot_range){1, 0})

/* Thread: owner, all of these. */
uint32_t plot_area_columns(const plot_area *area);
uint32_t plot_area_levels(const plot_area *area);

/* The cells over each other at cell, of which ranges has TG_PLOT_COLUMNS columns; cells without a
 * bar stay as they are. */
void plot_area_draw(const plot_area *area, uint16_t cell, const plot_range *ranges,
                    uint32_t colour);

/* All of them in one colour; ranges has plot_area_columns(). */
void plot_area_draw_all(const plot_area *area, const plot_range *ranges, uint32_t colour);

/* A line over the whole width, to be drawn first. */
void plot_area_line(const plot_area *area, uint32_t level, uint32_t colour);

#endif
