/*
 * The panels beside the watchlist: which are shown, which has the focus, what they remember from
 * pass to pass, and one drawing of all of them from one view.
 */
#ifndef TG_TERMINAL_DESK_H
#define TG_TERMINAL_DESK_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/cell_grid.h>
#include <tickglass/palette.h>

#include "event_log.h"
#include "header_panel.h"
#include "instrument_view.h"
#include "latency_view.h"
#include "layout.h"

typedef struct desk desk;

/* TG_ERR_NO_MEMORY. Nothing is allocated afterwards. Thread: owner, all of these. */
TG_MUST_CHECK tg_err desk_open(desk **out);
/* NULL is allowed. */
void desk_close(desk *desk);

/* Find places for what is shown, in the rows from first_row on. */
void desk_fit(desk *desk, uint16_t columns, uint16_t first_row, uint16_t row_count);
const layout *desk_layout(const desk *desk);

/* Shows the panel or takes it away; one that has the focus gives it back to the watchlist. False:
 * it is wanted now, but there is no room for it after the next fit. */
bool desk_toggle(desk *desk, panel_id panel);

/* The watchlist, then each panel that is on the screen, then the watchlist again. */
void desk_focus_next(desk *desk, bool backwards);
bool desk_focus_is_list(const desk *desk);
/* PANEL_COUNT: the watchlist has it. */
panel_id desk_focus(const desk *desk);
/* Bit i: panel i is wanted. */
uint32_t desk_panels(const desk *desk);
/* These are wanted from now on. */
void desk_show_panels(desk *desk, const bool wanted[PANEL_COUNT]);
void desk_focus_list(desk *desk);
/* The first panel that is shown; the watchlist if there is none. */
void desk_focus_panels(desk *desk);

/* Panels that show the opened instrument are wanted: it is worth its place on the priority channel.
 */
bool desk_wants_instrument(const desk *desk);

/* Another instrument: what was remembered of the one before is forgotten. */
void desk_reset(desk *desk);

/* Take what the view has before it is drawn; sets shown->watch. */
void desk_take(desk *desk, instrument_view *shown);

/* Rows up (over 0) or down in what has the focus; false: that is not the panels' business. What
 * needs a view is done with the next one. */
bool desk_move(desk *desk, int rows);

/* Put the market into the middle of the ladder, with the next view that has one. */
void desk_recentre(desk *desk);

typedef struct desk_scene {
    const instrument_view *instrument;
    const header_view *header;
    const event_log *log;
    const latency_view *latency;
    int64_t now_mono_ns;
    bool retained; /* the grid has the cells of the drawing before, of the same fit */
} desk_scene;

void desk_draw(desk *desk, tg_grid *grid, const tg_palette *palette, const desk_scene *scene);
/* Those that show the opened instrument, in a grid that has the cells of the drawing before. */
void desk_draw_instrument(desk *desk, tg_grid *grid, const tg_palette *palette,
                          const desk_scene *scene);

/* The panel at that cell gets the focus; false: there is none. */
bool desk_focus_at(desk *desk, uint16_t row, uint16_t column);
/* Rows up (over 0) or down in the panel at that cell, which has the focus or not. */
void desk_scroll_at(desk *desk, uint16_t row, uint16_t column, int rows);

#endif
