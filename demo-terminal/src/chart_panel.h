/*
 * The last price of the opened instrument over time: in each column of pixels a bar from the lowest
 * to the highest price of that time. Where nothing is known there is no bar.
 */
#ifndef TG_TERMINAL_CHART_PANEL_H
#define TG_TERMINAL_CHART_PANEL_H

#include "chart_columns.h"
#include "instrument_view.h"
#include "panel_pen.h"

/* All that a chart's cells come from, so finely as they show it. */
typedef struct chart_look {
    const tg_palette *palette;
    panel_area area;
    tg_instrument instrument;
    tg_quality quality;
    int64_t age_s;
    int64_t now_s; /* UTC, as the next one */
    int64_t begin_s;
    int64_t now_column;
    int64_t end_column; /* of the newest point */
    int64_t span_ns;
    int64_t first_begin_mono_ns; /* of the oldest point; those between do not change */
    int64_t last_begin_mono_ns;
    int64_t value[4]; /* first, last, min, max of the newest point */
    int64_t last_price;
    size_t history_count;
    uint32_t present;
    bool focused;
    bool there;
    bool has_history;
    bool has_last_price;
    bool silent; /* the newest price may not hold any more */
} chart_look;

/* From pass to pass. Zeroed: nothing was drawn. */
typedef struct chart_memory {
    chart_columns columns;
    chart_look look;
    bool known; /* the grid has the chart as it was written with this look */
} chart_memory;

/* A chart that looks as it did is not written again. Thread: owner. */
void chart_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                      const instrument_view *shown, chart_memory *memory);

#endif
