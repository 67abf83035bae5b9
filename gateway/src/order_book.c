#include "order_book.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define CAPACITY_AT_FIRST 256u

void tg__order_book_deinit(tg__order_book *orders)
{
    free(orders->places);
    *orders = (tg__order_book){.places = NULL};
}

void tg__order_book_clear(tg__order_book *orders, tg__book *book)
{
    if (orders->places != NULL) {
        memset(orders->places, 0, orders->capacity * sizeof orders->places[0]);
    }
    orders->count = 0;
    tg__book_clear(book);
}

/* Venues' ids come in runs: the multiplication spreads them over the table. */
static size_t home_of(const tg__order_book *orders, uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (orders->capacity - 1);
}

/* The place of an order, or the free one where it belongs; the table is never full. */
static size_t place_of(const tg__order_book *orders, uint64_t id)
{
    size_t at = home_of(orders, id);
    while (orders->places[at].size > 0 && orders->places[at].id != id) {
        at = (at + 1) & (orders->capacity - 1);
    }
    return at;
}

static tg_err reserve_one(tg__order_book *orders)
{
    if (orders->count * 2 < orders->capacity) {
        return TG_OK;
    }
    TG_ENSURE(orders->count < TG__ORDERS_MAX, TG_ERR_FULL);
    tg__order_book grown = {
        .capacity = orders->capacity == 0 ? CAPACITY_AT_FIRST : orders->capacity * 2,
        .count = orders->count,
    };
    grown.places = calloc(grown.capacity, sizeof grown.places[0]);
    TG_ENSURE(grown.places != NULL, TG_ERR_NO_MEMORY);
    for (size_t i = 0; i < orders->capacity; i++) {
        if (orders->places[i].size > 0) {
            grown.places[place_of(&grown, orders->places[i].id)] = orders->places[i];
        }
    }
    free(orders->places);
    *orders = grown;
    return TG_OK;
}

/* Moves what was pushed beyond the freed place back, so that no search stops too early. */
static void free_place(tg__order_book *orders, size_t hole)
{
    const size_t mask = orders->capacity - 1;
    for (size_t at = (hole + 1) & mask; orders->places[at].size > 0; at = (at + 1) & mask) {
        const size_t home = home_of(orders, orders->places[at].id);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            orders->places[hole] = orders->places[at];
            hole = at;
        }
    }
    orders->places[hole].size = 0;
    orders->count--;
}

static tg_err change_level(tg__book *book, tg__book_side side, tg_decimal price, int64_t by)
{
    const tg__book_level *level = tg__book_find(book, side, price);
    const int64_t before = level != NULL ? level->quantity.mantissa : 0;
    return tg__book_set(book, side, price, (tg_decimal){before + by, 0});
}

/* What is taken away always fits, so this does not fail. */
static tg_err take_size(tg__order_book *orders, tg__book *book, size_t at, uint32_t size)
{
    tg__order *order = &orders->places[at];
    const uint32_t taken = size < order->size ? size : order->size;
    TG_TRY(change_level(book, order->side, order->price, -(int64_t)taken));
    if (taken == order->size) {
        free_place(orders, at);
    } else {
        order->size -= taken;
    }
    return TG_OK;
}

tg_err tg__order_book_set(tg__order_book *orders, tg__book *book, const tg__order *order)
{
    const tg_err err = tg__order_book_cancel(orders, book, order->id, UINT32_MAX);
    TG_ENSURE(err == TG_OK || err == TG_ERR_NOT_FOUND, err);
    if (order->size == 0) {
        return TG_OK;
    }
    TG_TRY(reserve_one(orders));
    TG_TRY(change_level(book, order->side, order->price, order->size));
    orders->places[place_of(orders, order->id)] = *order;
    orders->count++;
    return TG_OK;
}

tg_err tg__order_book_cancel(tg__order_book *orders, tg__book *book, uint64_t id, uint32_t size)
{
    TG_ENSURE(orders->count > 0, TG_ERR_NOT_FOUND);
    const size_t at = place_of(orders, id);
    TG_ENSURE(orders->places[at].size > 0, TG_ERR_NOT_FOUND);
    return take_size(orders, book, at, size);
}
