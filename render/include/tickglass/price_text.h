/**
 * Prices, quantities and changes as text: exact integers, no locale, nothing rounded or shortened.
 */
#ifndef TICKGLASS_PRICE_TEXT_H
#define TICKGLASS_PRICE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>
#include <tickglass/market.h>

TG_BEGIN_DECLS

/** Enough for every text of this header. */
#define TG_PRICE_TEXT_SIZE 64

/** How an instrument's prices are written. */
typedef struct tg_price_style {
    tg_price_format format;
    int8_t exponent;
} tg_price_style;

static inline tg_price_style tg_price_style_of(const tg_instrument *instrument)
{
    const tg_price_style style = {instrument->price_format, instrument->price_exponent};
    return style;
}

/** The text of a value that is not there: an en dash. */
#define TG_PRICE_TEXT_NULL "\xE2\x80\x93"

/**
 * "61813.00", "-37.63"; in 32nds "99-03", with halves "99-03+", with quarters "99-032" (the last
 * digit is 0, 2, 5 or 7); in 64ths "99-07". A price that the fraction cannot express exactly is
 * written as a decimal: nothing is ever rounded.
 *
 * @param[out] text  at least TG_PRICE_TEXT_SIZE bytes for any input
 * @retval TG_ERR_INVALID_ARGUMENT  text is NULL or the exponent is out of range
 * @retval TG_ERR_BUFFER_TOO_SMALL  size is too small; text is then empty
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_price_text(tg_price_style style, int64_t price, char *text,
                                          size_t size);

/**
 * tg_price_text() with a sign in front of every value but 0: "+1.50", "-0-16".
 * Same errors. Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_change_text(tg_price_style style, int64_t change, char *text,
                                           size_t size);

/**
 * The move from reference to price in per cent of |reference|, two digits after the point, rounded
 * half away from zero: "+1.25%", "-306.02%". "–" if reference is 0.
 *
 * @retval TG_ERR_INVALID_ARGUMENT  text is NULL
 * @retval TG_ERR_BUFFER_TOO_SMALL  size is too small; text is then empty
 * @retval TG_ERR_OVERFLOW          price - reference is over 64 bits; text is then empty
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_percent_text(int64_t price, int64_t reference, char *text,
                                            size_t size);

/** price - reference; TG_ERR_OVERFLOW if it is over 64 bits. Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_price_change(int64_t price, int64_t reference, int64_t *change);

TG_END_DECLS

#endif
