#include "layout.h"

#include <string.h>

/* The watchlist's symbol, prices, quality and age, without its other columns. */
#define LIST_WIDTH_MIN   74
#define PANELS_WIDTH_MIN 60
#define PANELS_WIDTH_MAX 104
/* Time & sales need a little more than the ladder beside them. */
#define TRADES_EXTRA 5
#define GAP          1

/* Panels one above the other; the rest of the height goes to those that can use it. */
typedef struct band {
    panel_id left;
    panel_id right; /* or left again */
    uint16_t height_min;
    uint16_t share;
} band;

static const band bands[] = {
    {PANEL_QUOTE, PANEL_QUOTE, 8, 0}, {PANEL_LADDER, PANEL_TRADES, 8, 3},
    {PANEL_CHART, PANEL_CHART, 8, 2}, {PANEL_CONNECTION, PANEL_CONNECTION, 9, 0},
    {PANEL_LOG, PANEL_LOG, 5, 1},     {PANEL_LATENCY, PANEL_LATENCY, 12, 6},
};
#define BAND_COUNT (sizeof bands / sizeof bands[0])
/* What latencies take where there is so much. */
#define LATENCY_ROWS 26

static const char *const names[PANEL_COUNT] = {
    [PANEL_QUOTE] = "quote",    [PANEL_LADDER] = "ladder",         [PANEL_TRADES] = "trades",
    [PANEL_CHART] = "chart",    [PANEL_CONNECTION] = "connection", [PANEL_LOG] = "log",
    [PANEL_LATENCY] = "latency"};

const char *panel_name(panel_id panel)
{
    return names[panel];
}

panel_id panel_find(const char *name, size_t length)
{
    int i = 0;
    while (i < PANEL_COUNT && (strlen(names[i]) != length || memcmp(names[i], name, length) != 0)) {
        i++;
    }
    return (panel_id)i;
}

bool layout_is_wide(uint16_t columns)
{
    return columns >= LIST_WIDTH_MIN + GAP + PANELS_WIDTH_MIN;
}

static uint16_t panels_width(uint16_t columns)
{
    uint16_t width = (uint16_t)(columns * 2u / 5u);
    width = width < PANELS_WIDTH_MIN ? PANELS_WIDTH_MIN : width;
    return width > PANELS_WIDTH_MAX ? PANELS_WIDTH_MAX : width;
}

static void place_band(layout *out, const layout_wish *wish, const band *of, panel_area area)
{
    if (of->left == of->right || !wish->panel[of->right]) {
        out->area[of->left] = area;
        return;
    }
    if (!wish->panel[of->left]) {
        out->area[of->right] = area;
        return;
    }
    panel_area left = area;
    left.width = (uint16_t)(cells_left(area.width, TRADES_EXTRA + GAP) / 2u);
    panel_area right = area;
    right.column = (uint16_t)(area.column + left.width + GAP);
    right.width = cells_left(area.width, left.width + (uint32_t)GAP);
    out->area[of->left] = left;
    out->area[of->right] = right;
}

static void place_panels(layout *out, const layout_wish *wish, uint16_t column, uint16_t width)
{
    uint16_t height[BAND_COUNT] = {0};
    uint16_t rest = wish->row_count;
    uint16_t shares = 0;
    const size_t latency = BAND_COUNT - 1;
    if (wish->panel[PANEL_LATENCY] && bands[latency].height_min <= rest) {
        height[latency] = rest < LATENCY_ROWS ? rest : LATENCY_ROWS;
        rest = (uint16_t)(rest - height[latency]);
        shares = bands[latency].share;
    }
    for (size_t i = 0; i < BAND_COUNT; i++) {
        const bool wanted = wish->panel[bands[i].left] || wish->panel[bands[i].right];
        if (wanted && height[i] == 0 && bands[i].height_min <= rest) {
            height[i] = bands[i].height_min;
            rest = (uint16_t)(rest - height[i]);
            shares = (uint16_t)(shares + bands[i].share);
        }
    }
    uint16_t row = wish->first_row;
    for (size_t i = 0; i < BAND_COUNT; i++) {
        if (height[i] == 0) {
            continue;
        }
        if (bands[i].share > 0) {
            const uint16_t more = (uint16_t)(rest * bands[i].share / shares);
            height[i] = (uint16_t)(height[i] + more);
            rest = (uint16_t)(rest - more);
            shares = (uint16_t)(shares - bands[i].share);
        }
        place_band(out, wish, &bands[i], (panel_area){row, column, width, height[i]});
        row = (uint16_t)(row + height[i]);
    }
}

static bool has_panels(const layout *of)
{
    for (int i = 0; i < PANEL_COUNT; i++) {
        if (of->area[i].height > 0) {
            return true;
        }
    }
    return false;
}

layout layout_fit(const layout_wish *wish)
{
    layout out;
    memset(&out, 0, sizeof out);
    out.list_width = wish->columns;
    bool any = false;
    for (int i = 0; i < PANEL_COUNT; i++) {
        any = any || wish->panel[i];
    }
    if (any && layout_is_wide(wish->columns)) {
        const uint16_t width = panels_width(wish->columns);
        const uint16_t list_width = (uint16_t)(wish->columns - width - GAP);
        place_panels(&out, wish, (uint16_t)(list_width + GAP), width);
        out.list_width = has_panels(&out) ? list_width : wish->columns;
    } else if (any && wish->panels_have_focus) {
        place_panels(&out, wish, 0, wish->columns);
        out.list_width = has_panels(&out) ? 0 : wish->columns;
    }
    return out;
}
