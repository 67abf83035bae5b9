/** One row as a venue's feed tells it: a side of a quote, or a trade. */
#ifndef TG_GATEWAY_ROW_H
#define TG_GATEWAY_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/market.h>

typedef enum tg__row_kind {
    TG__ROW_BID = 0,
    TG__ROW_ASK = 1,
    TG__ROW_TRADE = 2
} tg__row_kind;

typedef struct tg__row {
    int64_t ts_ns;    /* exchange time; bid and ask with equal time and id are one tick */
    int64_t price;    /* mantissa at the instrument's price exponent */
    int64_t quantity; /* mantissa at the instrument's quantity exponent */
    uint64_t exchange_id;
    bool has_id; /* venues without ids are never deduplicated */
    tg__row_kind kind;
    tg_instrument_id instrument;
} tg__row;

#endif
