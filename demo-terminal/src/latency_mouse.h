/* The mouse in the latency panel. */
#ifndef TG_TERMINAL_LATENCY_MOUSE_H
#define TG_TERMINAL_LATENCY_MOUSE_H

#include "latency_view.h"
#include "layout.h"

/* A cell of the grid; view is what the panel shows there. Thread: owner, both. */

/* On a stage of the table: its plots are drawn. On the time line: the window there stands in the
 * middle of the span. Elsewhere nothing changes. */
void latency_mouse_click(latency_span *span, panel_area area, const latency_view *view,
                         uint16_t row, uint16_t column);

/* Up: a shorter span, down: a longer one; on the time line around the window that is there. False:
 * the cell is not the panel's. */
bool latency_mouse_wheel(latency_span *span, panel_area area, const latency_view *view,
                         uint16_t row, uint16_t column, int rows_up);

#endif
