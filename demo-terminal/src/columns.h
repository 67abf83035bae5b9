/* Where the columns of the watchlist stand. Widths grow with what has to be shown and never shrink:
 * nothing moves to and fro. */
#ifndef TG_TERMINAL_COLUMNS_H
#define TG_TERMINAL_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/cell_grid.h>

typedef enum column_id {
    COLUMN_VENUE,
    COLUMN_SYMBOL,
    COLUMN_BID_SIZE,
    COLUMN_BID, /* the three prices have one more cell behind them: the arrow */
    COLUMN_ASK,
    COLUMN_ASK_SIZE,
    COLUMN_LAST,
    COLUMN_CHANGE,
    COLUMN_PERCENT,
    COLUMN_QUALITY,
    COLUMN_AGE,
    COLUMN_COUNT
} column_id;

typedef struct column_layout {
    uint16_t wanted[COLUMN_COUNT]; /* the widest that had to be shown; without the arrow */
    uint16_t width[COLUMN_COUNT];  /* given, the same where there is room */
    uint16_t start[COLUMN_COUNT];  /* of the columns that are shown */
    bool shown[COLUMN_COUNT];
    bool off[COLUMN_COUNT]; /* taken away by the reader */
    uint16_t total;         /* cells of the grid that start was made for */
    bool grew;              /* a wish has grown since: the layout is to be fitted again */
} column_layout;

/* Thread: owner, all of them. */
void columns_init(column_layout *layout);

/* The column needs that many cells. */
void columns_want(column_layout *layout, column_id column, uint16_t width);

/*
 * Make the layout for total cells. What does not fit is left out: the change first, then sizes, per
 * cent, venue; never the age. If that is not enough, the widest of symbol and prices become
 * narrower: what has no room then is "####", but what says how old it is stays.
 */
void columns_fit(column_layout *layout, uint16_t total);

/*
 * The cells of a column that is shown, in that row of the grid. One that the layout's edge cuts is
 * narrower: what has no room then is "####". Thread: owner.
 */
tg_span columns_span(const column_layout *layout, column_id column, uint16_t grid_row);

/* The column at that cell of a row, its arrow included, or COLUMN_COUNT. Thread: owner. */
column_id columns_at(const column_layout *layout, uint16_t cell);

/* The next column that is shown, the one before for backwards; around the ends. Thread: owner. */
column_id columns_next(const column_layout *layout, column_id from, bool backwards);

const char *column_title(column_id column);
/* What files and the saved state call it: no blanks. */
const char *column_name(column_id column);
/* COLUMN_COUNT: there is none of that name. */
column_id column_find(const char *name, size_t length);
/* Who it is, and how old and how good what is shown: these are always there. */
bool column_may_be_off(column_id column);
bool column_has_arrow(column_id column);
bool column_is_number(column_id column);

#endif
