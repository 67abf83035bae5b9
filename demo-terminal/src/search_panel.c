#include "search_panel.h"

#include <stdio.h>

/* Keys, and a blank line over them. */
#define LINES_BELOW 2
#define MARK_AT     2
#define SYMBOL_AT   4
#define VENUE_WIDTH 20

static const char cursor[] = "\xE2\x96\x8F";

size_t search_panel_rows(panel_area area)
{
    return cells_left(area.height, SEARCH_PANEL_LINES_ABOVE + LINES_BELOW);
}

static void draw_status(const panel_pen *pen, const search_view *shown)
{
    const instrument_search *search = feed_search(shown->feed);
    char text[96] = "VENUE:SYMBOL or the beginning of a symbol";
    switch (instrument_search_state(search)) {
    case SEARCH_NOTHING_ASKED:
        break;
    case SEARCH_UNDER_WAY:
        (void)snprintf(text, sizeof text, "asking the gateway \xE2\x80\xA6");
        break;
    case SEARCH_ANSWERED:
        (void)snprintf(text, sizeof text, "%zu found%s", instrument_search_count(search),
                       instrument_search_has_more(search) ? ", and more: type on" : "");
        break;
    }
    panel_label(pen, panel_span(pen, 2, SYMBOL_AT, cells_left(pen->area.width, SYMBOL_AT)),
                pen->palette->label, text);
}

static void draw_result(const panel_pen *pen, const search_view *shown, uint16_t row, size_t index)
{
    const search_result *result = instrument_search_at(feed_search(shown->feed), index);
    const bool selected = index == shown->selected;
    const tg_palette *palette = pen->palette;
    const uint32_t background = selected ? palette->selected : palette->background;
    const size_t at = feed_find(shown->feed, result->venue, result->symbol);
    const bool listed = at != FEED_NO_ROW && feed_row(shown->feed, at)->listed;
    const uint16_t symbol_width = cells_left(pen->area.width, SYMBOL_AT + VENUE_WIDTH + 2);
    const tg_style name = {palette->text, background, selected ? TG_CELL_BOLD : 0u};
    const tg_style venue = {palette->label, background, 0};
    const tg_style mark = {palette->good, background, TG_CELL_BOLD};
    tg_grid_fill(pen->grid, panel_span(pen, row, 0, pen->area.width), name);
    tg_grid_put_label(pen->grid, panel_span(pen, row, MARK_AT, 1), TG_ALIGN_LEFT, mark,
                      listed ? "\xE2\x9C\x93" : "");
    tg_grid_put_label(pen->grid, panel_span(pen, row, SYMBOL_AT, symbol_width), TG_ALIGN_LEFT, name,
                      result->symbol);
    tg_grid_put_label(pen->grid,
                      panel_span(pen, row, (uint16_t)(SYMBOL_AT + symbol_width + 1), VENUE_WIDTH),
                      TG_ALIGN_LEFT, venue, result->venue);
}

void search_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area,
                       const search_view *shown)
{
    const panel_title title = {.key = "Ctrl-F",
                               .name = "Search in the gateway's directory",
                               .note = "",
                               .note_colour = palette->label,
                               .focused = shown->focused};
    const panel_pen pen = panel_begin(grid, palette, area, &title);
    char line[TEXT_LINE_SIZE + sizeof cursor];
    (void)snprintf(line, sizeof line, "%s%s", shown->text, shown->focused ? cursor : "");
    panel_label(&pen, panel_span(&pen, 1, MARK_AT, 1), palette->up, "\xE2\x80\xBA");
    panel_label(&pen, panel_span(&pen, 1, SYMBOL_AT, cells_left(area.width, SYMBOL_AT)),
                palette->text, line);
    draw_status(&pen, shown);
    const size_t count = instrument_search_count(feed_search(shown->feed));
    for (size_t i = 0; i < search_panel_rows(area) && shown->top + i < count; i++) {
        draw_result(&pen, shown, (uint16_t)(SEARCH_PANEL_LINES_ABOVE + i), shown->top + i);
    }
    if (area.height > SEARCH_PANEL_LINES_ABOVE + LINES_BELOW) {
        panel_label(&pen,
                    panel_span(&pen, (uint16_t)(area.height - 1), SYMBOL_AT,
                               cells_left(area.width, SYMBOL_AT)),
                    palette->faint,
                    "Enter into the watchlist   Del out of it   Esc back   \xE2\x9C\x93 is in it");
    }
}
