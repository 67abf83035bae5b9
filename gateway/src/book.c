#include "book.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

void tg__book_deinit(tg__book *book)
{
    for (int side = 0; side < 2; side++) {
        free(book->sides[side].levels);
        book->sides[side] = (tg__book_levels){NULL, 0, 0};
    }
}

void tg__book_clear(tg__book *book)
{
    book->sides[TG__BOOK_BID].count = 0;
    book->sides[TG__BOOK_ASK].count = 0;
}

static int compare_mantissas(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int tg__decimal_compare(tg_decimal a, tg_decimal b)
{
    if (a.exponent < b.exponent) {
        return -tg__decimal_compare(b, a);
    }
    int64_t scaled = 0; /* a, which is the coarser one, at b's exponent */
    if (tg_decimal_rescale(a, b.exponent, &scaled) != TG_OK) {
        return compare_mantissas(a.mantissa, 0); /* further from 0 than any b can be */
    }
    return compare_mantissas(scaled, b.mantissa);
}

/* The first level that does not lie before price, best first. */
static size_t rank_of(const tg__book_levels *levels, tg__book_side side, tg_decimal price,
                      bool *found)
{
    size_t low = 0;
    size_t high = levels->count;
    *found = false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = tg__decimal_compare(levels->levels[middle].price, price);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if ((order < 0) == (side == TG__BOOK_ASK)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static tg_err reserve_one(tg__book_levels *levels)
{
    if (levels->count < levels->capacity) {
        return TG_OK;
    }
    TG_ENSURE(levels->capacity < TG__BOOK_LEVELS_MAX, TG_ERR_FULL);
    const size_t capacity = levels->capacity == 0 ? 64 : levels->capacity * 2;
    tg__book_level *grown = realloc(levels->levels, capacity * sizeof *grown);
    TG_ENSURE(grown != NULL, TG_ERR_NO_MEMORY);
    levels->levels = grown;
    levels->capacity = capacity;
    return TG_OK;
}

tg_err tg__book_set(tg__book *book, tg__book_side side, tg_decimal price, tg_decimal quantity)
{
    tg__book_levels *levels = &book->sides[side];
    bool found = false;
    const size_t rank = rank_of(levels, side, price, &found);
    if (quantity.mantissa == 0) {
        if (found) {
            levels->count--;
            memmove(&levels->levels[rank], &levels->levels[rank + 1],
                    (levels->count - rank) * sizeof levels->levels[0]);
        }
        return TG_OK;
    }
    if (!found) {
        TG_TRY(reserve_one(levels));
        memmove(&levels->levels[rank + 1], &levels->levels[rank],
                (levels->count - rank) * sizeof levels->levels[0]);
        levels->count++;
    }
    levels->levels[rank] = (tg__book_level){price, quantity};
    return TG_OK;
}

void tg__book_truncate(tg__book *book, size_t count)
{
    for (int side = 0; side < 2; side++) {
        if (book->sides[side].count > count) {
            book->sides[side].count = count;
        }
    }
}

const tg__book_level *tg__book_at(const tg__book *book, tg__book_side side, size_t rank)
{
    const tg__book_levels *levels = &book->sides[side];
    return rank < levels->count ? &levels->levels[rank] : NULL;
}

const tg__book_level *tg__book_find(const tg__book *book, tg__book_side side, tg_decimal price)
{
    bool found = false;
    const size_t rank = rank_of(&book->sides[side], side, price, &found);
    return found ? &book->sides[side].levels[rank] : NULL;
}
