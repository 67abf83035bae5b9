#include "tg_cmocka.h"

#include <string.h>

#include "band_pool.h"

enum {
    capacity = 3
};

static tg__band_table tables[capacity + 1];

static tg__band_pool empty_pool(void)
{
    memset(tables, 0, sizeof tables);
    return (tg__band_pool){.table = tables, .capacity = capacity};
}

static uint16_t take(tg__band_pool *pool, int64_t from_price, int64_t tick_size)
{
    const tg_tick_band band = {from_price, tick_size};
    return tg__bands_take(pool, &band, 1);
}

static void a_table_is_kept_once_however_many_have_it(void **state)
{
    (void)state;
    tg__band_pool pool = empty_pool();
    const uint16_t index = take(&pool, 0, 5);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(take(&pool, 0, 5), index);
    }
    assert_int_equal(pool.used, 1);
    assert_int_equal(pool.table[index].count, 1);
    assert_int_equal(pool.table[index].band[0].tick_size, 5);
}

static void any_difference_makes_another_table(void **state)
{
    (void)state;
    tg__band_pool pool = empty_pool();
    const tg_tick_band bands[TG_TICK_BAND_MAX] = {{0, 1}, {10, 2}, {20, 3}};
    tg_tick_band other[TG_TICK_BAND_MAX];
    memcpy(other, bands, sizeof other);
    other[2].from_price = 21;
    const uint16_t first = tg__bands_take(&pool, bands, 3);
    const uint16_t shorter = tg__bands_take(&pool, bands, 2);
    const uint16_t last_differs = tg__bands_take(&pool, other, 3);
    assert_true(first != 0 && shorter != 0 && last_differs != 0);
    assert_true(first != shorter && shorter != last_differs && first != last_differs);
    other[2] = bands[2];
    other[1].tick_size = 7;
    assert_int_equal(tg__bands_take(&pool, other, 3), 0); /* a fourth one */
    assert_int_equal(tg__bands_take(&pool, bands, 3), first);
    other[1].tick_size = 2;
    other[5].tick_size = 9; /* over the count: not part of the table */
    assert_int_equal(tg__bands_take(&pool, other, 3), first);
}

static void a_place_is_free_again_after_its_last_reference(void **state)
{
    (void)state;
    tg__band_pool pool = empty_pool();
    const uint16_t twice = take(&pool, 0, 1);
    assert_int_equal(take(&pool, 0, 1), twice);
    const uint16_t second = take(&pool, 0, 2);
    assert_int_not_equal(take(&pool, 0, 3), 0);
    assert_int_equal(take(&pool, 0, 4), 0);
    tg__bands_release(&pool, twice);
    assert_int_equal(take(&pool, 0, 4), 0);
    assert_int_equal(pool.table[twice].band[0].tick_size, 1);
    tg__bands_release(&pool, twice);
    assert_int_equal(take(&pool, 0, 4), twice);
    /* A free place is not found by what it held. */
    tg__bands_release(&pool, second);
    assert_int_equal(take(&pool, 0, 1), second);
    tg__bands_release(&pool, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_kept_once_however_many_have_it),
        cmocka_unit_test(any_difference_makes_another_table),
        cmocka_unit_test(a_place_is_free_again_after_its_last_reference),
    };
    return cmocka_run_group_tests_name("store.band_pool", tests, NULL, NULL);
}
