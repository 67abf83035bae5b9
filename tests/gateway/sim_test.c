#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define ROWS 400000

typedef struct market {
    tg__directory directory;
    tg__sim *sim;
} market;

static market open_market_with(uint64_t seed, const tg__sim_options *options)
{
    market m;
    tg__directory_init(&m.directory);
    assert_int_equal(tg__sim_open(seed, options, &m.directory, &m.sim), TG_OK);
    return m;
}

static market open_market(uint64_t seed)
{
    return open_market_with(seed, &tg__sim_usual);
}

static void close_market(market *m)
{
    tg__sim_close(m->sim);
    tg__directory_deinit(&m->directory);
}

static void there_are_2400_instruments_on_six_venues(void **state)
{
    (void)state;
    market m = open_market(1);
    assert_int_equal(m.directory.count, 2400);
    assert_int_equal(m.directory.venue_count, 6);
    assert_true(tg__directory_find_name(&m.directory, "ORION", "BTC-USD") != TG_INSTRUMENT_NONE);
    unsigned fractions = 0;
    unsigned fine = 0;
    for (uint32_t i = 0; i < m.directory.count; i++) {
        const tg_instrument *instrument = &m.directory.instruments[i];
        fractions += instrument->price_format != TG_PRICE_DECIMAL;
        fine += instrument->price_exponent == -18;
        assert_true(instrument->band[0].tick_size > 0);
        assert_true(instrument->cadence_ms > 0);
    }
    assert_int_equal(fractions, 200);
    assert_true(fine > 10);
    close_market(&m);
}

static void one_seed_is_one_market(void **state)
{
    (void)state;
    market a = open_market(42);
    market b = open_market(42);
    market c = open_market(43);
    unsigned differs = 0;
    for (size_t i = 0; i < 50000; i++) {
        tg__row row_a;
        tg__row row_b;
        tg__row row_c;
        tg__sim_next(a.sim, &row_a);
        tg__sim_next(b.sim, &row_b);
        tg__sim_next(c.sim, &row_c);
        assert_true(row_a.ts_ns == row_b.ts_ns && row_a.price == row_b.price &&
                    row_a.quantity == row_b.quantity && row_a.instrument == row_b.instrument &&
                    row_a.exchange_id == row_b.exchange_id && row_a.kind == row_b.kind);
        differs += row_a.price != row_c.price;
    }
    assert_true(differs > 1000);
    close_market(&a);
    close_market(&b);
    close_market(&c);
}

typedef struct top {
    int64_t bid;
    int64_t ask;
    int64_t first;
    uint64_t quote_id;
    uint64_t trade_id;
    unsigned rows;
} top;

/* The row before may be the other half of a tick: judge when the time moves on. */
static void check_top(const top *t, int64_t tick_size)
{
    assert_true(t->ask > t->bid);
    assert_int_equal((t->ask - t->bid) % tick_size, 0);
}

static void prices_move_on_their_grid_and_never_cross(void **state)
{
    (void)state;
    market m = open_market(7);
    top *tops = calloc(m.directory.count, sizeof *tops);
    assert_non_null(tops);
    int64_t last_ts = 0;
    tg_instrument_id last = TG_INSTRUMENT_NONE;
    unsigned negative = 0;
    unsigned negative_with_id = 0;
    unsigned moved = 0;
    for (size_t i = 0; i < ROWS; i++) {
        tg__row row;
        tg__sim_next(m.sim, &row);
        const tg_instrument *instrument = &m.directory.instruments[row.instrument];
        top *t = &tops[row.instrument];
        assert_true(row.ts_ns >= last_ts);
        if (last != TG_INSTRUMENT_NONE && last != row.instrument && tops[last].quote_id != 0) {
            check_top(&tops[last], m.directory.instruments[last].band[0].tick_size);
        }
        last_ts = row.ts_ns;
        last = row.instrument;
        assert_int_equal(row.price % instrument->band[0].tick_size, 0);
        assert_true(row.quantity > 0);
        const bool spread = instrument->asset_class == TG_ASSET_SPREAD;
        negative += row.price < 0;
        negative_with_id += row.price < 0 && row.has_id;
        assert_true(row.price > 0 || spread ||
                    strcmp(m.directory.venues[instrument->venue].name, "AURIGA") == 0);
        if (row.kind == TG__ROW_TRADE) {
            assert_true(t->rows == 0 || (row.price >= t->bid && row.price <= t->ask));
            assert_true(!row.has_id || row.exchange_id > t->trade_id);
            t->trade_id = row.exchange_id;
        } else {
            assert_true(!row.has_id || row.exchange_id >= t->quote_id);
            t->quote_id = row.has_id ? row.exchange_id : 1;
            *(row.kind == TG__ROW_BID ? &t->bid : &t->ask) = row.price;
            t->first = t->first == 0 ? row.price : t->first;
            t->rows++;
        }
        moved += row.kind == TG__ROW_BID && row.price != t->first;
    }
    assert_true(negative > 100);
    assert_true(negative_with_id > 100);
    assert_true(moved > 1000);
    free(tops);
    close_market(&m);
}

typedef struct minute {
    unsigned ticks; /* updates: bid and ask rows of one are one */
    unsigned trades;
    unsigned both;
    unsigned sides_moved;
    unsigned sides;
    unsigned busiest_second;
    unsigned silent; /* instruments */
    unsigned busiest_tenth;
} minute;

static int from_large(const void *a, const void *b)
{
    const unsigned left = *(const unsigned *)a;
    const unsigned right = *(const unsigned *)b;
    return left > right ? -1 : left < right ? 1 : 0;
}

static void add_row(minute *out, int64_t *prices, const tg__row *row, const tg__row *before)
{
    const bool same = row->ts_ns == before->ts_ns;
    out->ticks += !same;
    out->both += same;
    out->trades += row->kind == TG__ROW_TRADE;
    if (row->kind != TG__ROW_TRADE) {
        int64_t *price = &prices[2u * row->instrument + (unsigned)row->kind];
        out->sides++;
        out->sides_moved += *price != row->price;
        *price = row->price;
    }
}

/* One minute after everything's first quote and trade, which only tell the prices before it. */
static minute play_minute(const market *m)
{
    minute out = {0};
    unsigned *counts = calloc(m->directory.count, sizeof *counts);
    int64_t *prices = calloc(2u * m->directory.count, sizeof *prices);
    assert_true(counts != NULL && prices != NULL);
    unsigned seconds[60] = {0};
    tg__row row;
    tg__row before = {.ts_ns = -1};
    for (tg__sim_next(m->sim, &row); row.ts_ns < INT64_C(60000000000); tg__sim_next(m->sim, &row)) {
        if (row.ts_ns == 0) {
            minute unused = {0};
            add_row(&unused, prices, &row, &before);
        } else {
            add_row(&out, prices, &row, &before);
            counts[row.instrument] += row.ts_ns != before.ts_ns;
            seconds[row.ts_ns / INT64_C(1000000000)] += row.ts_ns != before.ts_ns;
        }
        before = row;
    }
    for (size_t i = 0; i < 60; i++) {
        out.busiest_second = seconds[i] > out.busiest_second ? seconds[i] : out.busiest_second;
    }
    qsort(counts, m->directory.count, sizeof *counts, from_large);
    for (uint32_t i = 0; i < m->directory.count; i++) {
        out.silent += counts[i] == 0;
        out.busiest_tenth += i < m->directory.count / 10 ? counts[i] : 0;
    }
    free(counts);
    free(prices);
    return out;
}

/* Shares lie between those of the recorded markets: bench_market prints both. */
static void a_minute_has_the_shares_of_recorded_markets(void **state)
{
    (void)state;
    market m = open_market(7);
    const minute is = play_minute(&m);
    const unsigned percent = is.ticks / 100;
    assert_in_range(is.ticks, 60 * 19000, 60 * 21000);
    assert_in_range(is.trades, percent * 6, percent * 22);
    assert_in_range(is.both, percent, percent * 4);
    assert_in_range(is.sides_moved, is.sides / 100 * 7, is.sides / 100 * 54);
    assert_in_range(is.busiest_tenth, percent * 35, percent * 57);
    assert_in_range(is.busiest_second, 50000, 90000);
    assert_in_range(is.silent, 100, 500);
    close_market(&m);
}

static void the_rate_scales_and_an_opening_adds_to_it(void **state)
{
    (void)state;
    tg__sim_options options = tg__sim_usual;
    options.ticks_per_s = 2000;
    market m = open_market_with(7, &options);
    const minute usual = play_minute(&m);
    close_market(&m);
    assert_in_range(usual.ticks, 60 * 1800, 60 * 2200);
    options.open_s = 60;
    m = open_market_with(7, &options);
    const minute opening = play_minute(&m);
    close_market(&m);
    assert_in_range(opening.ticks, usual.ticks * 18 / 10, usual.ticks * 22 / 10);
}

static void a_release_brings_190000_ticks_in_a_second(void **state)
{
    (void)state;
    tg__sim_options options = tg__sim_usual;
    options.release_count = 1;
    options.release_s[0] = 30;
    market m = open_market_with(7, &options);
    const minute is = play_minute(&m);
    assert_in_range(is.busiest_second, 178000, 202000);
    close_market(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_2400_instruments_on_six_venues),
        cmocka_unit_test(one_seed_is_one_market),
        cmocka_unit_test(prices_move_on_their_grid_and_never_cross),
        cmocka_unit_test(a_minute_has_the_shares_of_recorded_markets),
        cmocka_unit_test(the_rate_scales_and_an_opening_adds_to_it),
        cmocka_unit_test(a_release_brings_190000_ticks_in_a_second),
    };
    return cmocka_run_group_tests_name("gateway.sim", tests, NULL, NULL);
}
