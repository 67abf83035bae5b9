/**
 * Values that follow from an image: exact, in integers; rounding only where a digit count is asked.
 *
 * Prices are mantissas at the instrument's price exponent. A value that cannot be said is an error,
 * never a zero.
 */
#ifndef TICKGLASS_DERIVED_H
#define TICKGLASS_DERIVED_H

#include <tickglass/err.h>
#include <tickglass/market.h>

TG_BEGIN_DECLS

/**
 * Ask less bid; negative in a crossed book.
 * @retval TG_ERR_NOT_FOUND  a side is null
 * @retval TG_ERR_OVERFLOW   the difference is over 64 bits
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_derive_spread(const tg_image *image, int64_t *spread);

/**
 * Half way between bid and ask, with one digit more than the prices if it needs it.
 * @retval TG_ERR_NOT_FOUND  a side is null
 * @retval TG_ERR_OVERFLOW   it does not fit a tg_decimal
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_derive_mid(const tg_image *image, int8_t price_exponent,
                                          tg_decimal *mid);

/**
 * What a change is measured against: the previous close, else the settlement price.
 * @retval TG_ERR_NOT_FOUND  both are null
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_derive_reference(const tg_image *image, int64_t *reference);

/**
 * Last price less the reference.
 * @retval TG_ERR_NOT_FOUND  the last price or the reference is null
 * @retval TG_ERR_OVERFLOW   the difference is over 64 bits
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_derive_change(const tg_image *image, int64_t *change);

/**
 * The change in percent of the reference's magnitude, so that its sign is that of the change even
 * where prices are negative; rounded to digits places, halves away from zero.
 * @param[in] digits  0 to 9
 * @retval TG_ERR_NOT_FOUND         as tg_derive_change(), or the reference is 0
 * @retval TG_ERR_OVERFLOW          it does not fit
 * @retval TG_ERR_INVALID_ARGUMENT  digits is out of range
 * Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_derive_change_percent(const tg_image *image, uint8_t digits,
                                                     tg_decimal *percent);

TG_END_DECLS

#endif
