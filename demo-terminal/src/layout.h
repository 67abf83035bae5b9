/*
 * Where watchlist and panels stand between header and footer.
 *
 * Wide windows have both side by side, the watchlist left. Where that would leave one of them too
 * little, the panels give way: the watchlist has the width, and the panels take its place while
 * they have the focus. Of panels that are one above the other, those with no room left are not
 * shown; the first ones in the order of panel_id go first into what room there is. Latencies go
 * before all of them: nobody has asked for the others when they are called up.
 */
#ifndef TG_TERMINAL_LAYOUT_H
#define TG_TERMINAL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum panel_id {
    PANEL_QUOTE,
    PANEL_LADDER, /* beside the trades, or one of the two alone */
    PANEL_TRADES,
    PANEL_CHART,
    PANEL_CONNECTION,
    PANEL_LOG,
    PANEL_LATENCY,
    PANEL_COUNT
} panel_id;

/* "quote", "ladder", …; PANEL_COUNT: there is none of that name. Thread: any, both. */
const char *panel_name(panel_id panel);
panel_id panel_find(const char *name, size_t length);

/* Cells; nothing of a panel with height 0 is on the screen. */
typedef struct panel_area {
    uint16_t row;
    uint16_t column;
    uint16_t width;
    uint16_t height;
} panel_area;

/* What is left of so many cells, 0 if that is less than nothing. */
static inline uint16_t cells_left(uint32_t cells, uint32_t taken)
{
    return (uint16_t)(cells > taken ? cells - taken : 0);
}

typedef struct layout {
    uint16_t list_width; /* 0: the panels have its place */
    panel_area area[PANEL_COUNT];
} layout;

typedef struct layout_wish {
    uint16_t columns; /* of the grid */
    uint16_t first_row;
    uint16_t row_count; /* between header and footer */
    bool panel[PANEL_COUNT];
    bool panels_have_focus;
} layout_wish;

/* Thread: any. */
layout layout_fit(const layout_wish *wish);

/* Both fit into that many columns. Thread: any. */
bool layout_is_wide(uint16_t columns);

#endif
