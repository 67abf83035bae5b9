#include "search_box.h"

#include "search_panel.h"

static size_t result_count(const search_box *box)
{
    return instrument_search_count(feed_search(box->feed));
}

void search_box_clear(search_box *box)
{
    text_line_clear(&box->line);
    box->selected = 0;
    box->top = 0;
    instrument_search_for(feed_search(box->feed), "");
}

/* The search follows the line. */
static bool changed(search_box *box, bool taken)
{
    if (taken) {
        instrument_search_for(feed_search(box->feed), box->line.text);
        box->selected = 0;
    }
    return taken;
}

bool search_box_type(search_box *box, const char *text)
{
    return changed(box, text_line_add(&box->line, text));
}

bool search_box_rub_out(search_box *box)
{
    return changed(box, text_line_rub_out(&box->line));
}

void search_box_move(search_box *box, int rows_down)
{
    const size_t last = result_count(box) > 0 ? result_count(box) - 1 : 0;
    if (rows_down < 0) {
        const size_t up = (size_t) - (int64_t)rows_down;
        box->selected = box->selected > up ? box->selected - up : 0;
    } else {
        box->selected += (size_t)rows_down;
    }
    box->selected = box->selected < last ? box->selected : last;
}

bool search_box_click(search_box *box, uint16_t row)
{
    const uint16_t first = (uint16_t)(box->area.row + SEARCH_PANEL_LINES_ABOVE);
    if (row < first || (size_t)(row - first) >= search_panel_rows(box->area) ||
        box->top + (size_t)(row - first) >= result_count(box)) {
        return false;
    }
    box->selected = box->top + (size_t)(row - first);
    return true;
}

const search_result *search_box_selected(const search_box *box)
{
    return box->selected < result_count(box)
               ? instrument_search_at(feed_search(box->feed), box->selected)
               : NULL;
}

void search_box_draw(search_box *box, tg_grid *grid, const tg_palette *palette, panel_area area,
                     bool focused)
{
    const size_t rows = search_panel_rows(area);
    box->area = area;
    search_box_move(box, 0); /* an answer may be shorter than the one before */
    if (box->selected < box->top) {
        box->top = box->selected;
    }
    if (rows > 0 && box->selected >= box->top + rows) {
        box->top = box->selected - rows + 1;
    }
    const search_view shown = {.text = box->line.text,
                               .feed = box->feed,
                               .selected = box->selected,
                               .top = box->top,
                               .focused = focused};
    search_panel_draw(grid, palette, area, &shown);
}
