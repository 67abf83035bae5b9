#include "watchlist_panel.h"

#include <stdio.h>
#include <string.h>

#include <tickglass/time_text.h>

#include "price_field.h"
#include "quality_look.h"

/* A row that is being drawn. */
typedef struct row_pen {
    tg_grid *grid;
    column_layout *layout;
    const tg_palette *palette;
    const watch_view *view;
    uint16_t grid_row;
    bool suspect;
    uint32_t background;
    int64_t now_mono_ns;
} row_pen;

/* Solid arrows: the rows stand in this order; dashed ones: they did when it was made. */
static const char *order_mark(const watchlist_titles *titles)
{
    if (titles->order_is_old) {
        return titles->descending ? "\xE2\x87\xA3" : "\xE2\x87\xA1";
    }
    return titles->descending ? "\xE2\x86\x93" : "\xE2\x86\x91";
}

void watchlist_draw_titles(tg_grid *grid, uint16_t grid_row, const column_layout *layout,
                           const tg_palette *palette, const watchlist_titles *titles)
{
    const bool focused = titles->focused;
    const tg_style style = {focused ? palette->text : palette->label,
                            focused ? palette->selected : palette->bar,
                            focused ? TG_CELL_BOLD : 0u};
    tg_grid_fill(grid, (tg_span){grid_row, 0, layout->total}, style);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        const column_id column = (column_id)c;
        if (!layout->shown[c]) {
            continue;
        }
        char text[32];
        tg_style own = style;
        (void)snprintf(text, sizeof text, "%s%s", column_title(column),
                       column == titles->sorted ? order_mark(titles) : "");
        if (column == titles->cursor && focused) {
            own.marks |= TG_CELL_UNDERLINE;
        }
        tg_grid_put_label(grid, columns_span(layout, column, grid_row),
                          column_is_number(column) ? TG_ALIGN_RIGHT : TG_ALIGN_LEFT, own, text);
    }
    if (focused) {
        const tg_style mark = {palette->up, style.background, TG_CELL_BOLD};
        tg_grid_put_label(grid, (tg_span){grid_row, 0, 1}, TG_ALIGN_LEFT, mark, "\xE2\x96\xB8");
    }
}

static tg_span span_of(const row_pen *pen, column_id column)
{
    return columns_span(pen->layout, column, pen->grid_row);
}

static tg_style style_of(const row_pen *pen, uint32_t foreground)
{
    const tg_style style = {pen->suspect ? pen->palette->stale : foreground, pen->background, 0};
    return style;
}

static void put_number(const row_pen *pen, column_id column, tg_style style, const char *text)
{
    columns_want(pen->layout, column, tg_text_columns(text));
    if (pen->layout->shown[column]) {
        tg_grid_put_number(pen->grid, span_of(pen, column), style, text);
    }
}

static void put_label(const row_pen *pen, column_id column, tg_style style, const char *text)
{
    columns_want(pen->layout, column, tg_text_columns(text));
    if (pen->layout->shown[column]) {
        tg_grid_put_label(pen->grid, span_of(pen, column), TG_ALIGN_LEFT, style, text);
    }
}

static const tg_image *image_of(const row_pen *pen)
{
    return pen->view->row != NULL ? &pen->view->row->image : NULL;
}

static bool has(const row_pen *pen, tg_field field)
{
    const tg_image *image = image_of(pen);
    return image != NULL && pen->view->instrument != NULL && tg_image_has(image, field);
}

static uint32_t flash_background(const row_pen *pen, const watch_price *price)
{
    const tg_palette *palette = pen->palette;
    const bool up = price->direction > 0;
    switch (watch_price_phase(price, pen->now_mono_ns)) {
    case FLASH_STRONG:
        return up ? palette->up_flash : palette->down_flash;
    case FLASH_FADING:
        return up ? palette->up_fading : palette->down_fading;
    case FLASH_NONE:
        return pen->background;
    }
    return pen->background;
}

static void price_text(const row_pen *pen, int64_t price, char text[TG_PRICE_TEXT_SIZE])
{
    price_field_price(tg_price_style_of(pen->view->instrument), price, text);
}

/* Where text differs from the text before: what is in front of it need not flash. */
static size_t first_difference(const char *text, const char *before)
{
    size_t at = 0;
    if (strlen(text) != strlen(before)) {
        return 0;
    }
    while (text[at] != '\0' && text[at] == before[at]) {
        at++;
    }
    return at;
}

/* Puts the background of a flash behind the digits that changed. */
static void draw_flash(const row_pen *pen, column_id column, const watch_price *price,
                       const char *text, uint32_t background)
{
    char before[TG_PRICE_TEXT_SIZE];
    price_text(pen, price->before, before);
    const size_t length = strlen(text);
    const size_t from = first_difference(text, before);
    const uint16_t width = span_of(pen, column).width;
    if (length > width || tg_text_columns(text) != length) {
        return; /* shown as "####" */
    }
    const uint16_t at = (uint16_t)(pen->layout->start[column] + width - (length - from));
    const tg_style style = {pen->palette->text, background, 0};
    tg_grid_put(pen->grid, pen->grid_row, at, style, text + from);
}

static void draw_arrow(const row_pen *pen, column_id column, const watch_price *price,
                       uint32_t background)
{
    const bool up = price->direction > 0;
    const uint32_t colour = up ? pen->palette->up : pen->palette->down;
    const tg_style style = {pen->suspect ? pen->palette->stale : colour, background, 0};
    const uint16_t at = (uint16_t)(pen->layout->start[column] + pen->layout->width[column]);
    if (at >= pen->layout->total) {
        return;
    }
    tg_grid_put(pen->grid, pen->grid_row, at, style, up ? PRICE_FIELD_UP : PRICE_FIELD_DOWN);
}

static void draw_price(const row_pen *pen, column_id column, tg_field field,
                       const watch_price *price, bool arrow_stays)
{
    char text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    const bool there = has(pen, field);
    if (there) {
        price_text(pen, image_of(pen)->value[field], text);
    }
    put_number(pen, column, style_of(pen, pen->palette->text), text);
    if (!pen->layout->shown[column] || !there || price->direction == 0) {
        return;
    }
    const bool flashes = !pen->suspect && watch_price_phase(price, pen->now_mono_ns) != FLASH_NONE;
    const uint32_t background = flashes ? flash_background(pen, price) : pen->background;
    if (flashes) {
        draw_flash(pen, column, price, text, background);
    }
    if (flashes || arrow_stays) {
        draw_arrow(pen, column, price, background);
    }
}

static void draw_size(const row_pen *pen, column_id column, tg_field field)
{
    char text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    if (has(pen, field)) {
        price_field_quantity(pen->view->instrument->quantity_exponent, image_of(pen)->value[field],
                             text);
    }
    put_number(pen, column, style_of(pen, pen->palette->label), text);
}

/* Against the previous close, or the open where there is none. */
static void draw_change(const row_pen *pen)
{
    char change_text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    char percent_text[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    uint32_t colour = pen->palette->label;
    const tg_image *image = pen->view->instrument != NULL ? image_of(pen) : NULL;
    int64_t reference = 0;
    int64_t change = 0;
    if (image != NULL && price_field_reference(image, &reference) &&
        tg_price_change(image->value[TG_FIELD_LAST_PRICE], reference, &change) == TG_OK) {
        price_field_change(tg_price_style_of(pen->view->instrument), change, change_text);
        if (tg_percent_text(image->value[TG_FIELD_LAST_PRICE], reference, percent_text,
                            sizeof percent_text) != TG_OK) {
            (void)strcpy(percent_text, "?");
        }
        colour = change > 0   ? pen->palette->up
                 : change < 0 ? pen->palette->down
                              : pen->palette->label;
    }
    put_number(pen, COLUMN_CHANGE, style_of(pen, colour), change_text);
    put_number(pen, COLUMN_PERCENT, style_of(pen, colour), percent_text);
}

static void draw_truth(const row_pen *pen)
{
    const uint32_t colour = pen->view->row != NULL
                                ? quality_colour(pen->palette, pen->view->row->quality)
                                : pen->palette->faint;
    const tg_style word = {colour, pen->background,
                           pen->suspect && pen->view->row != NULL ? TG_CELL_BOLD : 0u};
    put_label(pen, COLUMN_QUALITY, word, pen->view->word);
    char age[TG_TIME_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
    if (pen->view->row != NULL && tg_age_text(pen->view->row->age_ns, age, sizeof age) != TG_OK) {
        (void)strcpy(age, "?");
    }
    const tg_style style = {pen->suspect ? word.foreground : pen->palette->label, pen->background,
                            0};
    put_number(pen, COLUMN_AGE, style, age);
    if (pen->suspect && pen->view->row != NULL) {
        tg_grid_put(pen->grid, pen->grid_row, 0, word, "!");
    }
    if (pen->view->alarmed) {
        /* Background and letters change places: seen without knowing colours. */
        const tg_style alarm = {pen->palette->background, pen->palette->warning, TG_CELL_BOLD};
        tg_grid_put(pen->grid, pen->grid_row, 1, alarm, WATCHLIST_ALARM);
    }
}

void watchlist_draw_row(tg_grid *grid, uint16_t grid_row, column_layout *layout,
                        const tg_palette *palette, const watch_row *watch, const watch_view *view,
                        int64_t now_mono_ns)
{
    const row_pen pen = {
        .grid = grid,
        .layout = layout,
        .palette = palette,
        .view = view,
        .grid_row = grid_row,
        .suspect = view->row == NULL || quality_is_suspect(view->row->quality),
        .background = view->selected ? palette->selected : palette->background,
        .now_mono_ns = now_mono_ns,
    };
    const tg_style blank = {palette->text, pen.background, 0};
    tg_grid_fill(grid, (tg_span){grid_row, 0, layout->total}, blank);
    put_label(&pen, COLUMN_VENUE, style_of(&pen, palette->label), view->venue);
    put_label(&pen, COLUMN_SYMBOL, style_of(&pen, palette->text), view->symbol);
    draw_size(&pen, COLUMN_BID_SIZE, TG_FIELD_BID_QUANTITY);
    draw_price(&pen, COLUMN_BID, TG_FIELD_BID_PRICE, &watch->bid, false);
    draw_price(&pen, COLUMN_ASK, TG_FIELD_ASK_PRICE, &watch->ask, false);
    draw_size(&pen, COLUMN_ASK_SIZE, TG_FIELD_ASK_QUANTITY);
    draw_price(&pen, COLUMN_LAST, TG_FIELD_LAST_PRICE, &watch->last, true);
    draw_change(&pen);
    draw_truth(&pen);
}
