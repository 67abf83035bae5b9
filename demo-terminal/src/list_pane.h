/*
 * The left side of the screen: the watchlist, the search that lies over it, and the line that is
 * being typed. Everything that is done to the watchlist by keys or mouse comes here.
 */
#ifndef TG_TERMINAL_LIST_PANE_H
#define TG_TERMINAL_LIST_PANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/palette.h>
#include <tickglass/window.h>

#include "drawn_text.h"
#include "feed.h"
#include "glass_check.h"
#include "glass_times.h"
#include "latency.h"
#include "saved_state.h"
#include "session_record.h"

typedef struct list_pane list_pane;

typedef struct list_pane_parts {
    tg_window *window;
    feed *feed;
    session_record *record; /* may be NULL */
    glass_check *check;
    glass_times *times;
    latency *latency;
} list_pane_parts;

/* The parts must outlive the pane. TG_ERR_NO_MEMORY. Thread: owner, all of these. */
TG_MUST_CHECK tg_err list_pane_open(const list_pane_parts *parts, uint16_t grid_rows,
                                    list_pane **out);
/* NULL is allowed. */
void list_pane_close(list_pane *pane);

/* Another height of the grid. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err list_pane_resize(list_pane *pane, uint16_t grid_rows);
/* What was on the screen may have been out of sight for long. */
void list_pane_forget(list_pane *pane);

/* --- one pass --- */

typedef struct list_pane_pass {
    tg_grid *grid;
    const tg_palette *palette;
    const tg_view *view;
    int64_t now_mono_ns;
    int64_t now_utc_ns;
    uint16_t title_row;
    uint16_t width; /* 0: the panels have its place */
    bool focused;
    bool covered;  /* the help lies over it: nothing is drawn */
    bool retained; /* the grid has the cells of the pass before, and nobody has done anything since:
                      rows that look as they did need not be written again */
} list_pane_pass;

/* Rows that may be old are counted into *suspect_count if they are more. Returns when a flash
 * fades, INT64_MAX if none does. */
int64_t list_pane_draw(list_pane *pane, const list_pane_pass *pass, size_t *suspect_count);
/*
 * Between two such passes: one row of the feed alone, of which nothing is asked where it is not on
 * the screen. *next_mono_ns is as above. False: that does not do, the whole list is to be drawn.
 */
bool list_pane_draw_one(list_pane *pane, const list_pane_pass *pass, size_t index,
                        int64_t *next_mono_ns);
/* Judges the rows that the list touches by the text that stands on the glass, and records what
 * came out of it. pass: as it is numbered in the record. */
void list_pane_look(list_pane *pane, const drawn_text *drawn, const tg_draw_list *list,
                    uint64_t pass);
/* What was fresh in this pass has been handed over. */
void list_pane_note(list_pane *pane, const pass_stamps *stamps);
/* Records which rows stand on the screen, from the first line down, and with which versions. */
void list_pane_record(const list_pane *pane, uint64_t pass);
/* How the list is looked at. Its texts are the pane's: good until something is done to it. */
list_choice list_pane_choice(const list_pane *pane);

typedef struct list_pane_counts {
    size_t rows_with_data;
    size_t suspect;
} list_pane_counts;

/* Looks at all rows, seen or not. live: the session is, so that a row which gets old is news. */
list_pane_counts list_pane_count(list_pane *pane, const tg_view *view, int64_t now_mono_ns,
                                 bool live);

/* --- what is done to it --- */

typedef enum list_action {
    LIST_COLUMN_LEFT,
    LIST_COLUMN_RIGHT,
    LIST_SORT,       /* by the column that the keys act on; once more: the other way round */
    LIST_SORT_AGAIN, /* as before, with the values of now */
    LIST_SORT_NONE,
    LIST_COLUMN_OFF,
    LIST_COLUMNS_ALL,
    LIST_SEARCH,
    LIST_ALERT,
    LIST_REMOVE,
    LIST_COPY_CELL,
    LIST_COPY_ROW,
    LIST_EXPORT
} list_action;

/* What needs a view is done with the next one. */
void list_pane_do(list_pane *pane, list_action action);

/* UTF-8 goes to the search, the alert's price or the filter. False: nothing has changed. */
bool list_pane_type(list_pane *pane, const char *text);
bool list_pane_rub_out(list_pane *pane);
/* Something is being typed: a blank belongs to it. */
bool list_pane_is_typing(const list_pane *pane);
/* Enter. False: the selected row is to be opened. */
bool list_pane_enter(list_pane *pane);
/* Esc: closes or clears the topmost of all that. False: there is nothing. */
bool list_pane_go_back(list_pane *pane);
void list_pane_move(list_pane *pane, int rows_down);
void list_pane_page(list_pane *pane, int pages_down);
void list_pane_scroll(list_pane *pane, int rows_down);

/* A click into the pane, as it stands on the screen. True: the row is to be opened. */
bool list_pane_click(list_pane *pane, uint16_t row, uint16_t column, unsigned clicks);

/* A row of the feed, FEED_NO_ROW where none is shown. */
size_t list_pane_selected(const list_pane *pane);
void list_pane_select(list_pane *pane, size_t index);
/* The reader has seen that its price crossed. */
void list_pane_confirm(list_pane *pane, size_t index);

/* For the footer. */
typedef struct list_pane_line {
    size_t first_row;
    size_t shown_count;
    size_t row_count; /* that the filter leaves */
    size_t total;
    const char *label; /* NULL: nothing is typed */
    const char *text;
} list_pane_line;

list_pane_line list_pane_footer(const list_pane *pane);

/* What there is to say, once. False: nothing. */
bool list_pane_take_notice(list_pane *pane, char text[FEED_NOTICE_SIZE], bool *bad);

/* --- from run to run --- */

/* At the beginning; what a full list has no room for is left out and said. */
void list_pane_restore(list_pane *pane, const saved_state *from);
void list_pane_save(list_pane *pane, saved_state *to);

#endif
