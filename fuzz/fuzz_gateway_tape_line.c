/* One tape line from anywhere: what is accepted is within its limits and reads the same again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/dictionary.h>

#include "tape_line.h"

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size + 1); /* one more, so that a size of 0 gives a block, too */
    tg__tape_line line;
    tg__tape_line again;
    const char *what = NULL;
    require(exact != NULL);
    memcpy(exact + 1, data, size);
    const tg_err err = tg__tape_line_parse(exact + 1, size, &line, &what);
    require((err == TG_OK) == (what == NULL));
    if (err == TG_OK) {
        require(tg__text_is_valid(line.venue, strlen(line.venue), sizeof line.venue - 1));
        require(tg__text_is_valid(line.symbol, strlen(line.symbol), sizeof line.symbol - 1));
        require(line.ts_ns >= 0 && line.quantity.mantissa >= 0 && line.kind <= TG__ROW_TRADE);
        require(line.price.exponent <= 0 && line.price.exponent >= TG_DECIMAL_EXPONENT_MIN);
        require(tg__tape_line_parse(exact + 1, size, &again, &what) == TG_OK);
        require(again.price.mantissa == line.price.mantissa && again.has_id == line.has_id &&
                again.exchange_id == line.exchange_id);
    }
    free(exact);
    return 0;
}
