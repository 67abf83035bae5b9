/**
 * The top of one instrument's book in the simulated market: how its quotes and trades move.
 *
 * Most updates are new sizes on one side. A price moves in two steps: one side goes ahead, the
 * other follows with its next update. Wide spreads are restless: their sides move by a tick or two
 * all the time. Trades hit one side several times in a row. Never crossed.
 */
#ifndef TG_GATEWAY_SIM_BOOK_H
#define TG_GATEWAY_SIM_BOOK_H

#include "prng.h"
#include "sim_universe.h"

/* How far the price walks: about 0.01 % a second, whatever its tick and its activity. */
typedef struct tg__sim_walk {
    uint32_t move_ppm; /* of its updates, those that begin a move */
    uint32_t step_max; /* ticks of one move: 1 to this */
} tg__sim_walk;

typedef struct tg__sim_book {
    int64_t bid_ticks;
    int64_t spread_ticks; /* at least 1 */
    int64_t bid_lots;
    int64_t ask_lots;
    int64_t trade_ticks; /* of the last trade */
    int64_t trade_lots;
    uint64_t trade_id;
    uint32_t releases; /* that it has jumped at */
    bool rises;        /* which way it moved last */
    bool buys;         /* side of the last trade */
    tg__sim_walk walk;
} tg__sim_book;

/* What an update has changed. */
typedef enum tg__sim_change {
    TG__SIM_CHANGE_BID,
    TG__SIM_CHANGE_ASK,
    TG__SIM_CHANGE_BOTH,
    TG__SIM_CHANGE_TRADE
} tg__sim_change;

/* The walk is made for that many events, in 1/1,000 a second. */
void tg__sim_book_open(tg__sim_book *book, const tg__sim_traits *traits, uint64_t events_milli,
                       tg__prng *prng);

/* One event; spread_q8: spreads now, in 1/256 of the usual ones. */
tg__sim_change tg__sim_book_event(tg__sim_book *book, const tg__sim_traits *traits,
                                  uint32_t spread_q8, tg__prng *prng);

/* News: both sides jump. */
void tg__sim_book_jump(tg__sim_book *book, const tg__sim_traits *traits, bool up,
                       uint32_t spread_q8, tg__prng *prng);

#endif
