#include "panel_glass.h"

#include <string.h>

#include "depth_ladder.h"
#include "quote_panel.h"

#define TEXT_SIZE 128

static const char *read_span(const drawn_text *drawn, tg_span span, char text[TEXT_SIZE])
{
    drawn_text_get(drawn, span.row, span.column, span.width, text, TEXT_SIZE);
    return text;
}

glass_verdict panel_glass_check_quote(glass_check *check, const drawn_text *drawn, panel_area area,
                                      const panel_source *source)
{
    const quote_cells cells = quote_panel_cells(area);
    const tg_span spans[] = {cells.venue, cells.symbol,   cells.bid_size, cells.bid,
                             cells.ask,   cells.ask_size, cells.last};
    enum {
        COUNT = sizeof spans / sizeof spans[0]
    };
    char text[COUNT][TEXT_SIZE];
    const char *shown[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        shown[i] = spans[i].width > 0 ? read_span(drawn, spans[i], text[i]) : NULL;
    }
    const glass_row row = {.venue = shown[0],
                           .symbol = shown[1],
                           .bid_size = shown[2],
                           .bid = shown[3],
                           .ask = shown[4],
                           .ask_size = shown[5],
                           .last = shown[6],
                           .epoch = source->version.epoch,
                           .seq = source->version.seq};
    return glass_check_row(check, source->slot, &row);
}

glass_verdict panel_glass_check_ladder(glass_check *check, const drawn_text *drawn, panel_area area,
                                       const panel_source *source)
{
    char text[4][TEXT_SIZE];
    glass_row row = {.venue = source->venue,
                     .symbol = source->symbol,
                     .epoch = source->version.epoch,
                     .seq = source->version.seq};
    for (size_t i = 0; i < depth_ladder_rows(area); i++) {
        const ladder_cells cells = depth_ladder_cells(area, i);
        if (row.bid == NULL && read_span(drawn, cells.bid_size, text[0])[0] != '\0') {
            row.bid_size = text[0];
            row.bid = read_span(drawn, cells.price, text[1]);
        }
        if (row.ask == NULL && read_span(drawn, cells.ask_size, text[2])[0] != '\0') {
            row.ask_size = text[2];
            row.ask = read_span(drawn, cells.price, text[3]);
        }
    }
    /* Off the axis there is nothing to judge. */
    return row.bid != NULL || row.ask != NULL ? glass_check_row(check, source->slot, &row)
                                              : GLASS_FINE;
}

/* Both best levels stand on rows of the axis: the heads say otherwise, or the line below does. */
static bool has_both_best(const drawn_text *drawn, panel_area area)
{
    char text[TEXT_SIZE];
    return strcmp(read_span(drawn, depth_ladder_heads(area).price, text), "price") == 0 &&
           strncmp(read_span(drawn, depth_ladder_source(area), text), "depth:", 6) == 0;
}

glass_verdict panel_glass_check_depth(glass_check *check, const drawn_text *drawn, panel_area area,
                                      const panel_source *source)
{
    char bid[2][TEXT_SIZE];
    char ask[2][TEXT_SIZE];
    glass_row row = {.epoch = source->version.epoch, .seq = source->version.seq};
    const size_t rows = has_both_best(drawn, area) ? depth_ladder_rows(area) : 0;
    for (size_t i = 0; i < rows; i++) { /* from the top: the first bid, and the last ask */
        const ladder_cells cells = depth_ladder_cells(area, i);
        char size[TEXT_SIZE];
        if (row.bid == NULL && read_span(drawn, cells.bid_size, bid[0])[0] != '\0') {
            row.bid_size = bid[0];
            row.bid = read_span(drawn, cells.price, bid[1]);
        }
        if (read_span(drawn, cells.ask_size, size)[0] != '\0') {
            row.ask_size = strcpy(ask[0], size);
            row.ask = read_span(drawn, cells.price, ask[1]);
        }
    }
    return glass_check_depth(check, source->slot, &row);
}

static bool touches(const tg_draw_run *run, panel_area area)
{
    return run->row >= area.row && run->row < area.row + area.height &&
           run->column < area.column + area.width && run->column + run->count > area.column;
}

bool panel_glass_is_touched(const tg_draw_list *list, panel_area area)
{
    for (size_t i = 0; i < list->run_count; i++) {
        if (touches(&list->runs[i], area)) {
            return true;
        }
    }
    return false;
}
