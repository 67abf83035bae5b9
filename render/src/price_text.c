#include <tickglass/price_text.h>

#include <string.h>

#include <tickglass/internal/control_flow.h>

/* All fractions are counted in 128ths: the quarters of a 32nd. */
#define PARTS 128
/* 10^7 / 128 is the smallest power of ten that 128 divides. */
#define PARTS_DIGITS 7

static uint64_t magnitude_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static tg_err copy_text(const char *from, char *text, size_t size)
{
    TG_ENSURE(text != NULL, TG_ERR_INVALID_ARGUMENT);
    const size_t needed = strlen(from) + 1;
    if (needed > size) {
        if (size > 0) {
            text[0] = '\0';
        }
        return TG_ERR_BUFFER_TOO_SMALL;
    }
    memcpy(text, from, needed);
    return TG_OK;
}

/* magnitude x 10^exponent as whole and 128ths; false if that is not exact or does not fit. */
static bool split_parts(uint64_t magnitude, int8_t exponent, uint64_t *whole, unsigned *parts)
{
    if (exponent > 0) {
        for (int e = 0; e < exponent && magnitude != 0; e++) {
            if (magnitude > UINT64_MAX / 10) {
                return false;
            }
            magnitude *= 10;
        }
        *whole = magnitude;
        *parts = 0;
        return true;
    }
    uint64_t scale = 1;
    for (int e = exponent; e < 0; e++) {
        scale *= 10;
    }
    *whole = magnitude / scale;
    uint64_t rest = magnitude % scale;
    for (int digits = -exponent; digits < PARTS_DIGITS; digits++) {
        rest *= 10;
        scale *= 10;
    }
    const uint64_t unit = scale / PARTS;
    *parts = (unsigned)(rest / unit);
    return rest % unit == 0;
}

/* Parts of the format's own denominator in one 128th; 0 for the formats with a third digit. */
static bool fits_format(tg_price_format format, unsigned parts)
{
    switch (format) {
    case TG_PRICE_FRACTION_32:
        return parts % 4 == 0;
    case TG_PRICE_FRACTION_32_HALF:
    case TG_PRICE_FRACTION_64:
        return parts % 2 == 0;
    case TG_PRICE_FRACTION_32_QUARTER:
        return true;
    case TG_PRICE_DECIMAL:
        return false;
    }
    return false;
}

static size_t append_digits(char *text, size_t at, uint64_t value)
{
    char reversed[24];
    size_t count = 0;
    do {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0) {
        text[at++] = reversed[--count];
    }
    return at;
}

static void write_fraction(tg_price_format format, bool negative, uint64_t whole, unsigned parts,
                           char text[TG_PRICE_TEXT_SIZE])
{
    static const char quarter_digits[4] = {'0', '2', '5', '7'};
    size_t at = 0;
    if (negative) {
        text[at++] = '-';
    }
    at = append_digits(text, at, whole);
    text[at++] = '-';
    const unsigned counted = format == TG_PRICE_FRACTION_64 ? parts / 2 : parts / 4;
    text[at++] = (char)('0' + counted / 10);
    text[at++] = (char)('0' + counted % 10);
    if (format == TG_PRICE_FRACTION_32_QUARTER) {
        text[at++] = quarter_digits[parts % 4];
    } else if (format == TG_PRICE_FRACTION_32_HALF && parts % 4 == 2) {
        text[at++] = '+';
    }
    text[at] = '\0';
}

tg_err tg_price_text(tg_price_style style, int64_t price, char *text, size_t size)
{
    TG_ENSURE(text != NULL && style.exponent >= TG_DECIMAL_EXPONENT_MIN &&
                  style.exponent <= TG_DECIMAL_EXPONENT_MAX,
              TG_ERR_INVALID_ARGUMENT);
    uint64_t whole = 0;
    unsigned parts = 0;
    if (style.format == TG_PRICE_DECIMAL ||
        !split_parts(magnitude_of(price), style.exponent, &whole, &parts) ||
        !fits_format(style.format, parts)) {
        const tg_decimal decimal = {price, style.exponent};
        return tg_decimal_format(decimal, text, size);
    }
    char fraction[TG_PRICE_TEXT_SIZE];
    write_fraction(style.format, price < 0, whole, parts, fraction);
    return copy_text(fraction, text, size);
}

tg_err tg_change_text(tg_price_style style, int64_t change, char *text, size_t size)
{
    TG_ENSURE(text != NULL, TG_ERR_INVALID_ARGUMENT);
    char full[TG_PRICE_TEXT_SIZE];
    full[0] = '+';
    const size_t skip = change > 0 ? 0 : 1;
    TG_TRY(tg_price_text(style, change, full + 1, sizeof full - 1));
    return copy_text(full + skip, text, size);
}

tg_err tg_price_change(int64_t price, int64_t reference, int64_t *change)
{
    TG_ENSURE(change != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(reference >= 0 ? price >= INT64_MIN + reference : price <= INT64_MAX + reference,
              TG_ERR_OVERFLOW);
    *change = price - reference;
    return TG_OK;
}

/* The next decimal digit of rest / divisor; rest < divisor <= 2^63, so that nothing overflows. */
static unsigned next_digit(uint64_t *rest, uint64_t divisor)
{
    unsigned digit = 0;
    uint64_t sum = 0;
    for (int i = 0; i < 10; i++) {
        sum += *rest;
        if (sum >= divisor) {
            sum -= divisor;
            digit++;
        }
    }
    *rest = sum;
    return digit;
}

/* Adds one to a number written in digits; true if it carried out of the first. */
static bool increment(char *digits, size_t count)
{
    for (size_t i = count; i > 0; i--) {
        if (digits[i - 1] != '9') {
            digits[i - 1]++;
            return false;
        }
        digits[i - 1] = '0';
    }
    return true;
}

tg_err tg_percent_text(int64_t price, int64_t reference, char *text, size_t size)
{
    TG_ENSURE(text != NULL, TG_ERR_INVALID_ARGUMENT);
    if (size > 0) {
        text[0] = '\0';
    }
    if (reference == 0) {
        return copy_text(TG_PRICE_TEXT_NULL, text, size);
    }
    int64_t change = 0;
    TG_TRY(tg_price_change(price, reference, &change));
    const uint64_t divisor = magnitude_of(reference);
    const uint64_t dividend = magnitude_of(change);
    /* digits: a zero that a carry may fill, the ratio, and four places: per cent with two. */
    char digits[32] = "0";
    size_t count = append_digits(digits, 1, dividend / divisor);
    uint64_t rest = dividend % divisor;
    for (int i = 0; i < 4; i++) {
        digits[count++] = (char)('0' + next_digit(&rest, divisor));
    }
    if (rest >= divisor - rest) {
        (void)increment(digits, count);
    }
    size_t first = 0;
    while (first + 3 < count && digits[first] == '0') {
        first++;
    }
    bool zero = true;
    for (size_t i = first; i < count; i++) {
        zero = zero && digits[i] == '0';
    }
    char full[TG_PRICE_TEXT_SIZE];
    size_t at = 0;
    if (!zero) {
        full[at++] = change < 0 ? '-' : '+';
    }
    memcpy(full + at, digits + first, count - 2 - first);
    at += count - 2 - first;
    full[at++] = '.';
    full[at++] = digits[count - 2];
    full[at++] = digits[count - 1];
    full[at++] = '%';
    full[at] = '\0';
    return copy_text(full, text, size);
}
