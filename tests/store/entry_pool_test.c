#include "tg_cmocka.h"

#include "entry_pool.h"
#include "market_fixture.h"

enum {
    capacity = 3
};

static tg_instrument entries[capacity + 1];
static tg__entry_use uses[capacity + 1];

static tg__entry_pool empty_pool(void)
{
    memset(uses, 0, sizeof uses);
    return (tg__entry_pool){.entry = entries, .use = uses, .capacity = capacity};
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
    assert_string_equal(pool.entry[first].symbol, "A");
    tg__entry_release(&pool, second);
    tg__entry_release(&pool, first);
    assert_int_equal(tg__entry_take(&pool, &b), first); /* the last one given back comes first */
    assert_int_equal(tg__entry_take(&pool, &b), second);
    assert_int_equal(tg__entry_take(&pool, &b), 0);
    tg__entry_refer(&pool, 0);
    tg__entry_release(&pool, 0);
}

static void a_difference_in_any_field_is_seen(void **state)
{
    (void)state;
    tg_instrument other[14];
    const tg_instrument one = instrument_of(1, 0, "A");
    for (size_t i = 0; i < 14; i++) {
        other[i] = one;
    }
    assert_true(tg__entry_equal(&one, &other[0]));
    other[0].id = 2;
    other[1].venue = 2;
    other[2].asset_class = TG_ASSET_BOND;
    other[3].price_format = TG_PRICE_FRACTION_64;
    other[4].price_exponent = 0;
    other[5].quantity_exponent = 0;
    other[6].delayed = true;
    other[7].epoch = 2;
    other[8].cadence_ms = 2;
    other[9].multiplier.mantissa = 2;
    other[10].band_count = 0;
    other[11].band[0].tick_size = 2;
    other[12].symbol[0] = 'B';
    other[13].currency[0] = 'E';
    for (size_t i = 0; i < 14; i++) {
        assert_false(tg__entry_equal(&one, &other[i]));
    }
    tg_instrument beyond = one;
    beyond.band[1].tick_size = 9; /* over band_count: not part of the entry */
    assert_true(tg__entry_equal(&one, &beyond));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_pool_gives_nothing),
        cmocka_unit_test(a_place_is_free_again_after_its_last_reference),
        cmocka_unit_test(a_difference_in_any_field_is_seen),
    };
    return cmocka_run_group_tests_name("store.entry_pool", tests, NULL, NULL);
}
