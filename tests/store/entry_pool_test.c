#include "tg_cmocka.h"

#include "entry_pool.h"
#include "market_fixture.h"

enum {
    capacity = 3,
    shares = 2,
    variants = 18
};

static tg__entry entries[capacity + 1];
static tg__symbol_tail tails[shares + 1];
static tg__band_table tables[shares + 1];
static tg__name currencies[shares + 1];

static tg__entry_pool empty_pool(void)
{
    memset(entries, 0, sizeof entries);
    memset(tails, 0, sizeof tails);
    memset(tables, 0, sizeof tables);
    memset(currencies, 0, sizeof currencies);
    return (tg__entry_pool){.entry = entries,
                            .capacity = capacity,
                            .tail = tails,
                            .tail_capacity = shares,
                            .bands = {.table = tables, .capacity = shares},
                            .currencies = {.name = currencies, .capacity = shares}};
}

static void a_full_pool_gives_nothing(void **state)
{
    (void)state;
    tg__entry_pool pool = empty_pool();
    const tg_instrument instrument = instrument_of(1, 0, "A");
    for (uint32_t i = 1; i <= capacity; i++) {
        assert_int_equal(tg__entry_take(&pool, &instrument), i);
        tg__entry_refer(&pool, i);
    }
    assert_int_equal(tg__entry_take(&pool, &instrument), 0);
}

static void a_place_is_free_again_after_its_last_reference(void **state)
{
    (void)state;
    tg__entry_pool pool = empty_pool();
    const tg_instrument a = instrument_of(1, 0, "A");
    const tg_instrument b = instrument_of(2, 0, "B");
    const uint32_t first = tg__entry_take(&pool, &a);
    tg__entry_refer(&pool, first);
    tg__entry_refer(&pool, first);
    const uint32_t second = tg__entry_take(&pool, &b);
    tg__entry_refer(&pool, second);
    tg__entry_refer(&pool, tg__entry_take(&pool, &b));
    tg__entry_release(&pool, first);
    assert_int_equal(tg__entry_take(&pool, &b), 0);
    assert_true(tg__entry_is_named(&pool, &pool.entry[first], "A"));
    tg__entry_release(&pool, second);
    tg__entry_release(&pool, first);
    assert_int_equal(tg__entry_take(&pool, &b), first); /* the last one given back comes first */
    assert_int_equal(tg__entry_take(&pool, &b), second);
    assert_int_equal(tg__entry_take(&pool, &b), 0);
    tg__entry_refer(&pool, 0);
    tg__entry_release(&pool, 0);
}

static uint32_t take_with(tg__entry_pool *pool, uint8_t band_count, int64_t from_price)
{
    tg_instrument instrument = instrument_of(1, 0, "A");
    instrument.band_count = band_count;
    instrument.band[0] = (tg_tick_band){from_price, 5};
    instrument.band[1] = (tg_tick_band){from_price + 1, 10};
    const uint32_t index = tg__entry_take(pool, &instrument);
    tg__entry_refer(pool, index);
    return index;
}

static void an_entry_without_a_place_for_its_bands_is_not_taken(void **state)
{
    (void)state;
    tg__entry_pool pool = empty_pool();
    assert_int_equal(take_with(&pool, 2, 0), 1);
    assert_int_equal(take_with(&pool, 2, 1), 2);
    assert_int_equal(take_with(&pool, 2, 2), 0);
    tg__entry_release(&pool, 1);
    /* Its table has gone with it: there is a place for both. */
    assert_int_equal(take_with(&pool, 2, 2), 1);
    assert_int_equal(take_with(&pool, 2, 3), 0);
    tg__entry_release(&pool, 1);
    assert_int_equal(take_with(&pool, 2, 1), 1); /* the same table as the second's */
    tg__entry_release(&pool, 2);
    assert_int_equal(take_with(&pool, 2, 2), 2); /* of that table one has it still */
    assert_int_equal(take_with(&pool, 1, 9), 0);
    /* What needs no table is taken all the same. */
    assert_int_equal(take_with(&pool, 1, INT64_MIN), 3);
    assert_int_equal(take_with(&pool, 0, 0), 0);
}

static uint32_t take_named(tg__entry_pool *pool, const char *symbol, const char *currency)
{
    tg_instrument instrument = instrument_of(1, 0, symbol);
    memset(instrument.currency, 0, sizeof instrument.currency);
    memcpy(instrument.currency, currency, strlen(currency));
    const uint32_t index = tg__entry_take(pool, &instrument);
    tg__entry_refer(pool, index);
    return index;
}

static void an_entry_without_a_place_for_its_currency_is_not_taken(void **state)
{
    (void)state;
    tg__entry_pool pool = empty_pool();
    assert_int_equal(take_named(&pool, "A", "USD"), 1);
    assert_int_equal(take_named(&pool, "B", "EUR"), 2);
    assert_int_equal(take_named(&pool, "C", "GBP"), 0);
    tg__entry_release(&pool, 1);
    assert_int_equal(take_named(&pool, "C", "GBP"), 1);
    assert_int_equal(take_named(&pool, "D", ""), 3); /* none is none of them */
}

#define SYMBOL_31 "0123456789abcdefghijklmnopqrstu"

static void an_entry_without_a_place_for_its_symbols_end_is_not_taken(void **state)
{
    (void)state;
    tg__entry_pool pool = empty_pool();
    assert_int_equal(take_named(&pool, SYMBOL_31 "v", "USD"), 1);
    assert_int_equal(take_named(&pool, SYMBOL_31 "w", "USD"), 2);
    for (uint8_t i = 0; i < 10; i++) { /* what it had taken by then is given back */
        tg_instrument third = instrument_of(3, 0, SYMBOL_31 "x");
        (void)snprintf(third.currency, sizeof third.currency, "X%u", (unsigned)i);
        third.band[0].from_price = i;
        assert_int_equal(tg__entry_take(&pool, &third), 0);
    }
    assert_true(tg__entry_is_named(&pool, &pool.entry[1], SYMBOL_31 "v"));
    tg__entry_release(&pool, 2);
    tg__entry_release(&pool, 1);
    assert_int_equal(take_named(&pool, SYMBOL_31 "x", "USD"), 1);
    assert_int_equal(take_named(&pool, SYMBOL_31 "y", "EUR"), 2);
    assert_true(tg__entry_is_named(&pool, &pool.entry[1], SYMBOL_31 "x"));
    assert_int_equal(take_named(&pool, SYMBOL_31 "z", "USD"), 0);
    assert_int_equal(take_named(&pool, SYMBOL_31, "USD"), 3);
}

static void a_symbol_is_compared_to_its_end(void **state)
{
    (void)state;
    static const char *const symbols[] = {
        "A",
        "AB",
        SYMBOL_31,
        SYMBOL_31 "v",
        SYMBOL_31 "vw",
        SYMBOL_31 "vx",
        SYMBOL_31 "v" SYMBOL_31,
        SYMBOL_31 "v0123456789abcdefghijklmnopqrst",
    };
    const size_t count = sizeof symbols / sizeof symbols[0];
    for (size_t i = 0; i < count; i++) {
        tg__entry_pool pool = empty_pool();
        char symbol[TG_SYMBOL_SIZE];
        const tg__entry *entry = &pool.entry[take_named(&pool, symbols[i], "USD")];
        tg__entry_symbol(&pool, entry, symbol);
        assert_string_equal(symbol, symbols[i]);
        for (size_t k = 0; k < count; k++) {
            assert_int_equal(tg__entry_is_named(&pool, entry, symbols[k]), i == k);
        }
        assert_false(tg__entry_is_named(&pool, entry, ""));
    }
}

static void fill_variants(tg_instrument *other)
{
    for (size_t i = 0; i < variants; i++) {
        other[i] = instrument_of(1, 0, "A");
    }
    other[0].id = 2;
    other[1].venue = 254;
    other[2].asset_class = TG_ASSET_BOND;
    other[3].price_format = TG_PRICE_FRACTION_64;
    other[4].price_exponent = 0;
    other[5].quantity_exponent = 0;
    other[6].delayed = true;
    other[7].epoch = UINT32_MAX;
    other[8].cadence_ms = UINT32_MAX;
    other[9].multiplier.mantissa = INT64_MIN;
    other[10].band_count = 0;
    other[11].band[0].tick_size = 2;
    memset(other[12].symbol, 'x', sizeof other[12].symbol - 1);
    memset(other[13].currency, 'x', sizeof other[13].currency - 1);
    other[14].multiplier.exponent = -3;
    other[15].band[0].from_price = INT64_MIN;
    memset(other[16].symbol, 'x', TG__SYMBOL_HEAD);
    memset(other[17].symbol, 'x', TG__SYMBOL_HEAD - 1);
}

static void a_difference_in_any_field_is_seen(void **state)
{
    (void)state;
    tg__entry_pool pool = empty_pool();
    tg_instrument other[variants];
    const tg_instrument one = instrument_of(1, 0, "A");
    const tg__entry *entry = &pool.entry[tg__entry_take(&pool, &one)];
    assert_true(tg__entry_equal(&pool, entry, &one));
    fill_variants(other);
    for (size_t i = 0; i < variants; i++) {
        assert_false(tg__entry_equal(&pool, entry, &other[i]));
    }
    tg_instrument beyond = one;
    beyond.band[1].tick_size = 9; /* over band_count: not part of the entry */
    assert_true(tg__entry_equal(&pool, entry, &beyond));
    beyond = one;
    beyond.symbol[5] = 'x'; /* behind the end */
    assert_true(tg__entry_equal(&pool, entry, &beyond));
}

static void what_was_put_in_comes_out(void **state)
{
    (void)state;
    tg_instrument given[variants];
    fill_variants(given);
    given[0].band_count = TG_TICK_BAND_MAX;
    for (int i = 0; i < TG_TICK_BAND_MAX; i++) {
        given[0].band[i] = (tg_tick_band){i * 100 - 300, 1 + i};
    }
    given[1].band[0] = (tg_tick_band){INT64_MIN, 0}; /* no step, which is not to be no band */
    given[2].band[0] = (tg_tick_band){INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < variants; i++) {
        tg__entry_pool pool = empty_pool();
        tg_instrument read;
        const tg__entry *entry = &pool.entry[tg__entry_take(&pool, &given[i])];
        tg__entry_read(&pool, entry, &read);
        assert_true(tg__entry_equal(&pool, entry, &given[i]));
        assert_int_equal(read.id, given[i].id);
        assert_int_equal(read.venue, given[i].venue);
        assert_int_equal(read.asset_class, given[i].asset_class);
        assert_int_equal(read.price_format, given[i].price_format);
        assert_int_equal(read.price_exponent, given[i].price_exponent);
        assert_int_equal(read.quantity_exponent, given[i].quantity_exponent);
        assert_int_equal(read.delayed, given[i].delayed);
        assert_int_equal(read.epoch, given[i].epoch);
        assert_int_equal(read.cadence_ms, given[i].cadence_ms);
        assert_int_equal(read.multiplier.mantissa, given[i].multiplier.mantissa);
        assert_int_equal(read.multiplier.exponent, given[i].multiplier.exponent);
        assert_string_equal(read.symbol, given[i].symbol);
        assert_string_equal(read.currency, given[i].currency);
        assert_int_equal(read.band_count, given[i].band_count);
        assert_memory_equal(read.band, given[i].band, given[i].band_count * sizeof read.band[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_pool_gives_nothing),
        cmocka_unit_test(a_place_is_free_again_after_its_last_reference),
        cmocka_unit_test(an_entry_without_a_place_for_its_bands_is_not_taken),
        cmocka_unit_test(an_entry_without_a_place_for_its_currency_is_not_taken),
        cmocka_unit_test(an_entry_without_a_place_for_its_symbols_end_is_not_taken),
        cmocka_unit_test(a_symbol_is_compared_to_its_end),
        cmocka_unit_test(a_difference_in_any_field_is_seen),
        cmocka_unit_test(what_was_put_in_comes_out),
    };
    return cmocka_run_group_tests_name("store.entry_pool", tests, NULL, NULL);
}
