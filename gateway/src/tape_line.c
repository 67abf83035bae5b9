#include "tape_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/internal/dictionary.h>

#define FIELD_COUNT 7

typedef struct span {
    const char *at;
    size_t length;
} span;

static bool split(const char *text, size_t length, span fields[FIELD_COUNT])
{
    size_t count = 0;
    size_t start = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && text[i] != ',') {
            continue;
        }
        if (count == FIELD_COUNT) {
            return false;
        }
        fields[count].at = text + start;
        fields[count].length = i - start;
        count++;
        start = i + 1;
    }
    return count == FIELD_COUNT;
}

/* Digits only; false on overflow too. */
static bool read_u64(span text, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') {
            return false;
        }
        const uint64_t digit = (uint64_t)(text.at[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return text.length > 0;
}

static bool read_text(span text, char *out, size_t size)
{
    if (!tg__text_is_valid(text.at, text.length, size - 1)) {
        return false;
    }
    memcpy(out, text.at, text.length);
    out[text.length] = '\0';
    return true;
}

static const char *const kind_names[] = {"bid", "ask", "trade"};

static bool read_kind(span text, tg__row_kind *out)
{
    for (size_t i = 0; i < sizeof kind_names / sizeof kind_names[0]; i++) {
        if (text.length == strlen(kind_names[i]) &&
            memcmp(text.at, kind_names[i], text.length) == 0) {
            *out = (tg__row_kind)i;
            return true;
        }
    }
    return false;
}

static const char *read_number(span text, tg_decimal *out, const char *syntax, const char *overflow)
{
    const tg_err err = tg_decimal_parse(text.at, text.length, out);
    if (err == TG_OK) {
        return NULL;
    }
    return err == TG_ERR_OVERFLOW ? overflow : syntax;
}

/* What is wrong with the fields, or NULL. */
static const char *read_fields(const span f[FIELD_COUNT], tg__tape_line *out)
{
    uint64_t ts_ns = 0;
    if (!read_u64(f[0], &ts_ns) || ts_ns > INT64_MAX) {
        return "ts_ns is not a time in nanoseconds";
    }
    out->ts_ns = (int64_t)ts_ns;
    if (!read_text(f[1], out->venue, sizeof out->venue)) {
        return "venue is empty, over 31 bytes or not UTF-8";
    }
    if (!read_text(f[2], out->symbol, sizeof out->symbol)) {
        return "symbol is empty, over 63 bytes or not UTF-8";
    }
    if (!read_kind(f[3], &out->kind)) {
        return "kind is not bid, ask or trade";
    }
    const char *what = read_number(f[4], &out->price, "price_decimal_text is not a decimal number",
                                   "price_decimal_text has too many digits");
    if (what != NULL) {
        return what;
    }
    what = read_number(f[5], &out->quantity, "qty_decimal_text is not a decimal number",
                       "qty_decimal_text has too many digits");
    if (what != NULL) {
        return what;
    }
    if (out->quantity.mantissa < 0) {
        return "qty_decimal_text is negative";
    }
    out->has_id = f[6].length > 0;
    out->exchange_id = 0;
    if (out->has_id && !read_u64(f[6], &out->exchange_id)) {
        return "exchange_seq is neither empty nor an unsigned 64-bit number";
    }
    return NULL;
}

tg_err tg__tape_line_parse(const char *text, size_t length, tg__tape_line *out, const char **what)
{
    span fields[FIELD_COUNT];
    if (!split(text, length, fields)) {
        *what = "there are not exactly 7 fields";
        return TG_ERR_TAPE;
    }
    *what = read_fields(fields, out);
    TG_ENSURE(*what == NULL, TG_ERR_TAPE);
    return TG_OK;
}

tg_err tg__tape_line_format(const tg__tape_line *line, char *text, size_t *length)
{
    char price[TG_DECIMAL_TEXT_SIZE];
    char quantity[TG_DECIMAL_TEXT_SIZE];
    char id[24] = "";
    TG_TRY(tg_decimal_format(line->price, price, sizeof price));
    TG_TRY(tg_decimal_format(line->quantity, quantity, sizeof quantity));
    if (line->has_id) {
        (void)snprintf(id, sizeof id, "%" PRIu64, line->exchange_id);
    }
    const int size =
        snprintf(text, TG__TAPE_LINE_SIZE, "%" PRId64 ",%s,%s,%s,%s,%s,%s\n", line->ts_ns,
                 line->venue, line->symbol, kind_names[line->kind], price, quantity, id);
    *length = (size_t)size; /* 20 + 31 + 63 + 5 + 2 x 47 + 20 and seven more are the longest */
    return TG_OK;
}
