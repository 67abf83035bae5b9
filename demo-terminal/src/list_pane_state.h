/* What the watchlist's pane is made of: for list_pane.c, which shows it, and list_commands.c, which
 * does to it what keys and mouse ask for. */
#ifndef TG_TERMINAL_LIST_PANE_STATE_H
#define TG_TERMINAL_LIST_PANE_STATE_H

#include "list_pane.h"
#include "list_view.h"
#include "price_alert.h"
#include "row_look.h"
#include "row_lookup.h"
#include "search_box.h"

typedef enum pane_mode {
    MODE_LIST,   /* what is typed is the filter */
    MODE_SEARCH, /* the directory lies over the list */
    MODE_ALERT   /* a price is typed for the selected row */
} pane_mode;

/* A row of the watchlist that stands on the screen in this pass. */
typedef struct shown_row {
    size_t index; /* in the feed */
    bool fresh;   /* a version that was not drawn before */
    bool timed; /* the row stood on the screen when that version came: drawing it took that long */
    bool moved; /* another row stood there in the pass before */
    tg_version version;
    fresh_row times;
    row_copy copy; /* view points here */
    watch_view view;
    row_look look; /* as its cells were written last */
} shown_row;

struct list_pane {
    list_pane_parts parts;
    list_view *list;
    column_layout layout;
    column_id cursor; /* column that the keys act on */
    shown_row *shown; /* as many as the grid has rows, as the next two */
    size_t *visible;  /* the feed's rows that are on the screen */
    size_t *before;   /* likewise in the pass before, FEED_NO_ROW where there was none */
    uint16_t grid_rows;
    size_t shown_count;
    size_t written_count; /* rows whose cells the grid still has; 0: it was cleared */
    uint16_t title_row;
    uint64_t pass_number;
    row_key *keys;
    bool order_due;    /* asked for since the view before */
    bool order_is_old; /* the values are not in it any more */
    bool settling;     /* the order of the last run waits for the values of this one */
    pane_mode mode;
    search_box search;
    text_line line;  /* the alert's price */
    size_t line_row; /* the alert's row of the feed */
    char line_label[TG_SYMBOL_SIZE + 32];
    panel_area area;
    bool copy_cell_due;
    bool copy_row_due;
    bool export_due;
    price_alerts alerts;
    char notice[FEED_NOTICE_SIZE];
    bool notice_is_bad;
};

/* Kept for the bottom line; row, which may be NULL, is named before it. Thread: owner, as the next
 * one. */
void list_pane_say(list_pane *pane, bool bad, const char *what, const watch_row *row);
watch_row *list_pane_row(list_pane *pane, size_t index);

#endif
