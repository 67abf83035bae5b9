/**
 * Exact decimal numbers: value = mantissa x 10^exponent. No floating point, no locale.
 *
 * In base because both ends of the wire and the screen need it: the gateway reads the venues' own
 * decimal text, the terminal and the tools print it.
 */
#ifndef TICKGLASS_DECIMAL_H
#define TICKGLASS_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

TG_BEGIN_DECLS

#define TG_DECIMAL_EXPONENT_MIN (-18)
#define TG_DECIMAL_EXPONENT_MAX 18
/** Enough for any mantissa at any exponent, with sign, point and terminator. */
#define TG_DECIMAL_TEXT_SIZE 48

typedef struct tg_decimal {
    int64_t mantissa;
    int8_t exponent; /**< TG_DECIMAL_EXPONENT_MIN to TG_DECIMAL_EXPONENT_MAX */
} tg_decimal;

/**
 * Read "-37.63", "0.00000000001", "9999999997.00000": [+-] digits [. digits], nothing else around.
 * The exponent is minus the number of digits after the point, so trailing zeros are kept.
 *
 * @retval TG_ERR_SYNTAX    not of that form
 * @retval TG_ERR_OVERFLOW  the mantissa is over 64 bits, or more than 18 digits follow the point
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_decimal_parse(const char *text, size_t length, tg_decimal *out);

/**
 * The mantissa that the same number has at another exponent.
 *
 * @retval TG_ERR_OVERFLOW  it does not fit, or digits would be lost
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_decimal_rescale(tg_decimal from, int8_t exponent, int64_t *mantissa);

/**
 * Write the number with exactly -exponent digits after the point (none, and trailing zeros in front
 * of it, for exponent >= 0), terminated by NUL. tg_decimal_parse() of the text gives the same
 * number.
 *
 * @param[out] text  at least TG_DECIMAL_TEXT_SIZE bytes for any input
 * @retval TG_ERR_BUFFER_TOO_SMALL  size is too small; text is then the empty string if size > 0
 * @retval TG_ERR_INVALID_ARGUMENT  text is NULL or the exponent is out of range
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_decimal_format(tg_decimal value, char *text, size_t size);

TG_END_DECLS

#endif
