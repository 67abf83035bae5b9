/*
 * Reads the prices of quote panel and ladder back from what was drawn, and has them judged as the
 * watchlist's are: in the slot of the same instrument, so that a panel which shows something older
 * than the watchlist did is found out as well.
 */
#ifndef TG_TERMINAL_PANEL_GLASS_H
#define TG_TERMINAL_PANEL_GLASS_H

#include <stddef.h>

#include <tickglass/market.h>

#include "drawn_text.h"
#include "glass_check.h"
#include "layout.h"

/* What the panels were drawn from. */
typedef struct panel_source {
    size_t slot;
    const char *venue; /* for the ladder, which names nobody */
    const char *symbol;
    tg_version version;
} panel_source;

/* Some of the list's cells lie in the area. Thread: any. */
bool panel_glass_is_touched(const tg_draw_list *list, panel_area area);

/* Thread: owner. */
glass_verdict panel_glass_check_quote(glass_check *check, const drawn_text *drawn, panel_area area,
                                      const panel_source *source);

/* Where no book came: best bid and ask then stand on the axis, those that it reaches. Thread:
 * owner. */
glass_verdict panel_glass_check_ladder(glass_check *check, const drawn_text *drawn, panel_area area,
                                       const panel_source *source);

/* Where one did: the version is the book's. Best bid and ask are read while the axis has both.
 * Thread: owner. */
glass_verdict panel_glass_check_depth(glass_check *check, const drawn_text *drawn, panel_area area,
                                      const panel_source *source);

#endif
