/* Draws the watchlist into cells, and says where a drawn row's texts stand. */
#ifndef TG_TERMINAL_WATCHLIST_PANEL_H
#define TG_TERMINAL_WATCHLIST_PANEL_H

#include <tickglass/cell_grid.h>
#include <tickglass/palette.h>
#include <tickglass/store.h>

#include "columns.h"
#include "watch_row.h"

/* Stands in front of a row whose price has crossed what was waited for. */
#define WATCHLIST_ALARM "\xE2\x97\x86"

/* What is known about a row in the view that is being drawn. */
typedef struct watch_view {
    const char *venue;
    const char *symbol;
    const tg_instrument *instrument; /* NULL: not known (yet) */
    const tg_row *row;               /* NULL: no image */
    const char *word;                /* quality, or why there is nothing */
    bool selected;
    bool alarmed; /* a price that was waited for has been crossed */
} watch_view;

/* What the titles say beside their names. */
typedef struct watchlist_titles {
    bool focused;
    column_id cursor; /* what the keys act on; COLUMN_COUNT: none */
    column_id sorted; /* COLUMN_COUNT: the rows stand in the list's own order */
    bool descending;
    bool order_is_old; /* the values are not in that order any more */
} watchlist_titles;

/* The line of column titles, as wide as the layout. Thread: owner. */
void watchlist_draw_titles(tg_grid *grid, uint16_t grid_row, const column_layout *layout,
                           const tg_palette *palette, const watchlist_titles *titles);

/*
 * One row. The layout's wishes grow with what had no room; it is then to be fitted before the next
 * pass. Thread: owner.
 */
void watchlist_draw_row(tg_grid *grid, uint16_t grid_row, column_layout *layout,
                        const tg_palette *palette, const watch_row *watch, const watch_view *view,
                        int64_t now_mono_ns);

#endif
