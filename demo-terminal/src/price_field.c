#include "price_field.h"

#include <string.h>

/* "99-03" of a market in halves stands over "99-03+": the place of the sign stays free. */
static void keep_place_of_half(tg_price_format format, char *text)
{
    const size_t length = strlen(text);
    if (format == TG_PRICE_FRACTION_32_HALF && length > 0 && length + 1 < TG_PRICE_TEXT_SIZE &&
        strchr(text, '.') == NULL && text[length - 1] != '+') {
        text[length] = ' ';
        text[length + 1] = '\0';
    }
}

void price_field_price(tg_price_style style, int64_t price, char text[TG_PRICE_TEXT_SIZE])
{
    if (tg_price_text(style, price, text, TG_PRICE_TEXT_SIZE) != TG_OK) {
        (void)strcpy(text, "?");
    }
    keep_place_of_half(style.format, text);
}

void price_field_quantity(int8_t exponent, int64_t quantity, char text[TG_PRICE_TEXT_SIZE])
{
    const tg_price_style style = {TG_PRICE_DECIMAL, exponent};
    if (tg_price_text(style, quantity, text, TG_PRICE_TEXT_SIZE) != TG_OK) {
        (void)strcpy(text, "?");
    }
}

void price_field_change(tg_price_style style, int64_t change, char text[TG_PRICE_TEXT_SIZE])
{
    if (tg_change_text(style, change, text, TG_PRICE_TEXT_SIZE) != TG_OK) {
        (void)strcpy(text, "?");
    }
    keep_place_of_half(style.format, text);
}

bool price_field_reference(const tg_image *image, int64_t *reference)
{
    if (!tg_image_has(image, TG_FIELD_LAST_PRICE)) {
        return false;
    }
    const tg_field field =
        tg_image_has(image, TG_FIELD_PREVIOUS_CLOSE) ? TG_FIELD_PREVIOUS_CLOSE : TG_FIELD_OPEN;
    *reference = image->value[field];
    return tg_image_has(image, field);
}
