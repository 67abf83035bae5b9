#include "tile_cache.h"

#include <stdio.h>
#include <string.h>

#include "tg_cmocka.h"

static tg_cell cell_of(unsigned number)
{
    tg_cell cell;
    memset(&cell, 0, sizeof cell);
    (void)snprintf(cell.text, sizeof cell.text, "%u", number);
    cell.foreground = number * 7;
    return cell;
}

/* Looks a cell up and fills its tile if it is new; checks it if it is not. */
static bool touch(tg__tile_cache *cache, unsigned number)
{
    const tg_cell cell = cell_of(number);
    bool found = false;
    uint32_t *tile = tg__tile_cache_get(cache, &cell, &found);
    if (!found) {
        tile[0] = number;
        tile[2] = ~number;
    }
    assert_int_equal(tile[0], number);
    assert_int_equal(tile[2], ~number);
    return found;
}

static void open_refuses_nothing_and_too_much(void **state)
{
    (void)state;
    tg__tile_cache *cache = NULL;
    assert_int_equal(tg__tile_cache_open(0, 4, &cache), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg__tile_cache_open(4, 0, &cache), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg__tile_cache_open(65537, 4, &cache), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg__tile_cache_open(4, SIZE_MAX / 8, &cache), TG_ERR_INVALID_ARGUMENT);
    assert_null(cache);
    tg__tile_cache_close(NULL);
}

static void every_part_of_a_cell_tells_tiles_apart(void **state)
{
    (void)state;
    tg__tile_cache *cache = NULL;
    assert_int_equal(tg__tile_cache_open(16, 1, &cache), TG_OK);
    tg_cell cells[5];
    for (size_t i = 0; i < 5; i++) {
        cells[i] = cell_of(1);
    }
    cells[1].text[0] = '2';
    cells[2].foreground++;
    cells[3].background++;
    cells[4].marks++;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5; i++) {
            bool found = false;
            uint32_t *tile = tg__tile_cache_get(cache, &cells[i], &found);
            assert_int_equal(found, round == 1);
            if (round == 0) {
                *tile = i;
            }
            assert_int_equal(*tile, i);
        }
    }
    tg__tile_cache_close(cache);
}

static void tiles_in_use_survive_and_the_cache_never_mixes_them_up(void **state)
{
    (void)state;
    tg__tile_cache *cache = NULL;
    assert_int_equal(tg__tile_cache_open(8, 3, &cache), TG_OK);
    for (unsigned i = 0; i < 8; i++) {
        assert_false(touch(cache, i));
    }
    for (unsigned i = 0; i < 8; i++) {
        assert_true(touch(cache, i));
    }
    /* One more sends the hand round once and puts one of the eight out. */
    assert_false(touch(cache, 8));
    assert_true(touch(cache, 8));
    assert_true(touch(cache, 7));
    /* A tile that is used each time stays while hundreds pass. */
    for (unsigned i = 100; i < 600; i++) {
        assert_false(touch(cache, i));
        assert_true(touch(cache, 8));
    }
    assert_false(touch(cache, 0));
    tg__tile_cache_close(cache);
}

static void a_cache_of_one_tile_works(void **state)
{
    (void)state;
    tg__tile_cache *cache = NULL;
    assert_int_equal(tg__tile_cache_open(1, 3, &cache), TG_OK);
    for (unsigned i = 0; i < 10; i++) {
        assert_false(touch(cache, i));
        assert_true(touch(cache, i));
    }
    tg__tile_cache_close(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_refuses_nothing_and_too_much),
        cmocka_unit_test(every_part_of_a_cell_tells_tiles_apart),
        cmocka_unit_test(tiles_in_use_survive_and_the_cache_never_mixes_them_up),
        cmocka_unit_test(a_cache_of_one_tile_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
