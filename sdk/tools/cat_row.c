#include "cat_row.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

typedef enum unit {
    UNIT_PRICE,
    UNIT_QUANTITY,
    UNIT_NUMBER
} unit;

typedef struct field_row {
    tg_field field;
    unit unit;
    const char *name;
} field_row;

static const field_row fields[] = {
    {TG_FIELD_BID_PRICE, UNIT_PRICE, "bid_price"},
    {TG_FIELD_BID_QUANTITY, UNIT_QUANTITY, "bid_quantity"},
    {TG_FIELD_ASK_PRICE, UNIT_PRICE, "ask_price"},
    {TG_FIELD_ASK_QUANTITY, UNIT_QUANTITY, "ask_quantity"},
    {TG_FIELD_LAST_PRICE, UNIT_PRICE, "last_price"},
    {TG_FIELD_LAST_QUANTITY, UNIT_QUANTITY, "last_quantity"},
    {TG_FIELD_VOLUME, UNIT_QUANTITY, "volume"},
    {TG_FIELD_OPEN, UNIT_PRICE, "open"},
    {TG_FIELD_HIGH, UNIT_PRICE, "high"},
    {TG_FIELD_LOW, UNIT_PRICE, "low"},
    {TG_FIELD_PREVIOUS_CLOSE, UNIT_PRICE, "previous_close"},
    {TG_FIELD_SETTLEMENT, UNIT_PRICE, "settlement"},
    {TG_FIELD_OPEN_INTEREST, UNIT_QUANTITY, "open_interest"},
    {TG_FIELD_LIMIT_UP, UNIT_PRICE, "limit_up"},
    {TG_FIELD_LIMIT_DOWN, UNIT_PRICE, "limit_down"},
    {TG_FIELD_STATUS, UNIT_NUMBER, "status"},
    {TG_FIELD_TS_EXCHANGE, UNIT_NUMBER, "ts_exchange_ns"},
};

typedef struct line_writer {
    char *text;
    size_t used;
} line_writer;

static void put(line_writer *w, const char *format, ...) TG_PRINTF(2, 3);

static void put(line_writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(w->text + w->used, CAT_LINE_SIZE - w->used, format, arguments);
    va_end(arguments);
    if (n > 0) {
        w->used += (size_t)n;
    }
    if (w->used > CAT_LINE_SIZE - 1) {
        w->used = CAT_LINE_SIZE - 1;
    }
}

static void format_field(const tg_instrument *instrument, const tg_image *image, tg_field field,
                         unit u, char text[TG_DECIMAL_TEXT_SIZE])
{
    const int8_t exponents[] = {instrument->price_exponent, instrument->quantity_exponent, 0};
    const tg_decimal value = {image->value[field], exponents[u]};
    if (!tg_image_has(image, field) ||
        tg_decimal_format(value, text, TG_DECIMAL_TEXT_SIZE) != TG_OK) {
        text[0] = '-';
        text[1] = '\0';
    }
}

/* UTC with its Z: a time without a zone is a riddle. */
static void put_time(line_writer *w, int64_t ts_ns)
{
    int64_t second = ts_ns / 1000000000;
    int64_t rest_ns = ts_ns % 1000000000;
    if (rest_ns < 0) {
        second--;
        rest_ns += 1000000000;
    }
    const time_t t = (time_t)second;
    struct tm utc;
    if (gmtime_r(&t, &utc) == NULL) {
        put(w, "%" PRId64 "ns", ts_ns);
        return;
    }
    put(w, "%04d-%02d-%02dT%02d:%02d:%02d.%06" PRId64 "Z", utc.tm_year + 1900, utc.tm_mon + 1,
        utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, rest_ns / 1000);
}

size_t cat_row_text(const tg_instrument *instrument, const char *venue, const tg_row *row,
                    char line[CAT_LINE_SIZE])
{
    line_writer w = {line, 0};
    const tg_image *image = &row->image;
    char price[TG_DECIMAL_TEXT_SIZE];
    char quantity[TG_DECIMAL_TEXT_SIZE];
    put_time(&w, row->ts_gateway_ns);
    put(&w, " %s:%s %" PRIu32 "/%" PRIu64 " %s", venue, instrument->symbol, image->epoch,
        image->seq, tg_quality_name(row->quality));
    static const struct {
        const char *name;
        tg_field price;
        tg_field quantity;
    } pairs[] = {
        {"bid", TG_FIELD_BID_PRICE, TG_FIELD_BID_QUANTITY},
        {"ask", TG_FIELD_ASK_PRICE, TG_FIELD_ASK_QUANTITY},
        {"last", TG_FIELD_LAST_PRICE, TG_FIELD_LAST_QUANTITY},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        format_field(instrument, image, pairs[i].price, UNIT_PRICE, price);
        format_field(instrument, image, pairs[i].quantity, UNIT_QUANTITY, quantity);
        put(&w, " %s %s x %s", pairs[i].name, price, quantity);
    }
    put(&w, "%s\n", row->crossed ? " crossed" : "");
    return w.used;
}

static void put_json_text(line_writer *w, const char *text)
{
    put(w, "\"");
    for (const char *at = text; *at != '\0'; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\') {
            put(w, "\\%c", c);
        } else if (c < 0x20) {
            put(w, "\\u%04x", c);
        } else {
            put(w, "%c", c);
        }
    }
    put(w, "\"");
}

size_t cat_row_json(const tg_instrument *instrument, const char *venue, const tg_row *row,
                    char line[CAT_LINE_SIZE])
{
    line_writer w = {line, 0};
    const tg_image *image = &row->image;
    put(&w, "{\"venue\":");
    put_json_text(&w, venue);
    put(&w, ",\"symbol\":");
    put_json_text(&w, instrument->symbol);
    put(&w,
        ",\"id\":%u,\"epoch\":%" PRIu32 ",\"seq\":\"%" PRIu64 "\",\"quality\":\"%s\","
        "\"crossed\":%s,\"ts_gateway_ns\":\"%" PRId64 "\"",
        (unsigned)instrument->id, image->epoch, image->seq, tg_quality_name(row->quality),
        row->crossed ? "true" : "false", row->ts_gateway_ns);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (tg_image_has(image, fields[i].field)) {
            char text[TG_DECIMAL_TEXT_SIZE];
            format_field(instrument, image, fields[i].field, fields[i].unit, text);
            put(&w, ",\"%s\":\"%s\"", fields[i].name, text);
        } else if (fields[i].field <= TG_FIELD_ASK_PRICE ||
                   fields[i].field == TG_FIELD_LAST_PRICE) {
            put(&w, ",\"%s\":null", fields[i].name); /* these three are always there to read */
        }
    }
    put(&w, "}\n");
    return w.used;
}
