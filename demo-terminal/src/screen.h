/*
 * One pass: pins one view, writes the cells that it may have changed, draws what differs, hands it
 * over, and then looks at what was drawn.
 */
#ifndef TG_TERMINAL_SCREEN_H
#define TG_TERMINAL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/palette.h>
#include <tickglass/window.h>

#include "feed.h"
#include "glass_check.h"
#include "glass_times.h"
#include "latency.h"
#include "layout.h"
#include "list_pane.h"
#include "pass_pace.h"
#include "saved_state.h"
#include "session_record.h"

typedef struct screen screen;

typedef struct screen_parts {
    tg_window *window;
    feed *feed;
    session_record *record; /* may be NULL */
    glass_check *check;
    glass_times *times;
    latency *latency;
    const tg_palette *palette;
    const char *endpoint;
    bool has_tape;
} screen_parts;

/* The parts must outlive the screen. TG_ERR_NO_MEMORY, TG_ERR_READERS. Thread: owner. */
TG_MUST_CHECK tg_err screen_open(const screen_parts *parts, screen **out);
/* NULL is allowed. Thread: owner. */
void screen_close(screen *screen);

/*
 * *extent: how much is asked for; then how much was shown, as a pass for the cells of the priority
 * channel that finds other news as well is a whole one. TG_ERR_WINDOW: the window system refused;
 * TG_ERR_NO_MEMORY. Thread: owner.
 */
TG_MUST_CHECK tg_err screen_pass(screen *screen, pass_extent *extent);

/* Somebody has done something to the screen: the next pass is a whole one and writes every cell.
 * Thread: owner. */
void screen_write_anew(screen *screen);

/* When the picture changes without anything arriving: a flash fades, a second passes. Thread:
 * owner. */
int64_t screen_next_change_mono_ns(const screen *screen);

/* The window's size or its picture is not what it was. TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err screen_refit(screen *screen);

typedef enum screen_move {
    MOVE_UP,
    MOVE_DOWN,
    MOVE_PAGE_UP,
    MOVE_PAGE_DOWN,
    MOVE_FIRST,
    MOVE_LAST
} screen_move;

/* Thread: owner, all of these. */
void screen_select_row(screen *screen, size_t index);
/* Of the feed; FEED_NO_ROW where none is shown. */
size_t screen_selected_row(const screen *screen);
void screen_move_in_focus(screen *screen, screen_move move);
void screen_focus_next(screen *screen, bool backwards);
/* Enter: what is being typed is done; else the selected instrument goes into the panels, which get
 * the focus. */
void screen_open_selected(screen *screen);
/* From the help to what was there before, from the panels to the watchlist, from search, filter and
 * alarm to the list without them; false: nothing is left to go back from. */
bool screen_go_back(screen *screen);
void screen_recentre(screen *screen);
void screen_toggle_panel(screen *screen, panel_id panel);
void screen_toggle_help(screen *screen);
/* Its keys go to the latency panel. */
bool screen_latency_has_focus(const screen *screen);
/* Stands in the footer until the client has something newer to say. text is copied. */
void screen_notice(screen *screen, const char *text, bool bad);

/* What is done to the watchlist; not while another panel has the focus. */
void screen_list(screen *screen, list_action action);
/* Text that was typed, UTF-8; it goes to the watchlist, which gets the focus. */
void screen_type(screen *screen, const char *text);
void screen_rub_out(screen *screen);
/* Something is being typed: a blank belongs to it. */
bool screen_is_typing(const screen *screen);
/* At a cell of the grid. */
void screen_click(screen *screen, uint16_t row, uint16_t column, unsigned clicks);
void screen_wheel(screen *screen, uint16_t row, uint16_t column, int rows_up);
void screen_set_palette(screen *screen, const tg_palette *palette);
const tg_palette *screen_palette(const screen *screen);
/* The text stands in one row of what was drawn last. */
bool screen_shows(const screen *screen, const char *text);

/* Draw again all that the last pass has written, as if nothing of it had been drawn before.
 * TG_ERR_WINDOW. */
TG_MUST_CHECK tg_err screen_redraw(screen *screen);

/* What is kept of the watchlist from run to run. */
void screen_restore(screen *screen, const saved_state *from);
void screen_save(const screen *screen, saved_state *to);

typedef struct screen_counts {
    uint64_t passes; /* that had anything to draw */
    uint64_t cells_drawn;
    size_t rows_with_data; /* of the last pass that counted all rows */
} screen_counts;

screen_counts screen_counts_get(const screen *screen);

#endif
