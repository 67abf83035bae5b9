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
/* Of a panel whose title has room for the longest note. */
#define LONG_NOTE_WIDTH 40

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

/* Where a level stands on the axis. */
typedef struct level_place {
    ladder_place place;
    size_t row;
} level_place;

/* What of one side has no row to stand on because the axis ends before. */
typedef struct off_axis {
    size_t above;
    size_t below;
    int64_t quantity; /* of both */
    bool quantity_is_known;
} off_axis;

/* One side, best first. */
typedef struct ladder_side {
    const tg_level *level;
    uint8_t count;
    bool has_quantity; /* a book's levels always have one */
    level_place at[TG_BOOK_DEPTH_MAX];
    off_axis off;
} ladder_side;

/* What stands on the axis, and how much it is worth. */
typedef struct ladder_book {
    tg_book book;
    ladder_side bid;
    ladder_side ask;
    size_t between; /* levels of both that stand on no row, and neither above nor below them */
    bool suspect;
} ladder_book;

static void read_book(const instrument_view *shown, ladder_book *out)
{
    memset(out, 0, sizeof *out);
    out->bid.has_quantity = true;
    out->ask.has_quantity = true;
    if (shown->has_depth) {
        out->book = shown->depth.book;
        out->suspect = quality_is_suspect(shown->depth.quality);
    } else {
        out->suspect = instrument_view_is_suspect(shown);
        tg_level *bid = &out->book.bid[0];
        tg_level *ask = &out->book.ask[0];
        out->book.bid_count = instrument_view_value(shown, TG_FIELD_BID_PRICE, &bid->price) ? 1 : 0;
        out->book.ask_count = instrument_view_value(shown, TG_FIELD_ASK_PRICE, &ask->price) ? 1 : 0;
        out->bid.has_quantity = instrument_view_value(shown, TG_FIELD_BID_QUANTITY, &bid->quantity);
        out->ask.has_quantity = instrument_view_value(shown, TG_FIELD_ASK_QUANTITY, &ask->quantity);
    }
    out->bid.level = out->book.bid;
    out->bid.count = out->book.bid_count;
    out->ask.level = out->book.ask;
    out->ask.count = out->book.ask_count;
}

/* A sum beyond 64 bits is not known either. */
static void add_off_axis(off_axis *off, int64_t quantity)
{
    off->quantity_is_known =
        off->quantity_is_known && quantity >= 0 && quantity <= INT64_MAX - off->quantity;
    off->quantity += off->quantity_is_known ? quantity : 0;
}

/* Each level once: on a row, between two, above or below. */
static void place_side(ladder_book *of, ladder_side *side, const ladder_axis *axis)
{
    side->off.quantity_is_known = side->has_quantity;
    for (uint8_t i = 0; i < side->count; i++) {
        level_place *at = &side->at[i];
        at->place = ladder_axis_find(axis, side->level[i].price, &at->row);
        of->between += at->place == LADDER_BETWEEN ? 1 : 0;
        side->off.above += at->place == LADDER_ABOVE ? 1 : 0;
        side->off.below += at->place == LADDER_BELOW ? 1 : 0;
        if (at->place == LADDER_ABOVE || at->place == LADDER_BELOW) {
            add_off_axis(&side->off, side->level[i].quantity);
        }
    }
}

static size_t off_axis_count(const off_axis *off)
{
    return off->above + off->below;
}

static bool is_all_off_axis(const ladder_book *of)
{
    const size_t count = (size_t)of->bid.count + of->ask.count;
    return count > 0 && off_axis_count(&of->bid.off) + off_axis_count(&of->ask.off) == count;
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
    ladder_book of;
    int64_t price = 0;
    read_book(shown, &of);
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

static int64_t larger(int64_t largest, const ladder_side *side)
{
    for (uint8_t i = 0; i < side->count; i++) {
        largest = side->level[i].quantity > largest ? side->level[i].quantity : largest;
    }
    return largest;
}

/* One side of the book: its levels go to the rows that have their prices. */
static void fill_side(const ladder_pen *pen, const ladder_side *side, ladder_line *lines)
{
    const bool is_bid = side == &pen->of->bid;
    const uint16_t width = depth_ladder_cells(pen->panel.area, 0).bid_size.width;
    const int64_t largest = larger(larger(0, &pen->of->bid), &pen->of->ask);
    for (uint8_t i = 0; i < side->count; i++) {
        if (side->at[i].place != LADDER_ON_ROW) {
            continue;
        }
        ladder_line *line = &lines[side->at[i].row];
        ladder_size *size = is_bid ? &line->bid : &line->ask;
        size->there = true;
        size->best = i == 0;
        size->has_quantity = side->has_quantity;
        size->quantity = side->has_quantity ? side->level[i].quantity : 0;
        size->bar = side->has_quantity ? bar_cells(largest, side->level[i].quantity, width) : 0;
    }
}

static void fill_lines(const ladder_pen *pen, ladder_line *lines)
{
    int64_t last = 0;
    size_t row = 0;
    memset(lines, 0, pen->axis->row_count * sizeof *lines); /* compared as bytes */
    for (size_t i = 0; i < pen->axis->row_count; i++) {
        lines[i].has_price = pen->axis->present[i];
        lines[i].price = pen->axis->price[i];
    }
    fill_side(pen, &pen->of->bid, lines);
    fill_side(pen, &pen->of->ask, lines);
    if (instrument_view_value(pen->shown, TG_FIELD_LAST_PRICE, &last) &&
        ladder_axis_find(pen->axis, last, &row) == LADDER_ON_ROW) {
        lines[row].has_last = true;
        lines[row].last_direction =
            pen->shown->watch != NULL ? (int8_t)pen->shown->watch->last.direction : 0;
    }
}

static void draw_lines(const ladder_pen *pen, ladder_memory *memory)
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

/* "0.115 bid, 2.4 ask" of what is off the axis; "": nothing is, or it is not known. */
static void write_off_axis(const ladder_pen *pen, char *text, size_t size)
{
    char quantity[2][TG_PRICE_TEXT_SIZE];
    const ladder_side *sides[2] = {&pen->of->bid, &pen->of->ask};
    text[0] = '\0';
    if (off_axis_count(&sides[0]->off) + off_axis_count(&sides[1]->off) == 0) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (!sides[i]->off.quantity_is_known) {
            return;
        }
        price_field_quantity(pen->shown->seen.instrument->quantity_exponent, sides[i]->off.quantity,
                             quantity[i]);
    }
    (void)snprintf(text, size, "; off axis %s bid, %s ask", quantity[0], quantity[1]);
}

static void draw_source(const ladder_pen *pen)
{
    const instrument_view *shown = pen->shown;
    const tg_span span = depth_ladder_source(pen->panel.area);
    char text[256];
    if (shown->has_depth) {
        const int length = snprintf(text, sizeof text, "depth: %u bids, %u asks",
                                    (unsigned)pen->of->bid.count, (unsigned)pen->of->ask.count);
        write_off_axis(pen, text + length, sizeof text - (size_t)length);
        if (tg_text_columns(text) > span.width) {
            text[length] = '\0'; /* a number is whole or not there */
        }
    } else {
        (void)snprintf(text, sizeof text, "%s",
                       shown->priority_given ? "depth: not sent by gateway"
                                             : "depth: none came, best only");
    }
    uint32_t colour = shown->has_depth ? pen->panel.palette->label : pen->panel.palette->warning;
    if (pen->of->between > 0) {
        (void)snprintf(text, sizeof text, "%zu levels between the rows", pen->of->between);
        colour = pen->panel.palette->warning;
    }
    panel_label(&pen->panel, span, colour, text);
}

typedef enum market_way {
    MARKET_ON_AXIS,
    MARKET_ABOVE,
    MARKET_BELOW,
    MARKET_AROUND /* one best price above, the other below */
} market_way;

static bool best_is_at(const ladder_side *side, ladder_place place)
{
    return side->count > 0 && side->at[0].place == place;
}

static market_way way_to_market(const ladder_axis *axis, const ladder_book *of)
{
    const bool above = best_is_at(&of->bid, LADDER_ABOVE) || best_is_at(&of->ask, LADDER_ABOVE);
    const bool below = best_is_at(&of->bid, LADDER_BELOW) || best_is_at(&of->ask, LADDER_BELOW);
    if (!axis->centred || above == below) {
        return axis->centred && above ? MARKET_AROUND : MARKET_ON_AXIS;
    }
    return above ? MARKET_ABOVE : MARKET_BELOW;
}

/* With how many of its levels the axis has no row for. That outer levels are among them is
 * ordinary; the best one is not. */
static void draw_side_head(const panel_pen *pen, tg_span span, const char *name,
                           const ladder_side *side)
{
    const off_axis *off = &side->off;
    char counts[64] = "";
    char text[96];
    if (off->above > 0) {
        (void)snprintf(counts, sizeof counts, PRICE_FIELD_UP "%zu ", off->above);
    }
    if (off->below > 0) {
        const size_t used = strlen(counts);
        (void)snprintf(counts + used, sizeof counts - used, PRICE_FIELD_DOWN "%zu ", off->below);
    }
    (void)snprintf(text, sizeof text, "%s%s", counts, name);
    if (counts[0] != '\0' && tg_text_columns(text) > span.width) {
        counts[strlen(counts) - 1] = '\0';
        (void)snprintf(text, sizeof text, "%s", counts); /* its place says which side it is */
    }
    const bool lacks_best = best_is_at(side, LADDER_ABOVE) || best_is_at(side, LADDER_BELOW);
    const uint32_t colour = lacks_best ? pen->palette->warning : pen->palette->label;
    tg_grid_put_label(pen->grid, span, TG_ALIGN_RIGHT, panel_style(pen, colour), text);
}

/* The head of the prices says where a best price is that has no row here. */
static void draw_heads(const panel_pen *pen, const ladder_book *of, market_way way)
{
    static const char *const price_heads[] = {"price", "market " PRICE_FIELD_UP,
                                              "market " PRICE_FIELD_DOWN, "wide spread"};
    const ladder_cells heads = depth_ladder_heads(pen->area);
    const tg_style price = {way == MARKET_ON_AXIS ? pen->palette->label : pen->palette->warning,
                            pen->palette->background, 0};
    draw_side_head(pen, heads.bid_size, "bid", &of->bid);
    tg_grid_put_label(pen->grid, heads.price, TG_ALIGN_RIGHT, price, price_heads[way]);
    draw_side_head(pen, heads.ask_size, "ask", &of->ask);
}

/* What brings the market back, "" if it is there. */
static const char *recentre_note(const ladder_book *of, market_way way, uint16_t width)
{
    if (is_all_off_axis(of) && width >= LONG_NOTE_WIDTH) {
        return "book off axis: Space recentres";
    }
    return way == MARKET_ABOVE || way == MARKET_BELOW || is_all_off_axis(of) ? "Space recentres"
                                                                             : "";
}

/* How good the data is if it may be old, else what there is to say otherwise. */
static void fill_note(const instrument_view *shown, const ladder_book *of, const char *otherwise,
                      const tg_palette *palette, char note[QUALITY_NOTE_SIZE], uint32_t *colour)
{
    const tg_row *line = shown->seen.row;
    *colour = palette->warning;
    if (of->suspect && (shown->has_depth || line != NULL)) {
        const tg_quality quality = shown->has_depth ? shown->depth.quality : line->quality;
        quality_note(quality, shown->has_depth ? shown->depth.age_ns : line->age_ns, note);
        *colour = quality_colour(palette, quality);
    } else {
        (void)snprintf(note, QUALITY_NOTE_SIZE, "%s", otherwise);
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
    market_way way = MARKET_ON_AXIS;
    ladder_book of;
    read_book(shown, &of);
    if (instrument != NULL) {
        fit_axis(axis, area, shown);
        place_side(&of, &of.bid, axis);
        place_side(&of, &of.ask, axis);
        way = way_to_market(axis, &of);
        fill_note(shown, &of, recentre_note(&of, way, area.width), palette, note,
                  &title.note_colour);
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
        draw_heads(&pen.panel, &of, way);
        draw_lines(&pen, memory);
        draw_source(&pen);
    }
    memory->frame = pen.frame;
}
