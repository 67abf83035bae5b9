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
        .mark = panel_span(&pen, row, (uint16_t)(MARGIN + size + 1 + price), 1),
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
    ladder_frame frame;
    size_t between; /* levels that stand on no row */
} ladder_pen;

static uint32_t colour_of(const ladder_pen *pen, uint32_t colour)
{
    return pen->frame.suspect ? pen->panel.palette->stale : colour;
}

/* A number of ASCII on two backgrounds: the bar's from first on, count cells. */
static void put_on_bar(const ladder_pen *pen, tg_span span, const char *text, tg_style style,
                       uint16_t first, uint16_t count, uint32_t bar)
{
    const size_t length = strlen(text);
    const bool whole = length <= span.width && tg_text_columns(text) == length;
    if (!whole || count == 0 || pen->frame.suspect) {
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

static void draw_size(const ladder_pen *pen, tg_span span, const ladder_size *size, bool is_bid)
{
    const tg_palette *palette = pen->panel.palette;
    char text[TG_PRICE_TEXT_SIZE] = "";
    if (size->has_quantity) {
        price_field_quantity(pen->frame.quantity_exponent, size->quantity, text);
    } else if (size->there) {
        (void)strcpy(text, TG_PRICE_TEXT_NULL);
    }
    const tg_style style = {colour_of(pen, is_bid ? palette->up : palette->down),
                            palette->background, size->best ? TG_CELL_BOLD : 0u};
    put_on_bar(pen, span, text, style, is_bid ? (uint16_t)(span.width - size->bar) : 0, size->bar,
               is_bid ? palette->up_fading : palette->down_fading);
}

/* Between price and asks: where the last trade was, and which way it went. */
static void draw_last(const ladder_pen *pen, tg_span mark, const ladder_line *line)
{
    const tg_palette *palette = pen->panel.palette;
    const int direction = line->last_direction;
    const uint32_t colour = direction > 0   ? palette->up
                            : direction < 0 ? palette->down
                                            : palette->label;
    panel_label(&pen->panel, mark, colour_of(pen, colour),
                !line->has_last ? ""
                : direction > 0 ? PRICE_FIELD_UP
                : direction < 0 ? PRICE_FIELD_DOWN
                                : "\xE2\x97\x8F");
}

static void draw_line(const ladder_pen *pen, size_t row, const ladder_line *line)
{
    const tg_palette *palette = pen->panel.palette;
    const ladder_cells cells = depth_ladder_cells(pen->panel.area, row);
    const bool best = line->bid.best || line->ask.best;
    const tg_style style = {colour_of(pen, best ? palette->text : palette->label),
                            palette->background, best ? TG_CELL_BOLD : 0u};
    char text[TG_PRICE_TEXT_SIZE] = "";
    if (line->has_price) {
        price_field_price(pen->frame.style, line->price, text);
    }
    tg_grid_put_number(pen->panel.grid, cells.price, style, text);
    draw_size(pen, cells.bid_size, &line->bid, true);
    draw_size(pen, cells.ask_size, &line->ask, false);
    draw_last(pen, cells.mark, line);
}

/* Cells of a bar that is as long as its quantity against the largest one; 1 at least. */
static uint16_t bar_cells(int64_t largest, int64_t quantity, uint16_t width)
{
    if (quantity <= 0 || largest <= 0 || width == 0) {
        return 0;
    }
    const int64_t cell = largest / width;
    const int64_t cells = cell > 0 ? quantity / cell + (quantity % cell != 0 ? 1 : 0) : width;
    return cells < width ? (uint16_t)cells : width;
}

static int64_t largest_of(const tg_book *book)
{
    int64_t largest = 0;
    for (uint8_t i = 0; i < book->bid_count; i++) {
        largest = book->bid[i].quantity > largest ? book->bid[i].quantity : largest;
    }
    for (uint8_t i = 0; i < book->ask_count; i++) {
        largest = book->ask[i].quantity > largest ? book->ask[i].quantity : largest;
    }
    return largest;
}

/* One side of the book: its levels go to the rows that have their prices. */
static void place_levels(ladder_pen *pen, bool is_bid, ladder_line *lines)
{
    const tg_book *book = &pen->of->book;
    const tg_level *levels = is_bid ? book->bid : book->ask;
    const uint8_t count = is_bid ? book->bid_count : book->ask_count;
    const bool known = is_bid ? pen->of->bid_has_quantity : pen->of->ask_has_quantity;
    const uint16_t width = depth_ladder_cells(pen->panel.area, 0).bid_size.width;
    const int64_t largest = largest_of(book);
    for (uint8_t i = 0; i < count; i++) {
        size_t row = 0;
        const ladder_place place = ladder_axis_find(pen->axis, levels[i].price, &row);
        if (place != LADDER_ON_ROW) {
            pen->between += place == LADDER_BETWEEN ? 1 : 0;
            continue;
        }
        ladder_size *size = is_bid ? &lines[row].bid : &lines[row].ask;
        size->there = true;
        size->best = i == 0;
        size->has_quantity = known;
        size->quantity = known ? levels[i].quantity : 0;
        size->bar = known ? bar_cells(largest, levels[i].quantity, width) : 0;
    }
}

static void fill_lines(ladder_pen *pen, ladder_line *lines)
{
    int64_t last = 0;
    size_t row = 0;
    memset(lines, 0, pen->axis->row_count * sizeof *lines); /* compared as bytes */
    for (size_t i = 0; i < pen->axis->row_count; i++) {
        lines[i].has_price = pen->axis->present[i];
        lines[i].price = pen->axis->price[i];
    }
    place_levels(pen, true, lines);
    place_levels(pen, false, lines);
    if (instrument_view_value(pen->shown, TG_FIELD_LAST_PRICE, &last) &&
        ladder_axis_find(pen->axis, last, &row) == LADDER_ON_ROW) {
        lines[row].has_last = true;
        lines[row].last_direction =
            pen->shown->watch != NULL ? (int8_t)pen->shown->watch->last.direction : 0;
    }
}

static void draw_lines(ladder_pen *pen, ladder_memory *memory)
{
    ladder_line lines[LADDER_ROWS_MAX];
    fill_lines(pen, lines);
    for (size_t i = 0; i < pen->axis->row_count; i++) {
        if (!memory->frame.known || memcmp(&lines[i], &memory->line[i], sizeof lines[i]) != 0) {
            draw_line(pen, i, &lines[i]);
            memory->line[i] = lines[i];
        }
    }
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

static ladder_frame frame_of(const tg_palette *palette, panel_area area,
                             const tg_instrument *instrument, bool suspect)
{
    ladder_frame frame;
    memset(&frame, 0, sizeof frame); /* compared as bytes */
    frame.known = true;
    frame.palette = palette;
    frame.area = area;
    frame.there = instrument != NULL;
    if (instrument != NULL) {
        const tg_price_style style = tg_price_style_of(instrument);
        frame.suspect = suspect;
        frame.style.format = style.format;
        frame.style.exponent = style.exponent;
        frame.quantity_exponent = instrument->quantity_exponent;
    }
    return frame;
}

/* The axis where it has to be: by itself it is centred the first time and in another scale. */
static void fit_axis(ladder_axis *axis, panel_area area, const instrument_view *shown)
{
    const tg_instrument *instrument = shown->seen.instrument;
    ladder_axis_fit(axis, instrument, depth_ladder_rows(area));
    if (!axis->centred || axis->price_exponent != instrument->price_exponent) {
        axis->centred = false;
        (void)depth_ladder_recentre(axis, shown);
        ladder_axis_fit(axis, instrument, depth_ladder_rows(area));
    }
}

void depth_ladder_draw(tg_grid *grid, const tg_palette *palette, panel_area area, bool focused,
                       const instrument_view *shown, ladder_axis *axis, ladder_memory *memory)
{
    char note[QUALITY_NOTE_SIZE] = "";
    panel_title title = {"F4", "ladder", note, palette->warning, focused};
    const tg_instrument *instrument = shown->opened ? shown->seen.instrument : NULL;
    const ladder_book of = book_of(shown);
    market_way way = MARKET_ON_AXIS;
    if (instrument != NULL) {
        fit_axis(axis, area, shown);
        way = way_to_market(axis, &of.book);
        fill_note(shown, &of, way, palette, note, &title.note_colour);
    }
    ladder_pen pen = {
        .shown = shown,
        .axis = axis,
        .of = &of,
        .frame = frame_of(palette, area, instrument, of.suspect),
    };
    memory->frame.known = memcmp(&pen.frame, &memory->frame, sizeof pen.frame) == 0;
    pen.panel = (memory->frame.known ? panel_resume : panel_begin)(grid, palette, area, &title);
    if (instrument != NULL) {
        draw_heads(&pen.panel, way);
        draw_lines(&pen, memory);
        draw_source(&pen);
    }
    memory->frame = pen.frame;
}
