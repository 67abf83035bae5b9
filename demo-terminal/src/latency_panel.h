/* What the stages take, in any window of the last hour, and what stalled the process meanwhile. */
#ifndef TG_TERMINAL_LATENCY_PANEL_H
#define TG_TERMINAL_LATENCY_PANEL_H

#include "latency_view.h"
#include "panel_pen.h"

/* What it takes to show all of its parts. */
#define LATENCY_PANEL_ROWS 26

/* Thread: owner. */
void latency_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                        const latency_view *view);

/* Whose row of the table that row of the grid is; false: none's. Thread: owner, both. */
bool latency_panel_stage_at(panel_area area, uint16_t row, latency_stage *stage);

/* Which of stage_windows_at() stands there on the time line; false: none does. */
bool latency_panel_window_at(panel_area area, const latency_view *view, uint16_t row,
                             uint16_t column, size_t *index);

#endif
