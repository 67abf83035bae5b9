/* What a pinned view has of a row of the watchlist, or why it has nothing. */
#ifndef TG_TERMINAL_ROW_LOOKUP_H
#define TG_TERMINAL_ROW_LOOKUP_H

#include <stdint.h>

#include <tickglass/store.h>

#include "feed.h"
#include "watchlist_panel.h"

/* row is filled in where there is one; the result points to it and into the view. Thread: owner. */
watch_view row_lookup(feed *from, const tg_view *view, const watch_row *watch, int64_t now_mono_ns,
                      tg_row *row);

#endif
