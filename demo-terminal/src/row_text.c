#include "row_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/decimal.h>
#include <tickglass/time_text.h>

#include "price_field.h"

#define NS_PER_MS INT64_C(1000000)

static bool has(const watch_view *view, tg_field field)
{
    return view->row != NULL && view->instrument != NULL && tg_image_has(&view->row->image, field);
}

static bool is_price(column_id column)
{
    return column == COLUMN_BID || column == COLUMN_ASK || column == COLUMN_LAST;
}

static tg_field field_of(column_id column)
{
    switch (column) {
    case COLUMN_BID_SIZE:
        return TG_FIELD_BID_QUANTITY;
    case COLUMN_BID:
        return TG_FIELD_BID_PRICE;
    case COLUMN_ASK:
        return TG_FIELD_ASK_PRICE;
    case COLUMN_ASK_SIZE:
        return TG_FIELD_ASK_QUANTITY;
    case COLUMN_LAST:
    case COLUMN_VENUE:
    case COLUMN_SYMBOL:
    case COLUMN_CHANGE:
    case COLUMN_PERCENT:
    case COLUMN_QUALITY:
    case COLUMN_AGE:
    case COLUMN_COUNT:
        break;
    }
    return TG_FIELD_LAST_PRICE;
}

static bool change_of(const watch_view *view, int64_t *last, int64_t *reference, int64_t *change)
{
    if (!has(view, TG_FIELD_LAST_PRICE) || !price_field_reference(&view->row->image, reference)) {
        return false;
    }
    *last = view->row->image.value[TG_FIELD_LAST_PRICE];
    return tg_price_change(*last, *reference, change) == TG_OK;
}

static void trim_end(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') {
        text[--length] = '\0';
    }
}

static void value_text(column_id column, const watch_view *view, char *text)
{
    const tg_field field = field_of(column);
    if (!has(view, field)) {
        return;
    }
    const int64_t value = view->row->image.value[field];
    if (is_price(column)) {
        price_field_price(tg_price_style_of(view->instrument), value, text);
        trim_end(text); /* the place that is kept for the sign of a half */
    } else {
        price_field_quantity(view->instrument->quantity_exponent, value, text);
    }
}

static void change_text(column_id column, const watch_view *view, char *text)
{
    int64_t last = 0;
    int64_t reference = 0;
    int64_t change = 0;
    if (!change_of(view, &last, &reference, &change)) {
        return;
    }
    if (column == COLUMN_CHANGE) {
        price_field_change(tg_price_style_of(view->instrument), change, text);
        trim_end(text);
    } else if (tg_percent_text(last, reference, text, ROW_TEXT_CELL_SIZE) != TG_OK) {
        text[0] = '\0';
    }
}

_Static_assert(ROW_TEXT_CELL_SIZE >= TG_PRICE_TEXT_SIZE && ROW_TEXT_CELL_SIZE >= TG_TIME_TEXT_SIZE,
               "a cell holds every text of a price and of an age");

void row_text_cell(column_id column, const watch_view *view, char text[ROW_TEXT_CELL_SIZE])
{
    text[0] = '\0';
    switch (column) {
    case COLUMN_VENUE:
        (void)snprintf(text, ROW_TEXT_CELL_SIZE, "%s", view->venue);
        break;
    case COLUMN_SYMBOL:
        (void)snprintf(text, ROW_TEXT_CELL_SIZE, "%s", view->symbol);
        break;
    case COLUMN_BID_SIZE:
    case COLUMN_BID:
    case COLUMN_ASK:
    case COLUMN_ASK_SIZE:
    case COLUMN_LAST:
        value_text(column, view, text);
        break;
    case COLUMN_CHANGE:
    case COLUMN_PERCENT:
        change_text(column, view, text);
        break;
    case COLUMN_QUALITY:
        (void)snprintf(text, ROW_TEXT_CELL_SIZE, "%s", view->word);
        break;
    case COLUMN_AGE:
        if (view->row != NULL &&
            tg_age_text(view->row->age_ns, text, ROW_TEXT_CELL_SIZE) != TG_OK) {
            text[0] = '\0';
        }
        break;
    case COLUMN_COUNT:
        break;
    }
}

/* Adds to text, which has room for every row: 1,024 bytes hold 11 cells and what stands between. */
static void add(char text[ROW_TEXT_SIZE], const char *part)
{
    const size_t length = strlen(text);
    (void)snprintf(text + length, ROW_TEXT_SIZE - length, "%s", part);
}

void row_text_tsv(const column_layout *layout, const watch_view *view, char text[ROW_TEXT_SIZE])
{
    const char *between = "";
    text[0] = '\0';
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (layout->shown[c]) {
            char cell[ROW_TEXT_CELL_SIZE];
            row_text_cell((column_id)c, view, cell);
            for (char *at = cell; *at != '\0'; at++) {
                *at = *at == '\t' || *at == '\n' || *at == '\r' ? ' ' : *at;
            }
            add(text, between);
            add(text, cell);
            between = "\t";
        }
    }
}

/* --- CSV --- */

/* RFC 4180: what holds a comma, a quote or a line's end stands in quotes, quotes twice. */
static void add_quoted(char text[ROW_TEXT_SIZE], const char *value)
{
    char quoted[2 * ROW_TEXT_CELL_SIZE + 3];
    size_t length = 0;
    if (strpbrk(value, ",\"\r\n") == NULL) {
        add(text, value);
        return;
    }
    quoted[length++] = '"';
    for (; *value != '\0' && length + 3 < sizeof quoted; value++) {
        if (*value == '"') {
            quoted[length++] = '"';
        }
        quoted[length++] = *value;
    }
    quoted[length++] = '"';
    quoted[length] = '\0';
    add(text, quoted);
}

static void add_decimal(char text[ROW_TEXT_SIZE], bool present, tg_decimal value)
{
    char number[TG_DECIMAL_TEXT_SIZE];
    add(text, ",");
    if (present && tg_decimal_format(value, number, sizeof number) == TG_OK) {
        add(text, number);
    }
}

static void add_value(char text[ROW_TEXT_SIZE], const watch_view *view, column_id column)
{
    const tg_field field = field_of(column);
    tg_decimal value = {0, 0};
    const bool present = has(view, field);
    if (present) {
        value.mantissa = view->row->image.value[field];
        value.exponent = is_price(column) ? view->instrument->price_exponent
                                          : view->instrument->quantity_exponent;
    }
    add_decimal(text, present, value);
}

static void add_time(char text[ROW_TEXT_SIZE], bool present, int64_t utc_ns)
{
    char utc[TG_TIME_TEXT_SIZE];
    add(text, ",");
    if (present && tg_utc_text(utc_ns, utc, sizeof utc) == TG_OK) {
        add(text, utc);
    }
}

const char *row_text_csv_names(void)
{
    return "venue,symbol,bid_size,bid,ask,ask_size,last,change,percent,quality,age_ms,"
           "exchange_time,exported_at\n";
}

void row_text_csv(const watch_view *view, int64_t now_utc_ns, char text[ROW_TEXT_SIZE])
{
    int64_t last = 0;
    int64_t reference = 0;
    int64_t change = 0;
    char cell[ROW_TEXT_CELL_SIZE];
    text[0] = '\0';
    add_quoted(text, view->venue);
    add(text, ",");
    add_quoted(text, view->symbol);
    for (int c = COLUMN_BID_SIZE; c <= COLUMN_LAST; c++) {
        add_value(text, view, (column_id)c);
    }
    const bool known = change_of(view, &last, &reference, &change);
    add_decimal(text, known,
                (tg_decimal){change, known ? view->instrument->price_exponent : (int8_t)0});
    row_text_cell(COLUMN_PERCENT, view, cell);
    const size_t length = strlen(cell);
    if (length > 0 && cell[length - 1] == '%') {
        cell[length - 1] = '\0';
    } else {
        cell[0] = '\0'; /* the dash of a reference of 0 */
    }
    add(text, ",");
    add(text, cell);
    add(text, ",");
    add_quoted(text, view->word);
    (void)snprintf(cell, sizeof cell, ",%" PRId64,
                   view->row != NULL ? view->row->age_ns / NS_PER_MS : 0);
    add(text, view->row != NULL && view->row->age_ns >= 0 ? cell : ",");
    const bool timed = has(view, TG_FIELD_TS_EXCHANGE);
    add_time(text, timed, timed ? view->row->image.value[TG_FIELD_TS_EXCHANGE] : 0);
    add_time(text, true, now_utc_ns);
    add(text, "\n");
}
