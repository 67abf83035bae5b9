/*
 * All that the look of one row of the watchlist comes from, beside its place, palette and columns.
 * Two rows of equal look have equal cells: what did not change need not be formatted again.
 */
#ifndef TG_TERMINAL_ROW_LOOK_H
#define TG_TERMINAL_ROW_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "watch_row.h"
#include "watchlist_panel.h"

typedef struct price_look {
    int64_t before; /* while it flashes: the digits in front of the first difference do not */
    int8_t direction;
    uint8_t phase;
} price_look;

/* Compared as bytes: row_look_of() leaves none of them undefined. */
typedef struct row_look {
    tg_image image;
    int64_t age_s; /* -1: never received; the text counts whole seconds, as row_look_of() does */
    const char *word;
    price_look price[3]; /* bid, ask, last */
    int quality;
    int price_format;
    int8_t price_exponent;
    int8_t quantity_exponent;
    bool has_row;
    bool has_instrument;
    bool selected;
    bool alarmed;
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
} row_look;

/* Thread: owner. */
void row_look_of(const watch_row *watch, const watch_view *view, int64_t now_mono_ns,
                 row_look *out);
/* Thread: any. */
bool row_look_equal(const row_look *a, const row_look *b);

#endif
