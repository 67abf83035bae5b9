#include "quote_panel.h"

#include <string.h>

#include "price_field.h"
#include "quality_look.h"

#define MARGIN         2
#define GAP            2 /* between the halves */
#define LABEL_WIDTH    7
#define SIZE_WIDTH_MIN 8
#define SIZE_WIDTH_MAX 14

enum {
    ROW_NAME = 1,
    ROW_QUOTE,
    ROW_LAST,
    ROW_RANGE,
    ROW_REFERENCE,
    ROW_VOLUME,
    ROW_PRIORITY
};

/* The two halves side by side: label, price, arrow, size. */
typedef struct half {
    uint16_t label;
    uint16_t price;
    uint16_t price_width;
    uint16_t size;
    uint16_t size_width;
    uint16_t width; /* from the label on */
} half;

static half half_of(panel_area area, bool right)
{
    const uint16_t width = (uint16_t)(cells_left(area.width, 2 * MARGIN + GAP) / 2u);
    uint16_t size = (uint16_t)(cells_left(width, LABEL_WIDTH) * 2u / 5u);
    size = size < SIZE_WIDTH_MIN ? SIZE_WIDTH_MIN : size;
    size = size > SIZE_WIDTH_MAX ? SIZE_WIDTH_MAX : size;
    half out = {.label = (uint16_t)(MARGIN + (right ? width + GAP : 0)), .width = width};
    out.price = (uint16_t)(out.label + LABEL_WIDTH);
    out.price_width = cells_left(width, LABEL_WIDTH + 2u + size);
    out.size = (uint16_t)(out.price + out.price_width + 2);
    out.size_width = size;
    return out;
}

quote_cells quote_panel_cells(panel_area area)
{
    const panel_pen pen = {NULL, NULL, area};
    const half left = half_of(area, false);
    const half right = half_of(area, true);
    const quote_cells cells = {
        .symbol = panel_span(&pen, ROW_NAME, left.label, cells_left(left.width, 1)),
        .venue = panel_span(&pen, ROW_NAME, right.label, right.width),
        .bid = panel_span(&pen, ROW_QUOTE, left.price, left.price_width),
        .bid_size = panel_span(&pen, ROW_QUOTE, left.size, left.size_width),
        .ask = panel_span(&pen, ROW_QUOTE, right.price, right.price_width),
        .ask_size = panel_span(&pen, ROW_QUOTE, right.size, right.size_width),
        .last = panel_span(&pen, ROW_LAST, left.price, left.price_width),
    };
    return cells;
}

/* A panel that is being drawn. */
typedef struct quote_pen {
    panel_pen panel;
    const instrument_view *shown;
    bool suspect;
} quote_pen;

static uint32_t colour_of(const quote_pen *pen, uint32_t colour)
{
    return pen->suspect ? pen->panel.palette->stale : colour;
}

static void put_label(const quote_pen *pen, uint16_t row, const half *at, const char *label)
{
    panel_label(&pen->panel, panel_span(&pen->panel, row, at->label, LABEL_WIDTH - 1),
                pen->panel.palette->label, label);
}

static void put_text(const quote_pen *pen, tg_span span, uint32_t colour, const char *text)
{
    panel_number(&pen->panel, span, colour_of(pen, colour), text);
}

static void put_price(const quote_pen *pen, tg_span span, tg_field field)
{
    char text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    int64_t value = 0;
    if (instrument_view_value(pen->shown, field, &value)) {
        price_field_price(tg_price_style_of(pen->shown->seen.instrument), value, text);
    }
    put_text(pen, span, pen->panel.palette->text, text);
}

static void put_quantity(const quote_pen *pen, tg_span span, tg_field field)
{
    char text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    int64_t value = 0;
    if (instrument_view_value(pen->shown, field, &value)) {
        price_field_quantity(pen->shown->seen.instrument->quantity_exponent, value, text);
    }
    put_text(pen, span, pen->panel.palette->label, text);
}

/* A price of the day: nothing moves beside it. */
static void put_level(const quote_pen *pen, uint16_t row, const half *at, const char *label,
                      tg_field field)
{
    put_label(pen, row, at, label);
    put_price(pen, panel_span(&pen->panel, row, at->price, at->price_width), field);
}

static void put_arrow(const quote_pen *pen, uint16_t row, const half *at, int direction)
{
    const tg_palette *palette = pen->panel.palette;
    panel_label(&pen->panel,
                panel_span(&pen->panel, row, (uint16_t)(at->price + at->price_width), 1),
                colour_of(pen, direction > 0 ? palette->up : palette->down),
                direction > 0   ? PRICE_FIELD_UP
                : direction < 0 ? PRICE_FIELD_DOWN
                                : "");
}

static void draw_names(const quote_pen *pen, const quote_cells *cells)
{
    const tg_palette *palette = pen->panel.palette;
    const tg_style bold = {colour_of(pen, palette->text), palette->background, TG_CELL_BOLD};
    tg_grid_put_label(pen->panel.grid, cells->symbol, TG_ALIGN_LEFT, bold, pen->shown->seen.symbol);
    panel_label(&pen->panel, cells->venue, colour_of(pen, palette->label), pen->shown->seen.venue);
}

static void draw_prices(const quote_pen *pen, const quote_cells *cells, const half *left,
                        const half *right)
{
    put_label(pen, ROW_QUOTE, left, "bid");
    put_price(pen, cells->bid, TG_FIELD_BID_PRICE);
    put_quantity(pen, cells->bid_size, TG_FIELD_BID_QUANTITY);
    put_label(pen, ROW_QUOTE, right, "ask");
    put_price(pen, cells->ask, TG_FIELD_ASK_PRICE);
    put_quantity(pen, cells->ask_size, TG_FIELD_ASK_QUANTITY);
    put_label(pen, ROW_LAST, left, "last");
    put_price(pen, cells->last, TG_FIELD_LAST_PRICE);
    put_quantity(pen, panel_span(&pen->panel, ROW_LAST, left->size, left->size_width),
                 TG_FIELD_LAST_QUANTITY);
    const watch_row *watch = pen->shown->seen.row != NULL ? pen->shown->watch : NULL;
    put_arrow(pen, ROW_QUOTE, left, watch != NULL ? watch->bid.direction : 0);
    put_arrow(pen, ROW_QUOTE, right, watch != NULL ? watch->ask.direction : 0);
    put_arrow(pen, ROW_LAST, left, watch != NULL ? watch->last.direction : 0);
}

static void draw_change(const quote_pen *pen, const half *at)
{
    const tg_palette *palette = pen->panel.palette;
    const tg_row *row = pen->shown->seen.row;
    char change_text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    char percent_text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    uint32_t colour = palette->label;
    int64_t reference = 0;
    int64_t change = 0;
    int64_t last = 0;
    if (instrument_view_value(pen->shown, TG_FIELD_LAST_PRICE, &last) &&
        price_field_reference(&row->image, &reference) &&
        tg_price_change(last, reference, &change) == TG_OK &&
        tg_percent_text(last, reference, percent_text, sizeof percent_text) == TG_OK) {
        price_field_change(tg_price_style_of(pen->shown->seen.instrument), change, change_text);
        colour = change > 0 ? palette->up : change < 0 ? palette->down : palette->label;
    }
    put_label(pen, ROW_LAST, at, "change");
    put_text(pen, panel_span(&pen->panel, ROW_LAST, at->price, at->price_width), colour,
             change_text);
    put_text(pen, panel_span(&pen->panel, ROW_LAST, at->size, at->size_width), colour,
             percent_text);
}

static void draw_spread(const quote_pen *pen, const half *at)
{
    const tg_row *row = pen->shown->seen.row;
    char text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    int64_t bid = 0;
    int64_t ask = 0;
    int64_t spread = 0;
    if (instrument_view_value(pen->shown, TG_FIELD_BID_PRICE, &bid) &&
        instrument_view_value(pen->shown, TG_FIELD_ASK_PRICE, &ask) &&
        tg_price_change(ask, bid, &spread) == TG_OK) {
        price_field_price(tg_price_style_of(pen->shown->seen.instrument), spread, text);
    }
    const bool odd = row != NULL && (row->crossed || row->locked);
    put_label(pen, ROW_VOLUME, at, "spread");
    put_text(pen, panel_span(&pen->panel, ROW_VOLUME, at->price, at->price_width),
             odd ? pen->panel.palette->warning : pen->panel.palette->text, text);
    panel_label(&pen->panel, panel_span(&pen->panel, ROW_VOLUME, at->size, at->size_width),
                pen->panel.palette->warning,
                !odd           ? ""
                : row->crossed ? "crossed"
                               : "locked");
}

static quote_frame frame_of(const tg_palette *palette, panel_area area, bool opened)
{
    quote_frame frame;
    memset(&frame, 0, sizeof frame); /* compared as bytes */
    frame.known = true;
    frame.opened = opened;
    frame.palette = palette;
    frame.area = area;
    return frame;
}

void quote_panel_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                      const instrument_view *shown, quote_frame *frame)
{
    const tg_row *row = shown->opened ? shown->seen.row : NULL;
    char note[QUALITY_NOTE_SIZE] = "";
    panel_title title = {"F3", "quote", note, palette->faint, focused};
    if (row != NULL) {
        quality_note(row->quality, row->age_ns, note);
        title.note_colour = quality_colour(palette, row->quality);
    } else if (shown->opened) {
        title.note = shown->seen.word;
    }
    const quote_frame now = frame_of(palette, area, shown->opened);
    const bool same = memcmp(&now, frame, sizeof now) == 0;
    *frame = now;
    const quote_pen pen = {(same ? panel_resume : panel_begin)(grid, palette, area, &title), shown,
                           instrument_view_is_suspect(shown)};
    if (!shown->opened) {
        panel_say(&pen.panel, 2, palette->label, "Enter opens the selected instrument here.");
        return;
    }
    const half left = half_of(area, false);
    const half right = half_of(area, true);
    const quote_cells cells = quote_panel_cells(area);
    draw_names(&pen, &cells);
    draw_prices(&pen, &cells, &left, &right);
    draw_change(&pen, &right);
    put_level(&pen, ROW_RANGE, &left, "high", TG_FIELD_HIGH);
    put_level(&pen, ROW_RANGE, &right, "low", TG_FIELD_LOW);
    put_level(&pen, ROW_REFERENCE, &left, "open", TG_FIELD_OPEN);
    put_level(&pen, ROW_REFERENCE, &right, "close", TG_FIELD_PREVIOUS_CLOSE);
    put_label(&pen, ROW_VOLUME, &left, "volume");
    put_quantity(&pen, panel_span(&pen.panel, ROW_VOLUME, left.price, left.price_width),
                 TG_FIELD_VOLUME);
    draw_spread(&pen, &right);
    panel_label(&pen.panel, panel_span(&pen.panel, ROW_PRIORITY, MARGIN, LABEL_WIDTH + 9),
                palette->label, "priority channel");
    panel_label(&pen.panel,
                panel_span(&pen.panel, ROW_PRIORITY, MARGIN + LABEL_WIDTH + 11,
                           cells_left(area.width, MARGIN + LABEL_WIDTH + 12)),
                shown->priority_given ? palette->text : palette->warning, shown->priority);
}
