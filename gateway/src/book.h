/** Order book of one instrument by price: two sides, best level first, exact decimals. */
#ifndef TG_GATEWAY_BOOK_H
#define TG_GATEWAY_BOOK_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/decimal.h>

#define TG__BOOK_LEVELS_MAX 65536u /* of one side */

typedef enum tg__book_side {
    TG__BOOK_BID = 0,
    TG__BOOK_ASK = 1
} tg__book_side;

/* With the digits that the venue wrote: formatting either gives its text again. */
typedef struct tg__book_level {
    tg_decimal price;
    tg_decimal quantity;
} tg__book_level;

typedef struct tg__book_levels {
    tg__book_level *levels;
    size_t count;
    size_t capacity;
} tg__book_levels;

/* All zero is an empty book. */
typedef struct tg__book {
    tg__book_levels sides[2];
} tg__book;

void tg__book_deinit(tg__book *book);
void tg__book_clear(tg__book *book);

/*
 * The quantity at a price from now on; 0 takes the level away, and one that is not there is no
 * error. Levels are told apart by value: 3.40 is 3.4. TG_ERR_FULL: TG__BOOK_LEVELS_MAX.
 */
TG_MUST_CHECK tg_err tg__book_set(tg__book *book, tg__book_side side, tg_decimal price,
                                  tg_decimal quantity);

/* Drops the levels behind the best count of each side. */
void tg__book_truncate(tg__book *book, size_t count);

/* NULL: the side has no so many levels. */
const tg__book_level *tg__book_at(const tg__book *book, tg__book_side side, size_t rank);

/* NULL: there is no level at that price. */
const tg__book_level *tg__book_find(const tg__book *book, tg__book_side side, tg_decimal price);

/* Exact, for any two exponents: below, equal to or above 0 as a is to b. */
int tg__decimal_compare(tg_decimal a, tg_decimal b);

#endif
