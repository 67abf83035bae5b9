/*
 * The price axis of a depth ladder: rows at tick size around a centre that stays where it is. The
 * market moves through the rows; only a recentring moves the rows.
 */
#ifndef TG_TERMINAL_LADDER_AXIS_H
#define TG_TERMINAL_LADDER_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/market.h>

#define LADDER_ROWS_MAX 256

typedef struct ladder_axis {
    bool centred;
    int64_t centre;        /* price of the row in the middle */
    int8_t price_exponent; /* of the centre: another scale needs another one */
    /* Made by ladder_axis_fit(): prices from the top down. */
    size_t row_count;
    int64_t price[LADDER_ROWS_MAX];
    bool present[LADDER_ROWS_MAX]; /* false: beyond what a price can be */
} ladder_axis;

/* The next price up, or down; false: there is none in 64 bits. Thread: any. */
bool ladder_price_above(const tg_instrument *instrument, int64_t price, int64_t *above);
bool ladder_price_below(const tg_instrument *instrument, int64_t price, int64_t *below);

/* Put price into the middle. Thread: owner. */
void ladder_axis_centre(ladder_axis *axis, const tg_instrument *instrument, int64_t price);

/* Move the rows by so many ticks, up if over 0. Nothing happens before it was centred. Thread:
 * owner. */
void ladder_axis_move(ladder_axis *axis, const tg_instrument *instrument, int ticks);

/* The prices of row_count rows, LADDER_ROWS_MAX at most. Thread: owner. */
void ladder_axis_fit(ladder_axis *axis, const tg_instrument *instrument, size_t row_count);

typedef enum ladder_place {
    LADDER_ON_ROW, /* row says which */
    LADDER_ABOVE,  /* over the top row */
    LADDER_BELOW,
    LADDER_BETWEEN /* between two rows: no multiple of the tick from the centre */
} ladder_place;

/* Where a price stands on the fitted axis. Thread: owner. */
ladder_place ladder_axis_find(const ladder_axis *axis, int64_t price, size_t *row);

#endif
