/* What a pinned view has of a row of the watchlist, or why it has nothing. */
#ifndef TG_TERMINAL_ROW_LOOKUP_H
#define TG_TERMINAL_ROW_LOOKUP_H

#include <stdint.h>

#include <tickglass/store.h>

#include "feed.h"
#include "watchlist_panel.h"

typedef struct row_copy {
    tg_row row;
    tg_instrument instrument;
} row_copy;

/* The result points to *copy, which is filled in where there is something, to watch and into the
 * view. Thread: owner. */
watch_view row_lookup(feed *from, const tg_view *view, const watch_row *watch, int64_t now_mono_ns,
                      row_copy *copy);

#endif
