#include <tickglass/derived.h>

#include <tickglass/internal/control_flow.h>

static tg_err subtract(int64_t a, int64_t b, int64_t *difference)
{
    TG_ENSURE(b >= 0 ? a >= INT64_MIN + b : a <= INT64_MAX + b, TG_ERR_OVERFLOW);
    *difference = a - b;
    return TG_OK;
}

tg_err tg_derive_spread(const tg_image *image, int64_t *spread)
{
    TG_ENSURE(tg_image_has(image, TG_FIELD_BID_PRICE) && tg_image_has(image, TG_FIELD_ASK_PRICE),
              TG_ERR_NOT_FOUND);
    return subtract(image->value[TG_FIELD_ASK_PRICE], image->value[TG_FIELD_BID_PRICE], spread);
}

tg_err tg_derive_mid(const tg_image *image, int8_t price_exponent, tg_decimal *mid)
{
    TG_ENSURE(tg_image_has(image, TG_FIELD_BID_PRICE) && tg_image_has(image, TG_FIELD_ASK_PRICE),
              TG_ERR_NOT_FOUND);
    const int64_t bid = image->value[TG_FIELD_BID_PRICE];
    const int64_t ask = image->value[TG_FIELD_ASK_PRICE];
    /* Halves first: the sum itself may be over 64 bits. Both remainders have their number's sign.
     */
    const int64_t halves = bid % 2 + ask % 2; /* -2 to 2 */
    const int64_t whole = bid / 2 + ask / 2 + halves / 2;
    if (halves % 2 == 0) {
        *mid = (tg_decimal){whole, price_exponent};
        return TG_OK;
    }
    TG_ENSURE(price_exponent > TG_DECIMAL_EXPONENT_MIN && whole <= INT64_MAX / 10 - 1 &&
                  whole >= INT64_MIN / 10 + 1,
              TG_ERR_OVERFLOW);
    *mid = (tg_decimal){whole * 10 + halves * 5, (int8_t)(price_exponent - 1)};
    return TG_OK;
}

tg_err tg_derive_reference(const tg_image *image, int64_t *reference)
{
    static const tg_field candidates[] = {TG_FIELD_PREVIOUS_CLOSE, TG_FIELD_SETTLEMENT};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        if (tg_image_has(image, candidates[i])) {
            *reference = image->value[candidates[i]];
            return TG_OK;
        }
    }
    return TG_ERR_NOT_FOUND;
}

tg_err tg_derive_change(const tg_image *image, int64_t *change)
{
    int64_t reference = 0;
    TG_TRY(tg_derive_reference(image, &reference));
    TG_ENSURE(tg_image_has(image, TG_FIELD_LAST_PRICE), TG_ERR_NOT_FOUND);
    return subtract(image->value[TG_FIELD_LAST_PRICE], reference, change);
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* One digit of a long division: 10 * *rest / divisor, for *rest < divisor, without leaving 64 bits.
 */
static uint64_t next_digit(uint64_t *rest, uint64_t divisor)
{
    const uint64_t step = *rest;
    uint64_t digit = 0;
    uint64_t sum = 0;
    for (int i = 0; i < 10; i++) {
        if (sum >= divisor - step) {
            sum -= divisor - step;
            digit++;
        } else {
            sum += step;
        }
    }
    *rest = sum;
    return digit;
}

tg_err tg_derive_change_percent(const tg_image *image, uint8_t digits, tg_decimal *percent)
{
    TG_ENSURE(digits <= 9, TG_ERR_INVALID_ARGUMENT);
    int64_t change = 0;
    int64_t reference = 0;
    TG_TRY(tg_derive_change(image, &change));
    TG_TRY(tg_derive_reference(image, &reference));
    TG_ENSURE(reference != 0, TG_ERR_NOT_FOUND);
    const uint64_t divisor = magnitude(reference);
    uint64_t result = magnitude(change) / divisor;
    uint64_t rest = magnitude(change) % divisor;
    for (unsigned i = 0; i < 2u + digits; i++) { /* two for the hundred in percent */
        TG_ENSURE(result <= (uint64_t)INT64_MAX / 10 - 1, TG_ERR_OVERFLOW);
        result = result * 10 + next_digit(&rest, divisor);
    }
    result += rest >= divisor - rest ? 1 : 0;
    percent->mantissa = change < 0 ? -(int64_t)result : (int64_t)result;
    percent->exponent = (int8_t)-digits;
    return TG_OK;
}
