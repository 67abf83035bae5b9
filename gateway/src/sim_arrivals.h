/**
 * Which instrument of the simulated market has its next event, and when.
 *
 * Events come in trains of one instrument: most are one event long, some are dozens, microseconds
 * to milliseconds apart, and a long one often starts another of a related instrument. Trains begin
 * at the market's pace (sim_pace.h); instruments have power-law shares; some sleep for minutes.
 */
#ifndef TG_GATEWAY_SIM_ARRIVALS_H
#define TG_GATEWAY_SIM_ARRIVALS_H

#include "sim_pace.h"
#include "sim_universe.h"

#define TG__SIM_TRAINS_MAX 8192u /* full: a train ends early */

typedef struct tg__sim_train {
    int64_t next_ns;
    tg_instrument_id id;
    uint16_t left; /* events to come, at least 1 */
} tg__sim_train;

typedef struct tg__arrivals {
    tg__pace pace;
    tg__prng prng;
    const tg__sim_traits *traits; /* by id */
    int64_t now_ns;
    int64_t next_start_ns;
    uint64_t weight_total;
    uint32_t sleeper_count;
    uint32_t train_count;
    tg__sim_train trains[TG__SIM_TRAINS_MAX]; /* a heap by next_ns */
    uint64_t weight_end[TG__SIM_INSTRUMENTS]; /* running sum, for the search */
    tg_instrument_id sleepers[TG__SIM_INSTRUMENTS];
} tg__arrivals;

/* traits must outlive arrivals. */
void tg__arrivals_init(tg__arrivals *arrivals, uint64_t seed, const tg__sim_options *options,
                       const tg__sim_traits *traits, uint32_t venue_count);

/* The mean rate of one instrument, in events per 1,000 s; 0: it sleeps most of the time. */
uint64_t tg__arrivals_events_milli(const tg__arrivals *arrivals, tg_instrument_id id);

/* The instrument of the next event, which is at arrivals->now_ns: later than the one before. */
tg_instrument_id tg__arrivals_next(tg__arrivals *arrivals);

#endif
