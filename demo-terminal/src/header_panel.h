/* The lines above and below the watchlist: is it alive, is it true, how fast is it. */
#ifndef TG_TERMINAL_HEADER_PANEL_H
#define TG_TERMINAL_HEADER_PANEL_H

#include <stdint.h>

#include <tickglass/cell_grid.h>
#include <tickglass/client.h>
#include <tickglass/palette.h>

#include "glass_times.h"

#define HEADER_ROWS 3

typedef struct header_view {
    const char *version;
    const char *endpoint; /* without credentials */
    tg_session_state state;
    int64_t wait_ms;      /* until the next attempt, in TG_SESSION_WAITING */
    size_t suspect_count; /* rows whose values may be old */
    int64_t utc_ns;
    uint32_t frames_per_s;
    uint32_t passes_per_s;
    tg_client_counters client;
    tg_store_counters store;
    uint64_t drawn_regressions;
    uint64_t drawn_unknown;
    bool has_tape; /* drawn_unknown means something */
    recent_times received_to_handed;
    recent_times exchange_to_handed;
} header_view;

/* The state of the session in words. */
typedef struct state_look {
    uint32_t colour;
    char text[64];
} state_look;

/* Never in the good colour while anything on the screen may be old. Thread: any. */
state_look header_state_look(const tg_palette *palette, const header_view *view);

/* Thread: owner. */
void header_draw(tg_grid *grid, const tg_palette *palette, const header_view *view);

typedef struct footer_view {
    size_t first_row; /* shown, from 0 */
    size_t shown_count;
    size_t row_count;       /* that the filter leaves */
    size_t total;           /* without it */
    const char *line_label; /* what is being typed; NULL: nothing is */
    const char *line;
    const char *notice; /* the latest thing worth saying, or "" */
    bool notice_is_bad;
    const char *recording; /* the file that is recorded into, or NULL */
} footer_view;

/* Thread: owner. */
void footer_draw(tg_grid *grid, const tg_palette *palette, const footer_view *view);

#endif
