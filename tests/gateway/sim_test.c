#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define ROWS 400000

typedef struct market {
    tg__directory directory;
    tg__sim *sim;
} market;

static market open_market(uint64_t seed)
{
    market m;
    tg__directory_init(&m.directory);
    assert_int_equal(tg__sim_open(seed, &m.directory, &m.sim), TG_OK);
    return m;
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
    assert_in_range((t->ask - t->bid) / tick_size, 1, 4);
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
        negative += row.price < 0;
        assert_true(row.price > 0 ||
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
    assert_true(moved > 1000);
    free(tops);
    close_market(&m);
}

static void activity_is_uneven_and_about_twenty_thousand_ticks_a_second(void **state)
{
    (void)state;
    market m = open_market(7);
    unsigned *counts = calloc(m.directory.count, sizeof *counts);
    assert_non_null(counts);
    unsigned ticks = 0;
    tg__row row = {0};
    tg__row before = {0};
    while (row.ts_ns < INT64_C(10000000000)) {
        before = row;
        tg__sim_next(m.sim, &row);
        if (row.ts_ns > 0) {
            ticks += row.ts_ns != before.ts_ns;
            counts[row.instrument]++;
        }
    }
    assert_in_range(ticks, 180000, 230000);
    unsigned silent = 0;
    unsigned busiest = 0;
    for (uint32_t i = 0; i < m.directory.count; i++) {
        silent += counts[i] == 0;
        busiest = counts[i] > busiest ? counts[i] : busiest;
    }
    assert_in_range(silent, 300, 1200);
    assert_true(busiest > 10 * ticks / m.directory.count);
    free(counts);
    close_market(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_2400_instruments_on_six_venues),
        cmocka_unit_test(one_seed_is_one_market),
        cmocka_unit_test(prices_move_on_their_grid_and_never_cross),
        cmocka_unit_test(activity_is_uneven_and_about_twenty_thousand_ticks_a_second),
    };
    return cmocka_run_group_tests_name("gateway.sim", tests, NULL, NULL);
}
