#include "trade_panel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clock_text.h"
#include "price_field.h"
#include "quality_look.h"

#define HEAD_ROW  1
#define FIRST_ROW 2
#define MARGIN    1
/* Times have milliseconds where there is room for them. */
#define WIDE 44
/* What stands together is not drawn apart by a wide panel. */
#define PRICE_MAX      22
#define SIZE_WIDTH_MAX 18

typedef struct trade_columns {
    bool with_ms;
    uint16_t time;
    uint16_t time_width;
    uint16_t price;
    uint16_t price_width; /* the arrow stands behind it */
    uint16_t size;
    uint16_t size_width;
    uint16_t skipped;
    uint16_t skipped_width;
} trade_columns;

static trade_columns columns_in(panel_area area)
{
    trade_columns out = {.with_ms = area.width >= WIDE, .time = MARGIN};
    out.time_width = out.with_ms ? 12 : 8;
    out.skipped_width = 5;
    const uint16_t fixed = (uint16_t)(2 * MARGIN + out.time_width + 1 + 1 + 1 + out.skipped_width);
    const uint16_t rest = cells_left(area.width, fixed);
    const uint16_t price = (uint16_t)((rest * 3u + 2u) / 5u);
    const uint16_t size = (uint16_t)(rest - price);
    out.price_width = price < PRICE_MAX ? price : PRICE_MAX;
    out.size_width = size < SIZE_WIDTH_MAX ? size : SIZE_WIDTH_MAX;
    out.price = (uint16_t)(out.time + out.time_width + 1);
    out.size = (uint16_t)(out.price + out.price_width + 1);
    out.skipped = (uint16_t)(out.size + out.size_width + 1);
    return out;
}

size_t trade_panel_rows(panel_area area)
{
    return cells_left(area.height, FIRST_ROW);
}

/* A panel that is being drawn. */
typedef struct trade_pen {
    panel_pen panel;
    trade_columns at;
    tg_price_style style;
    int8_t quantity_exponent;
    bool suspect;
} trade_pen;

static uint32_t colour_of(const trade_pen *pen, uint32_t colour)
{
    return pen->suspect ? pen->panel.palette->stale : colour;
}

static void draw_trade(const trade_pen *pen, uint16_t row, const trade_entry *entry)
{
    const tg_palette *palette = pen->panel.palette;
    const trade_columns *at = &pen->at;
    char text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    char time[CLOCK_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    if (entry->has_time) {
        clock_text(entry->utc_ns, at->with_ms, time);
    }
    panel_label(&pen->panel, panel_span(&pen->panel, row, at->time, at->time_width),
                colour_of(pen, palette->label), time);
    if (entry->has_price) {
        price_field_price(pen->style, entry->price, text);
    }
    const uint32_t move = entry->direction > 0   ? palette->up
                          : entry->direction < 0 ? palette->down
                                                 : palette->text;
    panel_number(&pen->panel, panel_span(&pen->panel, row, at->price, at->price_width),
                 colour_of(pen, move), text);
    if (entry->direction != 0) {
        panel_label(&pen->panel,
                    panel_span(&pen->panel, row, (uint16_t)(at->price + at->price_width), 1),
                    colour_of(pen, move), entry->direction > 0 ? PRICE_FIELD_UP : PRICE_FIELD_DOWN);
    }
    (void)snprintf(text, sizeof text, "%s", TG_PRICE_TEXT_NULL);
    if (entry->has_quantity) {
        price_field_quantity(pen->quantity_exponent, entry->quantity, text);
    }
    panel_number(&pen->panel, panel_span(&pen->panel, row, at->size, at->size_width),
                 colour_of(pen, palette->text), text);
    if (entry->ticks > 0) {
        (void)snprintf(text, sizeof text, "+%" PRIu64, entry->ticks);
        panel_number(&pen->panel, panel_span(&pen->panel, row, at->skipped, at->skipped_width),
                     palette->faint, text);
    }
}

static void line_text(const trade_entry *entry, char *text, size_t size)
{
    char begin[CLOCK_TEXT_SIZE];
    char end[CLOCK_TEXT_SIZE] = "";
    clock_text(entry->utc_ns, false, begin);
    if (entry->over) {
        clock_text(entry->end_utc_ns, false, end);
    }
    switch (entry->kind) {
    case TRADE_LIST_BEGINS:
        (void)snprintf(text, size, "%s list begins", begin);
        return;
    case TRADE_TICKS_LOST:
        (void)snprintf(text, size, "%s gap: %" PRIu64 " ticks lost", begin, entry->ticks);
        return;
    case TRADE_NOT_CURRENT:
        (void)snprintf(text, size, "%s\xE2\x80\x93%s %s", begin, end,
                       tg_quality_name(entry->quality));
        return;
    case TRADE_NEW_SEQUENCE:
        (void)snprintf(text, size, "%s gap: new sequence", begin);
        return;
    case TRADE_SEEN:
        break;
    }
    text[0] = '\0';
}

static void draw_line(const trade_pen *pen, uint16_t row, const trade_entry *entry)
{
    char text[96];
    line_text(entry, text, sizeof text);
    const tg_palette *palette = pen->panel.palette;
    panel_label(&pen->panel,
                panel_span(&pen->panel, row, MARGIN, cells_left(pen->panel.area.width, 2 * MARGIN)),
                entry->kind == TRADE_LIST_BEGINS ? palette->faint : palette->warning, text);
}

static void draw_heads(const trade_pen *pen)
{
    const trade_columns *at = &pen->at;
    const panel_pen *panel = &pen->panel;
    const tg_style style = {panel->palette->label, panel->palette->background, 0};
    tg_grid_put_label(panel->grid, panel_span(panel, HEAD_ROW, at->time, at->time_width),
                      TG_ALIGN_LEFT, style, "UTC");
    tg_grid_put_label(panel->grid, panel_span(panel, HEAD_ROW, at->price, at->price_width),
                      TG_ALIGN_RIGHT, style, "price");
    tg_grid_put_label(panel->grid, panel_span(panel, HEAD_ROW, at->size, at->size_width),
                      TG_ALIGN_RIGHT, style, "size");
    tg_grid_put_label(panel->grid, panel_span(panel, HEAD_ROW, at->skipped, at->skipped_width),
                      TG_ALIGN_RIGHT, style, "skip");
}

static trade_look look_of(const tg_palette *palette, panel_area area, const instrument_view *shown,
                          const trade_list *list, size_t first)
{
    trade_look look;
    memset(&look, 0, sizeof look); /* compared as bytes */
    look.known = true;
    look.palette = palette;
    look.area = area;
    look.there = shown->opened && shown->seen.instrument != NULL;
    if (!look.there) {
        return look;
    }
    look.suspect = shown->seen.row != NULL && quality_is_suspect(shown->seen.row->quality);
    look.style = tg_price_style_of(shown->seen.instrument);
    look.quantity_exponent = shown->seen.instrument->quantity_exponent;
    look.first = first;
    look.count = list->count;
    look.dropped = list->dropped;
    if (list->count > 0) {
        look.newest = *trade_list_entry(list, 0);
    }
    return look;
}

static void draw_lines(const trade_pen *pen, const trade_list *list, size_t first)
{
    draw_heads(pen);
    for (size_t i = 0; i < trade_panel_rows(pen->panel.area) && first + i < list->count; i++) {
        const trade_entry *entry = trade_list_entry(list, first + i);
        if (entry->kind == TRADE_SEEN) {
            draw_trade(pen, (uint16_t)(FIRST_ROW + i), entry);
        } else {
            draw_line(pen, (uint16_t)(FIRST_ROW + i), entry);
        }
    }
}

void trade_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                      const instrument_view *shown, const trade_list *list, size_t first,
                      trade_look *look)
{
    char note[QUALITY_NOTE_SIZE] = "";
    panel_title title = {"F5", "trades", note, palette->faint, focused};
    const tg_row *row = shown->opened ? shown->seen.row : NULL;
    if (row != NULL && quality_is_suspect(row->quality)) {
        quality_note(row->quality, row->age_ns, note);
        title.note_colour = quality_colour(palette, row->quality);
    } else if (row != NULL) {
        (void)snprintf(note, sizeof note, "%" PRIu64 " ticks not shown", list->not_shown);
    }
    const trade_look now = look_of(palette, area, shown, list, first);
    if (memcmp(&now, look, sizeof now) == 0) {
        (void)panel_resume(grid, palette, area, &title);
        return;
    }
    *look = now;
    const trade_pen pen = {.panel = panel_begin(grid, palette, area, &title),
                           .at = columns_in(area),
                           .style = now.style,
                           .quantity_exponent = now.quantity_exponent,
                           .suspect = now.suspect};
    if (now.there) {
        draw_lines(&pen, list, first);
    }
}
