/* Values of an image as the text of a cell, the same in every panel. */
#ifndef TG_TERMINAL_PRICE_FIELD_H
#define TG_TERMINAL_PRICE_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/market.h>
#include <tickglass/price_text.h>

#define PRICE_FIELD_UP   "\xE2\x96\xB2"
#define PRICE_FIELD_DOWN "\xE2\x96\xBC"

/* A price; "99-03" of a market in halves keeps the place of the sign free. Thread: any. */
void price_field_price(tg_price_style style, int64_t price, char text[TG_PRICE_TEXT_SIZE]);

/* A quantity at that exponent. Thread: any. */
void price_field_quantity(int8_t exponent, int64_t quantity, char text[TG_PRICE_TEXT_SIZE]);

/* change is in the price's scale. Thread: any. */
void price_field_change(tg_price_style style, int64_t change, char text[TG_PRICE_TEXT_SIZE]);

/* What last is compared with: the previous close, or the open where there is none. False: neither
 * is there, or last is not. Thread: any. */
bool price_field_reference(const tg_image *image, int64_t *reference);

#endif
