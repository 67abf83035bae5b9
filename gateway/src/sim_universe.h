/** The instruments of the simulated market: 2,400 on six venues, each with its habits. */
#ifndef TG_GATEWAY_SIM_UNIVERSE_H
#define TG_GATEWAY_SIM_UNIVERSE_H

#include "directory.h"
#include "prng.h"

#define TG__SIM_INSTRUMENTS 2400u
#define TG__SIM_FAMILIES    2u /* crypto; futures and bonds */

typedef struct tg__sim_traits {
    int64_t tick_size;         /* price mantissa */
    int64_t anchor_ticks;      /* the price that the walk is drawn back to */
    int64_t lot;               /* quantity mantissa */
    uint32_t weight;           /* share of the market's events; 0: a sleeper */
    uint32_t spread_ticks;     /* usual; those above 1 never rest */
    uint32_t family;           /* what a release moves together; TG__SIM_FAMILIES: none */
    tg_instrument_id relative; /* moves with it: another contract or quote of the same base */
    tg_venue_id venue;
    bool may_be_negative;
    bool has_ids;
} tg__sim_traits;

/* Adds venues and instruments to an empty directory; traits holds TG__SIM_INSTRUMENTS by id. */
TG_MUST_CHECK tg_err tg__sim_universe_fill(tg__directory *directory, tg__sim_traits *traits,
                                           uint64_t seed);

#endif
