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

#endif
