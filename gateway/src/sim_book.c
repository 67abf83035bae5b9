#include "sim_book.h"

#include <string.h>

#define TRADE_PERCENT      14u
#define BOTH_SIDES_PERCENT 3u
#define TURN_SHARE         6u /* one trade in so many is on the other side than the last */
#define FOLLOW_PERCENT     60u
#define RESTLESS_PERCENT   75u /* of the updates of a wide spread */
#define ONE_TICK_PERCENT   25u /* of the moves, whatever the walk's step */
#define MOVE_PPM_MAX       30000u
#define SIGMA_DIVISOR      10000u     /* of the price, a second */
#define SIGMA_Q8_MAX       100000000u /* so that its square and 1,000 fit 64 bits */
#define PRICE_SIZE_MIN     2000u      /* ticks: a price near zero moves, too */
#define STEP_MAX           1000000u
#define JUMP_DIVISOR       500 /* of the price, at a release; twice that at most */
#define JUMP_MIN           4
#define PULL_MAX           400 /* of 1,000: how much the odds lean back to the anchor */

static uint64_t square_root(uint64_t value)
{
    uint64_t low = 0;
    uint64_t high = UINT32_MAX;
    while (low < high) {
        const uint64_t middle = (low + high + 1) / 2;
        if (middle <= value / middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static int64_t size_of(int64_t ticks)
{
    return ticks < 0 ? -ticks : ticks;
}

/*
 * A random walk of m moves a second with steps of s ticks spreads by s x sqrt(m) ticks a second.
 * Steps are drawn as 1 to (1 to step_max): their root mean square is a third of step_max.
 */
static tg__sim_walk walk_of(const tg__sim_traits *traits, uint64_t events_milli)
{
    const uint64_t size = (uint64_t)size_of(traits->anchor_ticks);
    uint64_t sigma_q8 = (size < PRICE_SIZE_MIN ? PRICE_SIZE_MIN : size) * 256 / SIGMA_DIVISOR;
    sigma_q8 = sigma_q8 > SIGMA_Q8_MAX ? SIGMA_Q8_MAX : sigma_q8;
    const uint64_t variance_q16 = sigma_q8 * sigma_q8;
    const uint64_t quotes_milli = 1 + events_milli * (100 - TRADE_PERCENT) / 100;
    /* Ticks of one move, were every quote one. */
    const uint64_t step_q8 = square_root(variance_q16 * 1000 / quotes_milli);
    const uint64_t every_ppm = step_q8 >= 256 ? 1000000 : step_q8 * step_q8 * 1000000 / 65536;
    tg__sim_walk walk = {.move_ppm = (uint32_t)every_ppm, .step_max = 1};
    if (every_ppm > MOVE_PPM_MAX) {
        const uint64_t moves_milli = 1 + quotes_milli * MOVE_PPM_MAX / 1000000;
        const uint64_t rare_q8 = square_root(variance_q16 * 1000 / moves_milli);
        const uint64_t step_max = 1 + 3 * rare_q8 / 256;
        walk.move_ppm = MOVE_PPM_MAX;
        walk.step_max = step_max > STEP_MAX ? STEP_MAX : (uint32_t)step_max;
    }
    return walk;
}

/* Small sizes are common, large ones rare. */
static int64_t draw_lots(tg__prng *prng)
{
    const uint64_t random = tg__prng_next(prng);
    const unsigned scale = (unsigned)(random & 7u) + 1u;
    return 1 + (int64_t)((random >> 8) % (UINT64_C(1) << scale));
}

static int64_t target_of(const tg__sim_traits *traits, uint32_t spread_q8)
{
    return (int64_t)(((uint64_t)traits->spread_ticks * spread_q8) >> 8);
}

/* A bid of 0 or less only where prices may be negative. An ask that is not told stays. */
static void keep_above_zero(tg__sim_book *book, const tg__sim_traits *traits, tg__sim_change change)
{
    if (traits->may_be_negative || book->bid_ticks >= 1) {
        return;
    }
    if (change == TG__SIM_CHANGE_BID) {
        book->spread_ticks -= 1 - book->bid_ticks;
    }
    book->bid_ticks = 1;
}

void tg__sim_book_open(tg__sim_book *book, const tg__sim_traits *traits, uint64_t events_milli,
                       tg__prng *prng)
{
    memset(book, 0, sizeof *book);
    book->walk = walk_of(traits, events_milli);
    book->bid_ticks = traits->anchor_ticks;
    book->spread_ticks = traits->spread_ticks;
    book->bid_lots = draw_lots(prng);
    book->ask_lots = draw_lots(prng);
    book->trade_id = 1000 + tg__prng_below(prng, 1000000);
    book->trade_ticks = book->bid_ticks;
    book->trade_lots = draw_lots(prng);
}

/* Drawn back to the anchor the more, the farther away it is. */
static bool draw_rise(const tg__sim_book *book, const tg__sim_traits *traits, tg__prng *prng)
{
    const int64_t reach = size_of(traits->anchor_ticks) / 50 + 40;
    const int64_t away = book->bid_ticks - traits->anchor_ticks;
    const int64_t pull = away > reach    ? PULL_MAX
                         : away < -reach ? -PULL_MAX
                                         : away * PULL_MAX / reach;
    return (int64_t)tg__prng_below(prng, 1000) >= 500 + pull;
}

static int64_t draw_step(const tg__sim_book *book, tg__prng *prng)
{
    if (tg__prng_below(prng, 100) < ONE_TICK_PERCENT) {
        return 1;
    }
    const uint32_t bound = 1 + tg__prng_below(prng, book->walk.step_max);
    return 1 + (int64_t)tg__prng_below(prng, bound);
}

static tg__sim_change trade(tg__sim_book *book, tg__prng *prng)
{
    if (tg__prng_below(prng, TURN_SHARE) == 0) {
        book->buys = !book->buys;
    }
    book->trade_id++;
    book->trade_ticks = book->bid_ticks + (book->buys ? book->spread_ticks : 0);
    book->trade_lots = draw_lots(prng);
    return TG__SIM_CHANGE_TRADE;
}

/* The side that lies behind comes after the one that went ahead. */
static tg__sim_change follow(tg__sim_book *book, int64_t target)
{
    if (book->rises) {
        book->bid_ticks += book->spread_ticks - target;
    }
    book->spread_ticks = target;
    return book->rises ? TG__SIM_CHANGE_BID : TG__SIM_CHANGE_ASK;
}

static tg__sim_change go_ahead(tg__sim_book *book, const tg__sim_traits *traits, tg__prng *prng)
{
    const int64_t step = draw_step(book, prng);
    book->rises = draw_rise(book, traits, prng);
    book->spread_ticks += step;
    if (!book->rises) {
        book->bid_ticks -= step;
    }
    return book->rises ? TG__SIM_CHANGE_ASK : TG__SIM_CHANGE_BID;
}

/* One side of a wide spread moves a little, by one to three ticks, and never far from its usual
 * width. */
static tg__sim_change stir(tg__sim_book *book, int64_t target, bool bid, tg__prng *prng)
{
    const uint32_t random = tg__prng_below(prng, 16);
    const int64_t step = random < 8 ? 1 : random < 13 ? 2 : 3;
    const int64_t spread = book->spread_ticks;
    const bool widens = spread * 4 < target * 3   ? true
                        : spread * 4 > target * 5 ? false
                                                  : random % 2 == 0;
    int64_t change = widens ? step : -step;
    change = spread + change < 1 ? 1 - spread : change;
    book->spread_ticks += change;
    if (bid) {
        book->bid_ticks -= change;
    }
    return bid ? TG__SIM_CHANGE_BID : TG__SIM_CHANGE_ASK;
}

static tg__sim_change quote_both(tg__sim_book *book, const tg__sim_traits *traits, int64_t target,
                                 tg__prng *prng)
{
    if (tg__prng_below(prng, 2) == 0) {
        const int64_t step = draw_step(book, prng);
        book->rises = draw_rise(book, traits, prng);
        book->bid_ticks += book->rises ? step : -step;
        book->spread_ticks = target;
    }
    return TG__SIM_CHANGE_BOTH;
}

static tg__sim_change quote(tg__sim_book *book, const tg__sim_traits *traits, uint32_t spread_q8,
                            uint32_t kind, tg__prng *prng)
{
    const int64_t target = target_of(traits, spread_q8);
    const bool bid = kind % 2 == 0;
    if (kind < TRADE_PERCENT + BOTH_SIDES_PERCENT) {
        return quote_both(book, traits, target, prng);
    }
    const bool far = book->spread_ticks > target + target / 2 || book->spread_ticks < target / 2;
    if (far && tg__prng_below(prng, 100) < FOLLOW_PERCENT) {
        return follow(book, target);
    }
    if (tg__prng_below(prng, 1000000) < book->walk.move_ppm) {
        return go_ahead(book, traits, prng);
    }
    if (traits->spread_ticks > 1 && tg__prng_below(prng, 100) < RESTLESS_PERCENT) {
        return stir(book, target, bid, prng);
    }
    return bid ? TG__SIM_CHANGE_BID : TG__SIM_CHANGE_ASK;
}

tg__sim_change tg__sim_book_event(tg__sim_book *book, const tg__sim_traits *traits,
                                  uint32_t spread_q8, tg__prng *prng)
{
    const uint32_t kind = tg__prng_below(prng, 100);
    if (kind < TRADE_PERCENT) {
        return trade(book, prng);
    }
    const tg__sim_change change = quote(book, traits, spread_q8, kind, prng);
    keep_above_zero(book, traits, change);
    if (change != TG__SIM_CHANGE_ASK) {
        book->bid_lots = draw_lots(prng);
    }
    if (change != TG__SIM_CHANGE_BID) {
        book->ask_lots = draw_lots(prng);
    }
    return change;
}

void tg__sim_book_jump(tg__sim_book *book, const tg__sim_traits *traits, bool up,
                       uint32_t spread_q8, tg__prng *prng)
{
    const int64_t most = size_of(book->bid_ticks) / JUMP_DIVISOR;
    const uint32_t range = most > (int64_t)UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    const int64_t step = JUMP_MIN + (int64_t)tg__prng_below(prng, range + 1) + (int64_t)range;
    book->bid_ticks += up ? step : -step;
    book->spread_ticks = target_of(traits, spread_q8);
    book->rises = up;
    keep_above_zero(book, traits, TG__SIM_CHANGE_BOTH);
    book->bid_lots = draw_lots(prng);
    book->ask_lots = draw_lots(prng);
}
