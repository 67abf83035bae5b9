#include <tickglass/decimal.h>

#include <stdbool.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

/* |INT64_MIN|; one more than a positive mantissa may have. */
#define NEGATIVE_LIMIT ((uint64_t)INT64_MAX + 1)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* magnitude = magnitude * 10 + digit, refused beyond limit. */
static tg_err append_digit(uint64_t *magnitude, unsigned digit, uint64_t limit)
{
    TG_ENSURE(*magnitude <= (limit - digit) / 10, TG_ERR_OVERFLOW);
    *magnitude = *magnitude * 10 + digit;
    return TG_OK;
}

static int64_t apply_sign(uint64_t magnitude, bool negative)
{
    if (!negative) {
        return (int64_t)magnitude;
    }
    return magnitude == NEGATIVE_LIMIT ? INT64_MIN : -(int64_t)magnitude;
}

tg_err tg_decimal_parse(const char *text, size_t length, tg_decimal *out)
{
    TG_ENSURE(text != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    size_t at = 0;
    bool negative = false;
    if (at < length && (text[at] == '-' || text[at] == '+')) {
        negative = text[at] == '-';
        at++;
    }
    const uint64_t limit = negative ? NEGATIVE_LIMIT : (uint64_t)INT64_MAX;
    uint64_t magnitude = 0;
    int fraction_digits = 0;
    bool after_point = false;
    bool any_digit = false;
    for (; at < length; at++) {
        if (text[at] == '.' && !after_point && any_digit) {
            after_point = true;
            continue;
        }
        TG_ENSURE(is_digit(text[at]), TG_ERR_SYNTAX);
        any_digit = true;
        TG_TRY(append_digit(&magnitude, (unsigned)(text[at] - '0'), limit));
        if (after_point) {
            fraction_digits++;
            TG_ENSURE(fraction_digits <= -TG_DECIMAL_EXPONENT_MIN, TG_ERR_OVERFLOW);
        }
    }
    TG_ENSURE(any_digit && (!after_point || fraction_digits > 0), TG_ERR_SYNTAX);
    out->mantissa = apply_sign(magnitude, negative);
    out->exponent = (int8_t)-fraction_digits;
    return TG_OK;
}

tg_err tg_decimal_rescale(tg_decimal from, int8_t exponent, int64_t *mantissa)
{
    TG_ENSURE(mantissa != NULL, TG_ERR_INVALID_ARGUMENT);
    int64_t value = from.mantissa;
    for (int e = from.exponent; e > exponent && value != 0; e--) {
        TG_ENSURE(value <= INT64_MAX / 10 && value >= INT64_MIN / 10, TG_ERR_OVERFLOW);
        value *= 10;
    }
    for (int e = from.exponent; e < exponent && value != 0; e++) {
        TG_ENSURE(value % 10 == 0, TG_ERR_OVERFLOW);
        value /= 10;
    }
    *mantissa = value;
    return TG_OK;
}

tg_err tg_decimal_format(tg_decimal value, char *text, size_t size)
{
    TG_ENSURE(text != NULL, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(value.exponent >= TG_DECIMAL_EXPONENT_MIN &&
                  value.exponent <= TG_DECIMAL_EXPONENT_MAX,
              TG_ERR_INVALID_ARGUMENT);
    /* Built from the last character to the first. */
    char buffer[TG_DECIMAL_TEXT_SIZE];
    size_t at = sizeof buffer;
    buffer[--at] = '\0';
    const bool negative = value.mantissa < 0;
    uint64_t rest = negative ? 0 - (uint64_t)value.mantissa : (uint64_t)value.mantissa;
    for (int e = 0; e < value.exponent && rest != 0; e++) {
        buffer[--at] = '0';
    }
    int digits = 0;
    do {
        if (digits > 0 && digits == -value.exponent) {
            buffer[--at] = '.';
        }
        buffer[--at] = (char)('0' + rest % 10);
        rest /= 10;
        digits++;
    } while (rest != 0 || digits <= -value.exponent);
    if (negative) {
        buffer[--at] = '-';
    }
    const size_t needed = sizeof buffer - at;
    if (needed > size) {
        if (size > 0) {
            text[0] = '\0';
        }
        return TG_ERR_BUFFER_TOO_SMALL;
    }
    memcpy(text, buffer + at, needed);
    return TG_OK;
}
