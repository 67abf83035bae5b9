/**
 * A book kept by order: resting orders by their id, and what they add up to at each price in a
 * tg__book. Which of both sides an order changes is known by its id alone.
 */
#ifndef TG_GATEWAY_ORDER_BOOK_H
#define TG_GATEWAY_ORDER_BOOK_H

#include "book.h"

#define TG__ORDERS_MAX (1u << 20) /* of one instrument */

typedef struct tg__order {
    uint64_t id;
    tg_decimal price;
    uint32_t size; /* 0 in the table: a free place */
    tg__book_side side;
} tg__order;

/* All zero has no orders. */
typedef struct tg__order_book {
    tg__order *places; /* open addressing, linear probing, at most half full */
    size_t capacity;   /* a power of two, or 0 */
    size_t count;
} tg__order_book;

void tg__order_book_deinit(tg__order_book *orders);

/* No orders, and no levels in the book. */
void tg__order_book_clear(tg__order_book *orders, tg__book *book);

/*
 * An order as it rests from now on: new, or with another price or size. Size 0 takes it away.
 * TG_ERR_FULL: TG__ORDERS_MAX or TG__BOOK_LEVELS_MAX; TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__order_book_set(tg__order_book *orders, tg__book *book,
                                        const tg__order *order);

/*
 * Takes `size` off an order, and the order away with the last of it. TG_ERR_NOT_FOUND: no order of
 * that id rests.
 */
TG_MUST_CHECK tg_err tg__order_book_cancel(tg__order_book *orders, tg__book *book, uint64_t id,
                                           uint32_t size);

#endif
