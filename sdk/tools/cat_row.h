/* One row as a line of text or JSON. Prices and quantities are written exactly. */
#ifndef CAT_ROW_H
#define CAT_ROW_H

#include <stddef.h>

#include <tickglass/market.h>
#include <tickglass/store.h>

#define CAT_LINE_SIZE 4096u /* enough for every field of an image, as JSON too */

/* Both write a line with its line feed and return its length. */
size_t cat_row_text(const tg_instrument *instrument, const char *venue, const tg_row *row,
                    char line[CAT_LINE_SIZE]);
size_t cat_row_json(const tg_instrument *instrument, const char *venue, const tg_row *row,
                    char line[CAT_LINE_SIZE]);

#endif
