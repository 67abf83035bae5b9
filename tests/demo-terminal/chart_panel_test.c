#include "chart_panel.h"

#include <tickglass/plot_cell.h>

#include "market_scene.h"
#include "picture_fixture.h"

static chart_memory memory;
static const panel_area whole = {0, 0, 64, 14};

/* Five minutes of a wandering price, with a hole of 40 s in the third. */
static void play(market_scene *scene)
{
    scene_begin(scene);
    uint64_t random = 7;
    int64_t price = 618130;
    for (int64_t ms = 1500; ms < 280000; ms += 250) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        price += (int64_t)((random >> 33) % 9) - 4;
        if (ms < 150000 || ms > 190000) {
            scene_trade(scene, price, 1);
            scene_admit(scene, 1, ms * MS);
            tg__store_publish(scene->store, ms * MS);
        }
    }
}

static void draw(picture_fixture *f, const instrument_view *shown)
{
    memory.known = false; /* the tests share it, and not their grids */
    chart_panel_draw(f->grid, f->palette, whole, false, shown, &memory);
}

static void the_chart_looks_as_it_did(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 14, NULL);
    market_scene scene;
    play(&scene);
    draw(&f, scene_look(&scene, 280 * S));
    picture_expect_golden(&f, "chart");
    assert_non_null(strstr(picture_row(&f, 0), "last price, 5 min"));
    assert_string_equal(picture_text(&f, (tg_span){13, 0, 20}), "23:54:40 UTC");
    assert_string_equal(picture_text(&f, (tg_span){13, 30, 24}), "23:59:40 UTC");
    scene_close(&scene);
    picture_close(&f);
}

/* Cells of the plot in that column of cells whose bars are drawn in that colour. */
static unsigned bars_in(picture_fixture *f, uint16_t column, uint32_t colour)
{
    tg_grid_forget(f->grid);
    const tg_draw_list *list = tg_grid_damage(f->grid);
    unsigned count = 0;
    for (uint16_t row = 1; row < 13; row++) {
        const tg_cell *cell = &list->cells[(size_t)row * list->columns + column];
        count += (cell->marks & TG_CELL_PLOT) != 0 && cell->foreground == colour ? 1 : 0;
    }
    return count;
}

static void a_hole_in_the_data_is_a_hole_in_the_line(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 14, NULL);
    market_scene scene;
    play(&scene);
    draw(&f, scene_look(&scene, 280 * S));
    /* 53 cells for 300 s that end at 280 s: 170 s is in the middle of the hole. */
    const uint16_t in_hole = (uint16_t)(1 + (170 + 20) * 53 / 300);
    assert_int_equal(bars_in(&f, in_hole, f.palette->text), 0);
    assert_true(bars_in(&f, (uint16_t)(in_hole - 8), f.palette->text) > 0);
    assert_true(bars_in(&f, (uint16_t)(in_hole + 8), f.palette->text) > 0);
    scene_close(&scene);
    picture_close(&f);
}

static void a_stale_chart_is_grey_and_ends_where_the_data_ended(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 14, NULL);
    market_scene scene;
    play(&scene);
    tg__store_set_link(scene.store, TG__LINK_DOWN, 281 * S);
    draw(&f, scene_look(&scene, 295 * S));
    picture_expect_golden(&f, "chart_stale");
    assert_false(picture_shows_colour(&f, f.palette->good));
    for (uint16_t column = 1; column < 53; column++) {
        assert_int_equal(bars_in(&f, column, f.palette->text), 0);
    }
    assert_int_equal(bars_in(&f, 53, f.palette->stale), 0);
    assert_true(bars_in(&f, 48, f.palette->stale) > 0);
    assert_non_null(strstr(picture_row(&f, 0), "! DISCONNECTED"));
    scene_close(&scene);
    picture_close(&f);
}

static void extreme_prices_and_no_history_are_no_trouble(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 14, NULL);
    market_scene scene;
    scene_begin(&scene);
    scene_trade(&scene, INT64_MIN, 1);
    scene_admit(&scene, 1, 2 * S);
    scene_trade(&scene, INT64_MAX, 1);
    scene_admit(&scene, 1, 3 * S);
    draw(&f, scene_look(&scene, 3 * S));
    assert_true(bars_in(&f, 40, f.palette->text) > 10); /* the labels are 21 cells wide */
    scene.shown.history_count = 0;
    draw(&f, &scene.shown);
    assert_string_equal(picture_row(&f, 2), "No history yet.");
    scene.shown.has_history = false;
    draw(&f, &scene.shown);
    assert_string_equal(picture_row(&f, 2), "No history is kept of this instrument.");
    for (uint16_t width = 0; width < 30; width++) {
        (void)scene_look(&scene, 3 * S);
        chart_panel_draw(f.grid, f.palette, (panel_area){0, 0, width, (uint16_t)(width / 2)}, true,
                         &scene.shown, &memory);
    }
    scene_close(&scene);
    picture_close(&f);
}

static void one_price_is_a_line_in_the_middle(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 14, NULL);
    market_scene scene;
    scene_begin(&scene);
    draw(&f, scene_look(&scene, 5 * S));
    assert_int_equal(bars_in(&f, 53, f.palette->text), 1);
    assert_int_equal(bars_in(&f, 20, f.palette->text), 0);
    scene_close(&scene);
    picture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chart_looks_as_it_did),
        cmocka_unit_test(a_hole_in_the_data_is_a_hole_in_the_line),
        cmocka_unit_test(a_stale_chart_is_grey_and_ends_where_the_data_ended),
        cmocka_unit_test(extreme_prices_and_no_history_are_no_trouble),
        cmocka_unit_test(one_price_is_a_line_in_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
