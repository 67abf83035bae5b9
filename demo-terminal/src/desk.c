#include "desk.h"

#include <stdlib.h>
#include <string.h>

#include "chart_panel.h"
#include "connection_panel.h"
#include "depth_ladder.h"
#include "latency_panel.h"
#include "log_panel.h"
#include "quote_panel.h"
#include "trade_panel.h"

#define FOCUS_LIST PANEL_COUNT

struct desk {
    bool wanted[PANEL_COUNT];
    panel_id focus; /* or FOCUS_LIST */
    layout layout;
    layout_wish wish; /* of the last fit */
    watch_row watch;
    ladder_axis axis;
    bool recentre;   /* asked for since the view before */
    int ladder_rows; /* likewise, to move the axis up */
    trade_list trades;
    size_t trades_first; /* entry in the panel's first line; 0 follows the newest */
    size_t log_first;
    quote_frame quote;
    ladder_memory ladder;
    trade_look trades_look;
    chart_memory chart;
};

tg_err desk_open(desk **out)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    (*out)->focus = FOCUS_LIST;
    (*out)->wanted[PANEL_QUOTE] = true;
    (*out)->wanted[PANEL_LADDER] = true;
    (*out)->wanted[PANEL_TRADES] = true;
    (*out)->wanted[PANEL_CHART] = true;
    return TG_OK;
}

void desk_close(desk *self)
{
    free(self);
}

void desk_fit(desk *self, uint16_t columns, uint16_t first_row, uint16_t row_count)
{
    self->wish = (layout_wish){.columns = columns,
                               .first_row = first_row,
                               .row_count = row_count,
                               .panels_have_focus = self->focus != FOCUS_LIST};
    memcpy(self->wish.panel, self->wanted, sizeof self->wanted);
    self->layout = layout_fit(&self->wish);
    /* A focus that nobody sees is none. */
    if (self->focus != FOCUS_LIST && self->layout.area[self->focus].height == 0) {
        desk_focus_panels(self);
        self->wish.panels_have_focus = self->focus != FOCUS_LIST;
        self->layout = layout_fit(&self->wish);
    }
}

const layout *desk_layout(const desk *self)
{
    return &self->layout;
}

/* Where the panels would stand if they had the focus. */
static layout layout_of_panels(const desk *self)
{
    layout_wish wish = self->wish;
    wish.panels_have_focus = true;
    memcpy(wish.panel, self->wanted, sizeof self->wanted);
    return layout_fit(&wish);
}

bool desk_toggle(desk *self, panel_id panel)
{
    self->wanted[panel] = !self->wanted[panel];
    if (!self->wanted[panel] && self->focus == panel) {
        self->focus = FOCUS_LIST;
    }
    const layout panels = layout_of_panels(self);
    return !self->wanted[panel] || panels.area[panel].height > 0;
}

void desk_focus_next(desk *self, bool backwards)
{
    const layout panels = layout_of_panels(self);
    const int step = backwards ? PANEL_COUNT : 1;
    int at = (int)self->focus;
    do {
        at = (at + step) % (PANEL_COUNT + 1);
    } while (at != FOCUS_LIST && panels.area[at].height == 0);
    self->focus = (panel_id)at;
}

bool desk_focus_is_list(const desk *self)
{
    return self->focus == FOCUS_LIST;
}

panel_id desk_focus(const desk *self)
{
    return self->focus;
}

uint32_t desk_panels(const desk *self)
{
    uint32_t wanted = 0;
    for (int i = 0; i < PANEL_COUNT; i++) {
        wanted |= self->wanted[i] ? UINT32_C(1) << i : 0;
    }
    return wanted;
}

void desk_show_panels(desk *self, const bool wanted[PANEL_COUNT])
{
    memcpy(self->wanted, wanted, sizeof self->wanted);
}

void desk_focus_list(desk *self)
{
    self->focus = FOCUS_LIST;
}

void desk_focus_panels(desk *self)
{
    self->focus = FOCUS_LIST;
    desk_focus_next(self, false);
}

static const panel_id instrument_panels[] = {PANEL_QUOTE, PANEL_LADDER, PANEL_TRADES, PANEL_CHART};

enum {
    INSTRUMENT_PANEL_COUNT = sizeof instrument_panels / sizeof instrument_panels[0]
};

bool desk_wants_instrument(const desk *self)
{
    bool any = false;
    for (int i = 0; i < INSTRUMENT_PANEL_COUNT; i++) {
        any = any || self->wanted[instrument_panels[i]];
    }
    return any;
}

void desk_reset(desk *self)
{
    memset(&self->watch, 0, sizeof self->watch);
    memset(&self->axis, 0, sizeof self->axis);
    self->recentre = false;
    self->ladder_rows = 0;
    trade_list_reset(&self->trades);
    self->trades_first = 0;
}

static void move_axis(desk *self, const instrument_view *shown)
{
    ladder_axis_move(&self->axis, shown->seen.instrument, self->ladder_rows);
    self->ladder_rows = 0;
    if (self->recentre && depth_ladder_recentre(&self->axis, shown)) {
        self->recentre = false;
    }
}

void desk_take(desk *self, instrument_view *shown)
{
    const tg_row *row = shown->seen.row;
    if (!shown->opened || row == NULL || shown->seen.instrument == NULL) {
        return;
    }
    const tg_version version = tg_image_version(&row->image);
    if (!self->watch.drawn || tg_version_compare(self->watch.version, version) != 0) {
        watch_row_take(&self->watch, &row->image, shown->now_mono_ns);
    }
    shown->watch = &self->watch;
    move_axis(self, shown);
    const size_t count = self->trades.count + self->trades.dropped;
    const trade_sample sample = {shown->seen.instrument, row, shown->lost, shown->now_utc_ns};
    trade_list_take(&self->trades, &sample);
    /* Who reads further down keeps what he reads. */
    if (self->trades_first > 0) {
        self->trades_first += self->trades.count + self->trades.dropped - count;
    }
}

static size_t scrolled(size_t first, int rows, size_t count, size_t height)
{
    const size_t last = count > height ? count - height : 0;
    if (rows > 0) {
        return first > (size_t)rows ? first - (size_t)rows : 0;
    }
    const size_t moved = first + (size_t)-rows;
    return moved < last ? moved : last;
}

bool desk_move(desk *self, int rows)
{
    switch (self->focus) {
    case PANEL_LADDER:
        self->ladder_rows += rows;
        return true;
    case PANEL_TRADES:
        self->trades_first = scrolled(self->trades_first, rows, self->trades.count,
                                      trade_panel_rows(self->layout.area[PANEL_TRADES]));
        return true;
    case PANEL_LOG:
        self->log_first = scrolled(self->log_first, rows, EVENT_LOG_SIZE,
                                   log_panel_rows(self->layout.area[PANEL_LOG]));
        return true;
    case PANEL_LATENCY:
        return true; /* it has keys of its own, and none of them is the list's */
    case PANEL_QUOTE:
    case PANEL_CHART:
    case PANEL_CONNECTION:
    case PANEL_COUNT:
        break;
    }
    return false;
}

void desk_recentre(desk *self)
{
    self->recentre = true;
}

/* What is above the end of a list that became shorter, or never was that long. */
static size_t keep_inside(size_t first, size_t count, size_t height)
{
    const size_t last = count > height ? count - height : 0;
    return first < last ? first : last;
}

static void draw_panel(desk *self, tg_grid *grid, const tg_palette *palette, panel_id panel,
                       const desk_scene *scene)
{
    const panel_area area = self->layout.area[panel];
    const bool focused = self->focus == panel;
    switch (panel) {
    case PANEL_QUOTE:
        quote_panel_draw(grid, palette, area, focused, scene->instrument, &self->quote);
        break;
    case PANEL_LADDER:
        depth_ladder_draw(grid, palette, area, focused, scene->instrument, &self->axis,
                          &self->ladder);
        break;
    case PANEL_TRADES:
        self->trades_first =
            keep_inside(self->trades_first, self->trades.count, trade_panel_rows(area));
        trade_panel_draw(grid, palette, area, focused, scene->instrument, &self->trades,
                         self->trades_first, &self->trades_look);
        break;
    case PANEL_CHART:
        chart_panel_draw(grid, palette, area, focused, scene->instrument, &self->chart);
        break;
    case PANEL_CONNECTION:
        connection_panel_draw(grid, palette, area, focused, scene->header, scene->now_mono_ns);
        break;
    case PANEL_LOG:
        self->log_first = keep_inside(self->log_first, scene->log->count, log_panel_rows(area));
        log_panel_draw(grid, palette, area, focused, scene->log, self->log_first);
        break;
    case PANEL_LATENCY:
        latency_panel_draw(grid, palette, area, focused, scene->latency);
        break;
    case PANEL_COUNT:
        break;
    }
}

static void draw_if_placed(desk *self, tg_grid *grid, const tg_palette *palette, panel_id panel,
                           const desk_scene *scene)
{
    if (self->layout.area[panel].height > 0) {
        draw_panel(self, grid, palette, panel, scene);
    }
}

void desk_draw(desk *self, tg_grid *grid, const tg_palette *palette, const desk_scene *scene)
{
    self->quote.known = self->quote.known && scene->retained;
    self->ladder.frame.known = self->ladder.frame.known && scene->retained;
    self->trades_look.known = self->trades_look.known && scene->retained;
    self->chart.known = self->chart.known && scene->retained;
    for (int i = 0; i < PANEL_COUNT; i++) {
        draw_if_placed(self, grid, palette, (panel_id)i, scene);
    }
}

void desk_draw_instrument(desk *self, tg_grid *grid, const tg_palette *palette,
                          const desk_scene *scene)
{
    for (int i = 0; i < INSTRUMENT_PANEL_COUNT; i++) {
        draw_if_placed(self, grid, palette, instrument_panels[i], scene);
    }
}

/* FOCUS_LIST: there is none. */
static panel_id panel_at(const desk *self, uint16_t row, uint16_t column)
{
    int i = 0;
    while (i < PANEL_COUNT) {
        const panel_area *area = &self->layout.area[i];
        if (row >= area->row && row - area->row < area->height && column >= area->column &&
            column - area->column < area->width) {
            break;
        }
        i++;
    }
    return (panel_id)i;
}

bool desk_focus_at(desk *self, uint16_t row, uint16_t column)
{
    const panel_id at = panel_at(self, row, column);
    if (at != FOCUS_LIST) {
        self->focus = at;
    }
    return at != FOCUS_LIST;
}

void desk_scroll_at(desk *self, uint16_t row, uint16_t column, int rows)
{
    const panel_id focus = self->focus;
    const panel_id at = panel_at(self, row, column);
    if (at != FOCUS_LIST) {
        self->focus = at;
        (void)desk_move(self, rows);
        self->focus = focus;
    }
}
