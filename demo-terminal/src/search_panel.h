/* The search in the gateway's directory, drawn in the watchlist's place. */
#ifndef TG_TERMINAL_SEARCH_PANEL_H
#define TG_TERMINAL_SEARCH_PANEL_H

#include <stdbool.h>
#include <stddef.h>

#include "feed.h"
#include "panel_pen.h"
#include "text_line.h"

/* Title, what was typed, what came of it. */
#define SEARCH_PANEL_LINES_ABOVE 3

typedef struct search_view {
    const char *text; /* what was typed */
    feed *feed;       /* its search, and what is listed already */
    size_t selected;  /* result */
    size_t top;       /* the first one that is drawn */
    bool focused;     /* keys go there */
} search_view;

/* Results that an area has room for. Thread: any. */
size_t search_panel_rows(panel_area area);

/* Thread: owner. */
void search_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area,
                       const search_view *shown);

#endif
