#include "plot_area.h"

#include <stdbool.h>
#include <stddef.h>

uint32_t plot_area_columns(const plot_area *area)
{
    return (uint32_t)area->width * TG_PLOT_COLUMNS;
}

uint32_t plot_area_levels(const plot_area *area)
{
    return (uint32_t)area->rows * TG_PLOT_LEVELS;
}

/* The part of a range that lies in one row of cells. */
static tg_plot_bar bar_in_row(plot_range range, uint16_t row)
{
    const uint32_t first = (uint32_t)row * TG_PLOT_LEVELS;
    if (range.top > range.bottom || range.bottom < first || range.top >= first + TG_PLOT_LEVELS) {
        return TG_PLOT_BAR_NONE;
    }
    const uint32_t end = range.bottom - first;
    const tg_plot_bar part = {(uint8_t)(range.top > first ? range.top - first : 0),
                              (uint8_t)(end < TG_PLOT_LEVELS ? end : TG_PLOT_LEVELS - 1)};
    return part;
}

void plot_area_draw(const plot_area *area, uint16_t cell, const plot_range *ranges, uint32_t colour)
{
    for (uint16_t row = 0; row < area->rows; row++) {
        tg_plot_bar bars[TG_PLOT_COLUMNS];
        bool any = false;
        for (size_t i = 0; i < TG_PLOT_COLUMNS; i++) {
            bars[i] = bar_in_row(ranges[i], row);
            any = any || tg_plot_bar_is_drawn(bars[i]);
        }
        const tg_span span =
            panel_span(area->pen, (uint16_t)(area->row + row), (uint16_t)(area->column + cell), 1);
        if (any && span.width > 0) {
            tg_grid_plot(area->pen->grid, span.row, span.column, panel_style(area->pen, colour),
                         bars);
        }
    }
}

void plot_area_draw_all(const plot_area *area, const plot_range *ranges, uint32_t colour)
{
    for (uint16_t cell = 0; cell < area->width; cell++) {
        plot_area_draw(area, cell, ranges + (size_t)cell * TG_PLOT_COLUMNS, colour);
    }
}

void plot_area_line(const plot_area *area, uint32_t level, uint32_t colour)
{
    plot_range line[TG_PLOT_COLUMNS];
    for (size_t i = 0; i < TG_PLOT_COLUMNS; i++) {
        line[i] = i % (TG_PLOT_COLUMNS / 2) == 0 ? (plot_range){level, level} : PLOT_RANGE_NONE;
    }
    for (uint16_t cell = 0; cell < area->width; cell++) {
        plot_area_draw(area, cell, line, colour);
    }
}
