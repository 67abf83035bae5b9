/*
 * The trades of one instrument that were seen, newest first, as far as views show them: a change of
 * last price, last quantity or volume from one view to the next. Bounded: the oldest go.
 *
 * It is never complete and says so. Versions count every tick of an instrument, so that those which
 * stood in no view, conflated ones or several between two views, are counted exactly; which of them
 * were trades nobody knows. Losses and times without good data are lines of their own.
 */
#ifndef TG_TERMINAL_TRADE_LIST_H
#define TG_TERMINAL_TRADE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/store.h>

#define TRADE_LIST_SIZE 256

typedef enum trade_kind {
    TRADE_SEEN,
    TRADE_LIST_BEGINS, /* nothing from before is known */
    TRADE_TICKS_LOST,
    TRADE_NOT_CURRENT, /* the instrument's data may have been old for a time */
    TRADE_NEW_SEQUENCE /* versions begin anew: nothing tells how many ticks are missing */
} trade_kind;

typedef struct trade_entry {
    trade_kind kind;
    tg_quality quality; /* of TRADE_NOT_CURRENT */
    bool has_price;
    bool has_quantity;
    bool has_time;
    bool over;     /* TRADE_NOT_CURRENT: it ended, at end_utc_ns */
    int direction; /* against the price before: -1, 0, 1 */
    int64_t price;
    int64_t quantity;
    int64_t utc_ns; /* the exchange's time of a trade, else ours */
    int64_t end_utc_ns;
    uint64_t ticks; /* not shown since the tick shown before; of TRADE_TICKS_LOST: lost */
} trade_entry;

typedef struct trade_list {
    size_t count;
    size_t next; /* where the next one goes */
    trade_entry entry[TRADE_LIST_SIZE];
    uint64_t dropped;   /* entries that had to go */
    uint64_t not_shown; /* ticks, of all since the list began */
    /* What the view before showed. */
    bool begun;
    tg_version version;
    int64_t value[3];
    uint32_t present;
    uint64_t lost;
    int8_t price_exponent;
    int8_t quantity_exponent;
    uint64_t pending; /* ticks not shown since the last entry */
} trade_list;

/* Empty, for another instrument. Thread: owner. */
void trade_list_reset(trade_list *list);

/* What one view has of the instrument. */
typedef struct trade_sample {
    const tg_instrument *instrument;
    const tg_row *row;
    uint64_t lost; /* tg_ledger.lost */
    int64_t utc_ns;
} trade_sample;

/* Thread: owner. */
void trade_list_take(trade_list *list, const trade_sample *sample);

/* The newest is 0; index < count. Thread: owner. */
const trade_entry *trade_list_entry(const trade_list *list, size_t index);

#endif
