#include "sim.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "prng.h"
#include "sim_universe.h"

#define MEAN_GAP_NS        (INT64_C(1000000000) / TG__SIM_TICKS_PER_S)
#define SLEEPER_SHARE      20000u /* one event in so many goes to a sleeper: each wakes every 5 min */
#define SPREAD_TICKS_MAX   4
#define TRADE_PERCENT      12u
#define BOTH_SIDES_PERCENT 28u
#define SPREAD_KEEPS       40u        /* requotes without a move, to one that changes the spread */
#define SIGMA_DIVISOR      10000u     /* of the price, a second */
#define SIGMA_Q8_MAX       100000000u /* so that its square and 1,000 fit 64 bits */
#define PRICE_SIZE_MIN     2000u      /* ticks: a price near zero moves, too */
#define STEP_MAX           1000000u
#define QUEUED_MAX         3 /* rows of one event: a trade, a bid and an ask */
#define LOG_FRACTION_BITS  16

/* How one instrument's price walks: about 0.01 % a second, whatever its tick and its activity. */
typedef struct walk {
    uint32_t move_ppm; /* of its quotes on both sides, those that move the price */
    uint32_t step_max; /* ticks of one move: 1 to this */
} walk;

typedef struct book_top {
    int64_t bid_ticks;
    int64_t spread_ticks; /* at least 1: never crossed */
    int64_t bid_lots;
    int64_t ask_lots;
    uint64_t trade_id;
} book_top;

struct tg__sim {
    tg__prng prng;
    int64_t now_ns;
    int64_t burst_end_ns;
    uint64_t quote_id; /* one sequence for the quotes of all venues, as some venues have */
    uint32_t opened;   /* instruments that had their first quote and trade */
    uint32_t sleeper_count;
    uint32_t queued;
    uint32_t taken;
    uint64_t weight_total;
    tg__row queue[QUEUED_MAX];
    book_top tops[TG__SIM_INSTRUMENTS];
    walk walks[TG__SIM_INSTRUMENTS];
    tg__sim_traits traits[TG__SIM_INSTRUMENTS];
    uint64_t weight_end[TG__SIM_INSTRUMENTS]; /* running sum, for the search */
    tg_instrument_id sleepers[TG__SIM_INSTRUMENTS];
};

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

/* A random walk of m moves a second with steps of s ticks spreads by s x sqrt(m) ticks a second. */
static walk walk_of(const tg__sim_traits *traits, uint64_t weight_total)
{
    const uint64_t size =
        (uint64_t)(traits->anchor_ticks < 0 ? -traits->anchor_ticks : traits->anchor_ticks);
    uint64_t sigma_q8 = (size < PRICE_SIZE_MIN ? PRICE_SIZE_MIN : size) * 256 / SIGMA_DIVISOR;
    sigma_q8 = sigma_q8 > SIGMA_Q8_MAX ? SIGMA_Q8_MAX : sigma_q8;
    const uint64_t variance_q16 = sigma_q8 * sigma_q8;
    const uint64_t events_milli =
        1 + (uint64_t)traits->weight * TG__SIM_TICKS_PER_S * 1000 / weight_total;
    const uint64_t quotes_milli = 1 + events_milli * BOTH_SIDES_PERCENT / 100;
    const uint64_t step_q8 = square_root(variance_q16 * 1000 / quotes_milli);
    walk w = {.move_ppm = 1000000, .step_max = 1};
    if (step_q8 >= 256) {
        const uint64_t step_max = step_q8 * 2 / 256 - 1;
        w.step_max = step_max > STEP_MAX ? STEP_MAX : (uint32_t)step_max;
    } else {
        w.move_ppm = (uint32_t)(step_q8 * step_q8 * 1000000 / 65536);
    }
    return w;
}

tg_err tg__sim_open(uint64_t seed, tg__directory *directory, tg__sim **out)
{
    *out = NULL;
    tg__sim *sim = calloc(1, sizeof *sim);
    TG_ENSURE(sim != NULL, TG_ERR_NO_MEMORY);
    const tg_err err = tg__sim_universe_fill(directory, sim->traits, seed);
    if (err != TG_OK) {
        tg__sim_close(sim);
        return err;
    }
    sim->prng.state = tg__prng_mix(seed ^ UINT64_C(0x7469636b676c6173));
    sim->quote_id = UINT64_C(1000000);
    for (uint32_t id = 0; id < TG__SIM_INSTRUMENTS; id++) {
        if (sim->traits[id].weight == 0) {
            sim->sleepers[sim->sleeper_count++] = (tg_instrument_id)id;
        }
        sim->weight_total += sim->traits[id].weight;
        sim->weight_end[id] = sim->weight_total;
    }
    for (uint32_t id = 0; id < TG__SIM_INSTRUMENTS; id++) {
        sim->walks[id] = walk_of(&sim->traits[id], sim->weight_total);
    }
    *out = sim;
    return TG_OK;
}

void tg__sim_close(tg__sim *sim)
{
    free(sim);
}

/* -ln(u / 2^32) in 16 fractional bits, u > 0: leading bit, then the fraction by squaring. */
static uint32_t negative_log(uint32_t u)
{
    uint32_t shift = 0;
    while ((u & UINT32_C(0x80000000)) == 0) {
        u <<= 1;
        shift++;
    }
    uint64_t mantissa = u; /* 1.0 to 2.0, 31 fractional bits */
    uint32_t fraction = 0;
    for (unsigned i = 0; i < LOG_FRACTION_BITS; i++) {
        mantissa = (mantissa * mantissa) >> 31;
        fraction <<= 1;
        if (mantissa >= (UINT64_C(1) << 32)) {
            mantissa >>= 1;
            fraction |= 1;
        }
    }
    const uint32_t log2_negative = ((shift + 1) << LOG_FRACTION_BITS) - fraction;
    return (uint32_t)(((uint64_t)log2_negative * 45426) >> LOG_FRACTION_BITS); /* x ln 2 */
}

/* Exponential, so that arrivals are a Poisson process; five times as dense in a burst. */
static int64_t next_gap_ns(tg__sim *sim)
{
    const uint32_t u = (uint32_t)(tg__prng_next(&sim->prng) >> 32) | 1u;
    int64_t mean_ns = MEAN_GAP_NS * 11 / 10;
    if (sim->now_ns < sim->burst_end_ns) {
        mean_ns = MEAN_GAP_NS / 5;
    } else if (tg__prng_below(&sim->prng, 100000) == 0) {
        sim->burst_end_ns = sim->now_ns + 20000000 + (int64_t)tg__prng_below(&sim->prng, 200000000);
    }
    return 1 + ((mean_ns * (int64_t)negative_log(u)) >> LOG_FRACTION_BITS);
}

static tg_instrument_id pick_instrument(tg__sim *sim)
{
    if (tg__prng_below(&sim->prng, SLEEPER_SHARE) == 0) {
        return sim->sleepers[tg__prng_below(&sim->prng, sim->sleeper_count)];
    }
    const uint64_t at = tg__prng_next(&sim->prng) % sim->weight_total;
    uint32_t low = 0;
    uint32_t high = TG__SIM_INSTRUMENTS - 1;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (sim->weight_end[middle] > at) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return (tg_instrument_id)low;
}

/* Small sizes are common, large ones rare. */
static int64_t draw_lots(tg__sim *sim)
{
    const uint64_t random = tg__prng_next(&sim->prng);
    const unsigned scale = (unsigned)(random & 7u) + 1u;
    return 1 + (int64_t)((random >> 8) % (UINT64_C(1) << scale));
}

static int64_t draw_spread(tg__sim *sim)
{
    const uint32_t random = tg__prng_below(&sim->prng, 16);
    return random < 9 ? 1 : random < 13 ? 2 : random < 15 ? 3 : SPREAD_TICKS_MAX;
}

static void push_row(tg__sim *sim, tg_instrument_id id, tg__row_kind kind, int64_t ticks,
                     int64_t lots)
{
    const tg__sim_traits *traits = &sim->traits[id];
    const bool trade = kind == TG__ROW_TRADE;
    const tg__row row = {
        .ts_ns = sim->now_ns,
        .price = ticks * traits->tick_size,
        .quantity = lots * traits->lot,
        .has_id = traits->has_ids,
        .exchange_id = !traits->has_ids ? 0
                       : trade          ? sim->tops[id].trade_id
                                        : sim->quote_id,
        .kind = kind,
        .instrument = id,
    };
    sim->queue[sim->queued++] = row;
}

/* One step, drawn back to the anchor the more, the farther away it is. */
static void move_price(tg__sim *sim, tg_instrument_id id)
{
    const tg__sim_traits *traits = &sim->traits[id];
    book_top *top = &sim->tops[id];
    const int64_t anchor = traits->anchor_ticks;
    const int64_t reach = (anchor < 0 ? -anchor : anchor) / 50 + 40;
    const int64_t away = top->bid_ticks - anchor;
    const int64_t pull = away > reach ? 400 : away < -reach ? -400 : away * 400 / reach;
    const int64_t step = 1 + (int64_t)tg__prng_below(&sim->prng, sim->walks[id].step_max);
    const bool down = (int64_t)tg__prng_below(&sim->prng, 1000) < 500 + pull;
    top->bid_ticks += down ? -step : step;
    if (!traits->may_be_negative && top->bid_ticks < 1) {
        top->bid_ticks = 1;
    }
}

static void trade(tg__sim *sim, tg_instrument_id id)
{
    book_top *top = &sim->tops[id];
    const uint32_t place = tg__prng_below(&sim->prng, (uint32_t)top->spread_ticks + 1);
    top->trade_id++;
    push_row(sim, id, TG__ROW_TRADE, top->bid_ticks + (int64_t)place, draw_lots(sim));
}

static void quote_both(tg__sim *sim, tg_instrument_id id)
{
    book_top *top = &sim->tops[id];
    sim->quote_id += 1 + tg__prng_below(&sim->prng, 3);
    push_row(sim, id, TG__ROW_BID, top->bid_ticks, top->bid_lots);
    push_row(sim, id, TG__ROW_ASK, top->bid_ticks + top->spread_ticks, top->ask_lots);
}

static void quote_size(tg__sim *sim, tg_instrument_id id, bool bid)
{
    book_top *top = &sim->tops[id];
    sim->quote_id += 1 + tg__prng_below(&sim->prng, 3);
    if (bid) {
        top->bid_lots = draw_lots(sim);
        push_row(sim, id, TG__ROW_BID, top->bid_ticks, top->bid_lots);
    } else {
        top->ask_lots = draw_lots(sim);
        push_row(sim, id, TG__ROW_ASK, top->bid_ticks + top->spread_ticks, top->ask_lots);
    }
}

static void open_instrument(tg__sim *sim, tg_instrument_id id)
{
    book_top *top = &sim->tops[id];
    top->bid_ticks = sim->traits[id].anchor_ticks;
    top->spread_ticks = draw_spread(sim);
    top->bid_lots = draw_lots(sim);
    top->ask_lots = draw_lots(sim);
    top->trade_id = 1000 + tg__prng_below(&sim->prng, 1000000);
    trade(sim, id);
    quote_both(sim, id);
}

/* New sizes on both sides; the price moves as often as its walk says. */
static void requote(tg__sim *sim, tg_instrument_id id)
{
    book_top *top = &sim->tops[id];
    const bool moves = tg__prng_below(&sim->prng, 1000000) < sim->walks[id].move_ppm;
    if (moves) {
        move_price(sim, id);
    }
    if (moves || tg__prng_below(&sim->prng, SPREAD_KEEPS) == 0) {
        top->spread_ticks = draw_spread(sim);
    }
    top->bid_lots = draw_lots(sim);
    top->ask_lots = draw_lots(sim);
    quote_both(sim, id);
}

static void draw_event(tg__sim *sim)
{
    sim->now_ns += next_gap_ns(sim);
    const tg_instrument_id id = pick_instrument(sim);
    const uint32_t kind = tg__prng_below(&sim->prng, 100);
    if (kind < TRADE_PERCENT) {
        trade(sim, id);
    } else if (kind < TRADE_PERCENT + BOTH_SIDES_PERCENT) {
        requote(sim, id);
    } else {
        quote_size(sim, id, kind % 2 == 0);
    }
}

void tg__sim_next(tg__sim *sim, tg__row *row)
{
    if (sim->taken == sim->queued) {
        sim->taken = 0;
        sim->queued = 0;
        if (sim->opened < TG__SIM_INSTRUMENTS) {
            open_instrument(sim, (tg_instrument_id)sim->opened++);
        } else {
            draw_event(sim);
        }
    }
    *row = sim->queue[sim->taken++];
}
