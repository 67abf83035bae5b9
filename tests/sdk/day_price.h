/* Prices by which a value is known to be of its instrument, lineage and version. */
#ifndef DAY_PRICE_H
#define DAY_PRICE_H

#include "sim_gateway.h"

/* That only this instrument of this lineage has at this version. */
static inline int64_t day_price(uint64_t lineage, tg_instrument_id id, uint64_t seq)
{
    return (int64_t)((seq * 2654435761u + id * 97u + lineage * 1009u) % 1000000u) - 500000;
}

static inline void day_tick(sim_market *market, tg_instrument_id id)
{
    sim_market_tick(market, id, day_price(market->lineage, id, market->images[id].seq + 1));
}

#endif
