#include "sim.h"

#include <stdlib.h>

#include <tickglass/internal/control_flow.h>

#include "sim_arrivals.h"
#include "sim_book.h"

#define QUEUED_MAX 3 /* rows of one event: a trade, a bid and an ask */

struct tg__sim {
    tg__prng prng;
    uint64_t quote_id; /* one sequence for the quotes of all venues, as some venues have */
    uint32_t opened;   /* instruments that had their first quote and trade */
    uint32_t queued;
    uint32_t taken;
    tg__row queue[QUEUED_MAX];
    tg__arrivals arrivals;
    tg__sim_book books[TG__SIM_INSTRUMENTS];
    tg__sim_traits traits[TG__SIM_INSTRUMENTS];
};

tg_err tg__sim_open(uint64_t seed, const tg__sim_options *options, tg__directory *directory,
                    tg__sim **out)
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
    tg__arrivals_init(&sim->arrivals, seed, options, sim->traits, directory->venue_count);
    *out = sim;
    return TG_OK;
}

void tg__sim_close(tg__sim *sim)
{
    free(sim);
}

static void push_row(tg__sim *sim, tg_instrument_id id, tg__row_kind kind, int64_t ticks,
                     int64_t lots)
{
    const tg__sim_traits *traits = &sim->traits[id];
    const bool trade = kind == TG__ROW_TRADE;
    const tg__row row = {
        .ts_ns = sim->arrivals.now_ns,
        .price = ticks * traits->tick_size,
        .quantity = lots * traits->lot,
        .has_id = traits->has_ids,
        .exchange_id = !traits->has_ids ? 0
                       : trade          ? sim->books[id].trade_id
                                        : sim->quote_id,
        .kind = kind,
        .instrument = id,
    };
    sim->queue[sim->queued++] = row;
}

static void push_change(tg__sim *sim, tg_instrument_id id, tg__sim_change change)
{
    const tg__sim_book *book = &sim->books[id];
    if (change == TG__SIM_CHANGE_TRADE) {
        push_row(sim, id, TG__ROW_TRADE, book->trade_ticks, book->trade_lots);
        return;
    }
    sim->quote_id += 1 + tg__prng_below(&sim->prng, 3);
    if (change != TG__SIM_CHANGE_ASK) {
        push_row(sim, id, TG__ROW_BID, book->bid_ticks, book->bid_lots);
    }
    if (change != TG__SIM_CHANGE_BID) {
        push_row(sim, id, TG__ROW_ASK, book->bid_ticks + book->spread_ticks, book->ask_lots);
    }
}

static void open_instrument(tg__sim *sim, tg_instrument_id id)
{
    tg__sim_book_open(&sim->books[id], &sim->traits[id],
                      tg__arrivals_events_milli(&sim->arrivals, id), &sim->prng);
    push_change(sim, id, TG__SIM_CHANGE_TRADE);
    push_change(sim, id, TG__SIM_CHANGE_BOTH);
}

static void draw_event(tg__sim *sim)
{
    const tg_instrument_id id = tg__arrivals_next(&sim->arrivals);
    const tg__pace *pace = &sim->arrivals.pace;
    const tg__sim_traits *traits = &sim->traits[id];
    tg__sim_book *book = &sim->books[id];
    const uint32_t spread_q8 = tg__pace_spread_q8(pace);
    if (book->releases != pace->releases && tg__pace_is_release(pace) &&
        traits->family == pace->release_family) {
        book->releases = pace->releases;
        tg__sim_book_jump(book, traits, pace->release_up, spread_q8, &sim->prng);
        push_change(sim, id, TG__SIM_CHANGE_BOTH);
        return;
    }
    push_change(sim, id, tg__sim_book_event(book, traits, spread_q8, &sim->prng));
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
