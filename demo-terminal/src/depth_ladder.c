#include "depth_ladder.h"

#include <stdio.h>
#include <string.h>

#include "price_field.h"
#include "quality_look.h"

/* Title, heads, and the line below that says what this is made of. */
#define HEAD_ROW  1
#define AXIS_ROW  2
#define LINES     3
#define MARGIN    1
#define PRICE_MIN 11
#define PRICE_MAX 20

size_t depth_ladder_rows(panel_area area)
{
    const size_t rows = cells_left(area.height, LINES);
    return rows < LADDER_ROWS_MAX ? rows : LADDER_ROWS_MAX;
}

static ladder_cells cells_in(panel_area area, uint16_t row)
{
    const panel_pen pen = {NULL, NULL, area};
    const uint16_t inner = cells_left(area.width, 2 * MARGIN);
    uint16_t price = (uint16_t)(inner / 3u);
    price = price < PRICE_MIN ? PRICE_MIN : price;
    price = price > PRICE_MAX ? PRICE_MAX : price;
    const uint16_t size = (uint16_t)(cells_left(inner, price + 2u) / 2u);
    const ladder_cells cells = {
        .bid_size = panel_span(&pen, row, MARGIN, size),
        .price = panel_span(&pen, row, (uint16_t)(MARGIN + size + 1), price),
        .ask_size = panel_span(&pen, row, (uint16_t)(MARGIN + size + price + 2), size),
    };
    return cells;
}

ladder_cells depth_ladder_cells(panel_area area, size_t row)
{
    return cells_in(area, (uint16_t)(AXIS_ROW + row));
}

ladder_cells depth_ladder_heads(panel_area area)
{
    return cells_in(area, HEAD_ROW);
}

tg_span depth_ladder_source(panel_area area)
{
    const panel_pen pen = {NULL, NULL, area};
    return panel_span(&pen, (uint16_t)(area.height - 1), MARGIN, area.width);
}

/* What stands on the axis, and how much it is worth. */
typedef struct ladder_book {
    tg_book book;
    bool bid_has_quantity; /* a book's levels always have one */
    bool ask_has_quantity;
    bool suspect;
} ladder_book;

static ladder_book book_of(const instrument_view *shown)
{
    ladder_book out;
    memset(&out, 0, sizeof out);
    out.bid_has_quantity = true;
    out.ask_has_quantity = true;
    if (shown->has_depth) {
        out.book = shown->depth.book;
        out.suspect = quality_is_suspect(shown->depth.quality);
        return out;
    }
    out.suspect = instrument_view_is_suspect(shown);
    tg_level *bid = &out.book.bid[0];
    tg_level *ask = &out.book.ask[0];
    out.book.bid_count = instrument_view_value(shown, TG_FIELD_BID_PRICE, &bid->price) ? 1 : 0;
    out.book.ask_count = instrument_view_value(shown, TG_FIELD_ASK_PRICE, &ask->price) ? 1 : 0;
    out.bid_has_quantity = instrument_view_value(shown, TG_FIELD_BID_QUANTITY, &bid->quantity);
    out.ask_has_quantity = instrument_view_value(shown, TG_FIELD_ASK_QUANTITY, &ask->quantity);
    return out;
}

/* The best bid, or the best ask where there is none, or the last trade. */
static bool market_of(const instrument_view *shown, const ladder_book *of, int64_t *price)
{
    if (of->book.bid_count > 0) {
        *price = of->book.bid[0].price;
        return true;
    }
    if (of->book.ask_count > 0) {
        *price = of->book.ask[0].price;
        return true;
    }
    return instrument_view_value(shown, TG_FIELD_LAST_PRICE, price);
}

/* Between bid and ask, on a row that both share, as long as both have room then. */
static int64_t middle_of(const ladder_axis *axis, const tg_instrument *instrument,
                         const ladder_book *of, int64_t market)
{
    int64_t above = 0;
    int64_t spread = 0;
    if (of->book.bid_count == 0 || of->book.ask_count == 0 ||
        !ladder_price_above(instrument, market, &above) ||
        tg_price_change(of->book.ask[0].price, market, &spread) != TG_OK || spread <= 0) {
        return market;
    }
    const int64_t tick = above - market;
    const int64_t ticks = spread / 2 / tick;
    return ticks < (int64_t)(axis->row_count / 2) ? market + ticks * tick : market;
}

bool depth_ladder_recentre(ladder_axis *axis, const instrument_view *shown)
{
    const ladder_book of = book_of(shown);
    int64_t price = 0;
    if (!shown->opened || shown->seen.instrument == NULL || !market_of(shown, &of, &price)) {
        return false;
    }
    ladder_axis_centre(axis, shown->seen.instrument,
                       middle_of(axis, shown->seen.instrument, &of, price));
    return true;
}

/* A panel that is being drawn. */
typedef struct ladder_pen {
    panel_pen panel;
    const instrument_view *shown;
    const ladder_axis *axis;
    const ladder_book *of;
    int64_t largest; /* quantity */
    size_t between;  /* levels that stand on no row */
} ladder_pen;

static uint32_t colour_of(const ladder_pen *pen, uint32_t colour)
{
    return pen->of->suspect ? pen->panel.palette->stale : colour;
}

static void draw_prices(const ladder_pen *pen)
{
    const tg_palette *palette = pen->panel.palette;
    const tg_price_style style = tg_price_style_of(pen->shown->seen.instrument);
    for (size_t i = 0; i < pen->axis->row_count; i++) {
        char text[TG_PRICE_TEXT_SIZE] = "";
        if (pen->axis->present[i]) {
            price_field_price(style, pen->axis->price[i], text);
        }
        const ladder_cells cells = depth_ladder_cells(pen->panel.area, i);
        panel_number(&pen->panel, cells.price, colour_of(pen, palette->label), text);
    }
}

/* Cells of a bar that is as long as its quantity against the largest one; 1 at least. */
static uint16_t bar_cells(const ladder_pen *pen, int64_t quantity, uint16_t width)
{
    if (quantity <= 0 || pen->largest <= 0 || width == 0) {
        return 0;
    }
    const int64_t cell = pen->largest / width;
    const int64_t cells = cell > 0 ? quantity / cell + (quantity % cell != 0 ? 1 : 0) : width;
    return cells < width ? (uint16_t)cells : width;
}

/* A number of ASCII on two backgrounds: the bar's from first on, count cells. */
static void put_on_bar(const ladder_pen *pen, tg_span span, const char *text, tg_style style,
                       uint16_t first, uint16_t count, uint32_t bar)
{
    const size_t length = strlen(text);
    const bool whole = length <= span.width && tg_text_columns(text) == length;
    if (!whole || count == 0 || pen->of->suspect) {
        tg_grid_put_number(pen->panel.grid, span, style, text);
        return;
    }
    const uint16_t pad = (uint16_t)(span.width - length);
    for (uint16_t i = 0; i < span.width; i++) {
        const char cell[2] = {i >= pad ? text[i - pad] : ' ', '\0'};
        tg_style here = style;
        here.background = i >= first && i < first + count ? bar : style.background;
        tg_grid_put(pen->panel.grid, span.row, (uint16_t)(span.column + i), here, cell);
    }
}

static void draw_level(ladder_pen *pen, const tg_level *level, bool is_bid, bool is_best)
{
    const tg_palette *palette = pen->panel.palette;
    size_t row = 0;
    const ladder_place place = ladder_axis_find(pen->axis, level->price, &row);
    if (place != LADDER_ON_ROW) {
        pen->between += place == LADDER_BETWEEN ? 1 : 0;
        return;
    }
    const ladder_cells cells = depth_ladder_cells(pen->panel.area, row);
    const tg_span span = is_bid ? cells.bid_size : cells.ask_size;
    const bool known = is_bid ? pen->of->bid_has_quantity : pen->of->ask_has_quantity;
    char text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    if (known) {
        price_field_quantity(pen->shown->seen.instrument->quantity_exponent, level->quantity, text);
    }
    const tg_style style = {colour_of(pen, is_bid ? palette->up : palette->down),
                            palette->background, is_best ? TG_CELL_BOLD : 0u};
    const uint16_t bar = known ? bar_cells(pen, level->quantity, span.width) : 0;
    put_on_bar(pen, span, text, style, is_bid ? (uint16_t)(span.width - bar) : 0, bar,
               is_bid ? palette->up_fading : palette->down_fading);
    if (is_best) {
        char price[TG_PRICE_TEXT_SIZE];
        price_field_price(tg_price_style_of(pen->shown->seen.instrument), level->price, price);
        const tg_style best = {colour_of(pen, palette->text), palette->background, TG_CELL_BOLD};
        tg_grid_put_number(pen->panel.grid, cells.price, best, price);
    }
}

static void draw_levels(ladder_pen *pen)
{
    const tg_book *book = &pen->of->book;
    for (uint8_t i = 0; i < book->bid_count; i++) {
        pen->largest = book->bid[i].quantity > pen->largest ? book->bid[i].quantity : pen->largest;
    }
    for (uint8_t i = 0; i < book->ask_count; i++) {
        pen->largest = book->ask[i].quantity > pen->largest ? book->ask[i].quantity : pen->largest;
    }
    for (uint8_t i = 0; i < book->bid_count; i++) {
        draw_level(pen, &book->bid[i], true, i == 0);
    }
    for (uint8_t i = 0; i < book->ask_count; i++) {
        draw_level(pen, &book->ask[i], false, i == 0);
    }
}

/* Between price and asks: where the last trade was, and which way it went. */
static void draw_last(const ladder_pen *pen)
{
    int64_t last = 0;
    size_t row = 0;
    if (!instrument_view_value(pen->shown, TG_FIELD_LAST_PRICE, &last) ||
        ladder_axis_find(pen->axis, last, &row) != LADDER_ON_ROW) {
        return;
    }
    const tg_palette *palette = pen->panel.palette;
    const ladder_cells cells = depth_ladder_cells(pen->panel.area, row);
    const tg_span mark = {cells.price.row, (uint16_t)(cells.price.column + cells.price.width), 1};
    const int direction = pen->shown->watch != NULL ? pen->shown->watch->last.direction : 0;
    const uint32_t colour = direction > 0   ? palette->up
                            : direction < 0 ? palette->down
                                            : palette->label;
    panel_label(&pen->panel, mark, colour_of(pen, colour),
                direction > 0   ? PRICE_FIELD_UP
                : direction < 0 ? PRICE_FIELD_DOWN
                                : "\xE2\x97\x8F");
}

static void draw_source(const ladder_pen *pen)
{
    const instrument_view *shown = pen->shown;
    char text[128];
    if (shown->has_depth) {
        (void)snprintf(text, sizeof text, "depth: %u bids, %u asks",
                       (unsigned)pen->of->book.bid_count, (unsigned)pen->of->book.ask_count);
    } else {
        (void)snprintf(text, sizeof text, "%s",
                       shown->priority_given ? "depth: not sent by gateway"
                                             : "depth: none came, best only");
    }
    uint32_t colour = shown->has_depth ? pen->panel.palette->label : pen->panel.palette->warning;
    if (pen->between > 0) {
        (void)snprintf(text, sizeof text, "%zu levels between the rows", pen->between);
        colour = pen->panel.palette->warning;
    }
    panel_label(&pen->panel, depth_ladder_source(pen->panel.area), colour, text);
}

static bool is_at(const ladder_axis *axis, const tg_level *level, uint8_t count, ladder_place place)
{
    size_t row = 0;
    return count > 0 && ladder_axis_find(axis, level->price, &row) == place;
}

typedef enum market_way {
    MARKET_ON_AXIS,
    MARKET_ABOVE,
    MARKET_BELOW,
    MARKET_AROUND /* one best price above, the other below */
} market_way;

static market_way way_to_market(const ladder_axis *axis, const tg_book *book)
{
    const bool above = is_at(axis, &book->bid[0], book->bid_count, LADDER_ABOVE) ||
                       is_at(axis, &book->ask[0], book->ask_count, LADDER_ABOVE);
    const bool below = is_at(axis, &book->bid[0], book->bid_count, LADDER_BELOW) ||
                       is_at(axis, &book->ask[0], book->ask_count, LADDER_BELOW);
    if (!axis->centred || above == below) {
        return axis->centred && above ? MARKET_AROUND : MARKET_ON_AXIS;
    }
    return above ? MARKET_ABOVE : MARKET_BELOW;
}

/* The head of the prices says where a best price is that has no row here. */
static void draw_heads(const panel_pen *pen, market_way way)
{
    static const char *const price_heads[] = {"price", "market " PRICE_FIELD_UP,
                                              "market " PRICE_FIELD_DOWN, "wide spread"};
    const ladder_cells heads = depth_ladder_heads(pen->area);
    const tg_style style = {pen->palette->label, pen->palette->background, 0};
    const tg_style price = {way == MARKET_ON_AXIS ? pen->palette->label : pen->palette->warning,
                            pen->palette->background, 0};
    tg_grid_put_label(pen->grid, heads.bid_size, TG_ALIGN_RIGHT, style, "bid");
    tg_grid_put_label(pen->grid, heads.price, TG_ALIGN_RIGHT, price, price_heads[way]);
    tg_grid_put_label(pen->grid, heads.ask_size, TG_ALIGN_RIGHT, style, "ask");
}

/* How good the data is if it may be old, else what brings the market back. */
static void fill_note(const instrument_view *shown, const ladder_book *of, market_way way,
                      const tg_palette *palette, char note[QUALITY_NOTE_SIZE], uint32_t *colour)
{
    const tg_row *line = shown->seen.row;
    *colour = palette->warning;
    if (of->suspect && (shown->has_depth || line != NULL)) {
        const tg_quality quality = shown->has_depth ? shown->depth.quality : line->quality;
        quality_note(quality, shown->has_depth ? shown->depth.age_ns : line->age_ns, note);
        *colour = quality_colour(palette, quality);
    } else if (way == MARKET_ABOVE || way == MARKET_BELOW) {
        (void)snprintf(note, QUALITY_NOTE_SIZE, "Space recentres");
    }
}

void depth_ladder_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                       const instrument_view *shown, ladder_axis *axis)
{
    char note[QUALITY_NOTE_SIZE] = "";
    panel_title title = {"F4", "ladder", note, palette->warning, focused};
    const tg_instrument *instrument = shown->opened ? shown->seen.instrument : NULL;
    if (instrument == NULL) {
        (void)panel_begin(grid, palette, area, &title);
        return;
    }
    const ladder_book of = book_of(shown);
    ladder_axis_fit(axis, instrument, depth_ladder_rows(area));
    if (!axis->centred || axis->price_exponent != instrument->price_exponent) {
        axis->centred = false;
        (void)depth_ladder_recentre(axis, shown);
        ladder_axis_fit(axis, instrument, depth_ladder_rows(area));
    }
    const market_way way = way_to_market(axis, &of.book);
    fill_note(shown, &of, way, palette, note, &title.note_colour);
    ladder_pen pen = {
        .panel = panel_begin(grid, palette, area, &title),
        .shown = shown,
        .axis = axis,
        .of = &of,
    };
    draw_heads(&pen.panel, way);
    draw_prices(&pen);
    draw_levels(&pen);
    draw_last(&pen);
    draw_source(&pen);
}
