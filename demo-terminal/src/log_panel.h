/* The client's events as lines, newest first. */
#ifndef TG_TERMINAL_LOG_PANEL_H
#define TG_TERMINAL_LOG_PANEL_H

#include "event_log.h"
#include "panel_pen.h"

/* Lines that fit into an area. Thread: any. */
size_t log_panel_rows(panel_area area);

/* From the line first on, 0 being the newest. Thread: owner. */
void log_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                    const event_log *log, size_t first);

#endif
