#include "row_sort.h"

#include <stdint.h>
#include <string.h>

#include <tickglass/price_text.h>

#include "price_field.h"

static bool field_value(const watch_view *view, tg_field field, bool is_price, tg_decimal *out)
{
    if (view->row == NULL || view->instrument == NULL || !tg_image_has(&view->row->image, field)) {
        return false;
    }
    out->mantissa = view->row->image.value[field];
    out->exponent =
        is_price ? view->instrument->price_exponent : view->instrument->quantity_exponent;
    return true;
}

static bool change_value(const watch_view *view, tg_decimal *out)
{
    int64_t reference = 0;
    tg_decimal last;
    if (!field_value(view, TG_FIELD_LAST_PRICE, true, &last) ||
        !price_field_reference(&view->row->image, &reference)) {
        return false;
    }
    out->exponent = last.exponent;
    return tg_price_change(last.mantissa, reference, &out->mantissa) == TG_OK;
}

/* As it is shown, so that nobody sees an order that the digits do not explain. */
static bool percent_value(const watch_view *view, tg_decimal *out)
{
    char text[TG_PRICE_TEXT_SIZE];
    int64_t reference = 0;
    tg_decimal last;
    if (!field_value(view, TG_FIELD_LAST_PRICE, true, &last) ||
        !price_field_reference(&view->row->image, &reference) ||
        tg_percent_text(last.mantissa, reference, text, sizeof text) != TG_OK) {
        return false;
    }
    const size_t length = strlen(text);
    return length > 0 && text[length - 1] == '%' &&
           tg_decimal_parse(text, length - 1, out) == TG_OK;
}

static bool column_value(column_id column, const watch_view *view, tg_decimal *out)
{
    switch (column) {
    case COLUMN_BID_SIZE:
        return field_value(view, TG_FIELD_BID_QUANTITY, false, out);
    case COLUMN_BID:
        return field_value(view, TG_FIELD_BID_PRICE, true, out);
    case COLUMN_ASK:
        return field_value(view, TG_FIELD_ASK_PRICE, true, out);
    case COLUMN_ASK_SIZE:
        return field_value(view, TG_FIELD_ASK_QUANTITY, false, out);
    case COLUMN_LAST:
        return field_value(view, TG_FIELD_LAST_PRICE, true, out);
    case COLUMN_CHANGE:
        return change_value(view, out);
    case COLUMN_PERCENT:
        return percent_value(view, out);
    case COLUMN_QUALITY:
        *out = (tg_decimal){view->row != NULL ? (int64_t)view->row->quality : 0, 0};
        return view->row != NULL;
    case COLUMN_AGE:
        *out = (tg_decimal){view->row != NULL ? view->row->age_ns : 0, -9};
        return view->row != NULL && view->row->age_ns >= 0;
    case COLUMN_VENUE:
    case COLUMN_SYMBOL:
    case COLUMN_COUNT:
        break;
    }
    return false;
}

row_key row_sort_key(row_sort by, size_t index, const watch_row *watch, const watch_view *view)
{
    row_key key = {.index = index, .descending = by.descending};
    if (by.column == COLUMN_VENUE || by.column == COLUMN_SYMBOL) {
        key.text = by.column == COLUMN_VENUE ? watch->venue : watch->symbol;
        key.then = by.column == COLUMN_VENUE ? watch->symbol : watch->venue;
        key.present = true;
    } else {
        key.present = column_value(by.column, view, &key.value);
    }
    return key;
}

static uint64_t magnitude_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* Compares a x 10^more with b, both over 0. */
static int compare_scaled(uint64_t a, unsigned more, uint64_t b)
{
    for (; more > 0; more--) {
        if (a > UINT64_MAX / 10) {
            return 1; /* over 64 bits, which b is not */
        }
        a *= 10;
    }
    return a < b ? -1 : a > b;
}

int row_sort_compare_decimals(tg_decimal a, tg_decimal b)
{
    const int sign_a = a.mantissa < 0 ? -1 : a.mantissa > 0;
    const int sign_b = b.mantissa < 0 ? -1 : b.mantissa > 0;
    if (sign_a != sign_b || sign_a == 0) {
        return sign_a < sign_b ? -1 : sign_a > sign_b;
    }
    const uint64_t of_a = magnitude_of(a.mantissa);
    const uint64_t of_b = magnitude_of(b.mantissa);
    const int order = a.exponent >= b.exponent
                          ? compare_scaled(of_a, (unsigned)(a.exponent - b.exponent), of_b)
                          : -compare_scaled(of_b, (unsigned)(b.exponent - a.exponent), of_a);
    return sign_a > 0 ? order : -order;
}

int row_key_compare(const row_key *a, const row_key *b)
{
    int order = 0;
    if (a->present != b->present) {
        return a->present ? -1 : 1;
    }
    if (a->text != NULL && b->text != NULL) {
        order = strcmp(a->text, b->text);
        order = order == 0 ? strcmp(a->then, b->then) : order;
    } else if (a->present) {
        order = row_sort_compare_decimals(a->value, b->value);
    }
    if (order != 0) {
        return a->descending ? -order : order;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}
