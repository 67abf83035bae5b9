/* How the session stands: where to, how far away, what went wrong, what became of the ticks. */
#ifndef TG_TERMINAL_CONNECTION_PANEL_H
#define TG_TERMINAL_CONNECTION_PANEL_H

#include "header_panel.h"
#include "panel_pen.h"

/* Shows what the header has; counts are as old as those there. Thread: owner. */
void connection_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                           const header_view *view, int64_t now_mono_ns);

#endif
