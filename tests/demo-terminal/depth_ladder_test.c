#include "depth_ladder.h"

#include "market_scene.h"
#include "picture_fixture.h"

static const panel_area whole = {0, 0, 40, 16};

static ladder_axis axis;
static ladder_memory memory;

static void draw(picture_fixture *f, const instrument_view *shown)
{
    depth_ladder_draw(f->grid, f->palette, whole, false, shown, &axis, &memory);
}

/* The row of the axis that shows that price, or -1. */
static int row_of(picture_fixture *f, const char *price)
{
    for (size_t i = 0; i < depth_ladder_rows(whole); i++) {
        if (strcmp(picture_text(f, depth_ladder_cells(whole, i).price), price) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static void begin(picture_fixture *f, market_scene *scene)
{
    *f = picture_open_cells(40, 16, NULL);
    scene_begin(scene);
    memset(&axis, 0, sizeof axis);
    memset(&memory, 0, sizeof memory);
}

static void end(picture_fixture *f, market_scene *scene)
{
    scene_close(scene);
    picture_close(f);
}

static void a_book_stands_on_the_axis(void **state)
{
    (void)state;
    picture_fixture f;
    market_scene scene;
    begin(&f, &scene);
    const tg_book book = scene_deep_book(618130, 618132);
    scene_book(&scene, &book, 1 * S);
    draw(&f, scene_look(&scene, 1 * S));
    picture_expect_golden(&f, "ladder");
    const int best = row_of(&f, "61813.0");
    assert_true(best > 0);
    const ladder_cells cells = depth_ladder_cells(whole, (size_t)best);
    assert_string_equal(picture_text(&f, cells.bid_size), "5.830");
    assert_string_equal(picture_text(&f, cells.ask_size), "");
    assert_string_equal(picture_row(&f, 15), "depth: 10 bids, 10 asks");
    end(&f, &scene);
}

static void without_a_book_it_says_so_and_shows_the_best_prices(void **state)
{
    (void)state;
    picture_fixture f;
    market_scene scene;
    begin(&f, &scene);
    draw(&f, scene_look(&scene, 1 * S));
    assert_string_equal(picture_row(&f, 15), "depth: not sent by gateway");
    const int bid = row_of(&f, "61813.0");
    assert_int_equal(row_of(&f, "61813.1"), bid - 1);
    assert_string_equal(picture_text(&f, depth_ladder_cells(whole, (size_t)bid).bid_size), "3.097");
    assert_string_equal(picture_text(&f, depth_ladder_cells(whole, (size_t)(bid - 1)).ask_size),
                        "12.450");
    scene.shown.priority_given = false;
    draw(&f, &scene.shown);
    assert_string_equal(picture_row(&f, 15), "depth: none came, best only");
    end(&f, &scene);
}

static void the_axis_stands_still_while_the_market_moves(void **state)
{
    (void)state;
    picture_fixture f;
    market_scene scene;
    begin(&f, &scene);
    draw(&f, scene_look(&scene, 1 * S));
    const int before = row_of(&f, "61813.0");
    for (int64_t i = 1; i < 5; i++) {
        scene_quote(&scene, 618130 + i, 618131 + i, 3097, 12450);
        scene_admit(&scene, 1, (1 + i) * S);
        draw(&f, scene_look(&scene, (1 + i) * S));
        assert_int_equal(row_of(&f, "61813.0"), before);
        const ladder_cells cells = depth_ladder_cells(whole, (size_t)(before - i));
        assert_string_equal(picture_text(&f, cells.bid_size), "3.097");
    }
    scene_quote(&scene, 618230, 618231, 3097, 12450);
    scene_admit(&scene, 1, 9 * S);
    draw(&f, scene_look(&scene, 9 * S));
    assert_int_equal(row_of(&f, "61813.0"), before);
    assert_non_null(strstr(picture_row(&f, 0), "Space recentres"));
    assert_non_null(strstr(picture_row(&f, 1), "market \xE2\x96\xB2"));
    tg_grid_forget(f.grid);
    picture_expect_golden(&f, "ladder_off_axis");
    assert_true(depth_ladder_recentre(&axis, &scene.shown));
    draw(&f, &scene.shown);
    assert_int_equal(row_of(&f, "61823.0"), depth_ladder_rows(whole) / 2);
    assert_null(strstr(picture_row(&f, 0), "Space"));
    scene_quote(&scene, 618130, 618131, 3097, 12450);
    scene_admit(&scene, 1, 10 * S);
    draw(&f, scene_look(&scene, 10 * S));
    assert_non_null(strstr(picture_row(&f, 1), "market \xE2\x96\xBC"));
    end(&f, &scene);
}

static void a_wide_spread_is_centred_on_its_middle(void **state)
{
    (void)state;
    picture_fixture f;
    market_scene scene;
    begin(&f, &scene);
    scene_quote(&scene, 618130, 618138, 1, 1);
    scene_admit(&scene, 1, 2 * S);
    draw(&f, scene_look(&scene, 2 * S));
    assert_int_equal(row_of(&f, "61813.4"), depth_ladder_rows(whole) / 2);
    scene_quote(&scene, 618130, 619138, 1, 1); /* no axis has room for both */
    scene_admit(&scene, 1, 3 * S);
    assert_true(depth_ladder_recentre(&axis, scene_look(&scene, 3 * S)));
    draw(&f, &scene.shown);
    assert_non_null(strstr(picture_row(&f, 1), "market \xE2\x96\xB2")); /* the ask */
    assert_int_equal(row_of(&f, "61813.0"), depth_ladder_rows(whole) / 2);
    end(&f, &scene);
}

static void levels_between_the_rows_are_counted_not_hidden(void **state)
{
    (void)state;
    picture_fixture f;
    market_scene scene;
    begin(&f, &scene);
    scene.instrument.id = 4;
    scene.instrument.band[0].tick_size = 5;
    assert_int_equal(tg__store_define_instrument(scene.store, &scene.instrument), TG_OK);
    scene_admit(&scene, 1, 2 * S);
    const tg_book book = {.bid_count = 3,
                          .ask_count = 1,
                          .bid = {{618130, 10}, {618127, 20}, {618125, 30}},
                          .ask = {{618136, 10}}};
    scene_book(&scene, &book, 2 * S);
    draw(&f, scene_look(&scene, 2 * S));
    assert_string_equal(picture_row(&f, 15), "2 levels between the rows");
    end(&f, &scene);
}

static void depth_that_may_be_old_is_grey_without_bars(void **state)
{
    (void)state;
    picture_fixture f;
    market_scene scene;
    begin(&f, &scene);
    const tg_book book = scene_deep_book(618130, 618132);
    scene_book(&scene, &book, 1 * S);
    draw(&f, scene_look(&scene, 1 * S));
    assert_true(picture_shows_colour(&f, f.palette->up));
    ladder_axis_move(&axis, &scene.instrument, 100);
    tg__store_set_link(scene.store, TG__LINK_DOWN, 3 * S);
    draw(&f, scene_look(&scene, 9 * S));
    assert_non_null(strstr(picture_row(&f, 0), "! DISCONNECTED 8s"));
    assert_non_null(strstr(picture_row(&f, 1), "market \xE2\x96\xBC"));
    ladder_axis_move(&axis, &scene.instrument, -100);
    draw(&f, scene_look(&scene, 9 * S));
    assert_false(picture_shows_colour(&f, f.palette->up));
    assert_false(picture_shows_colour(&f, f.palette->down));
    assert_non_null(strstr(picture_row(&f, 0), "! DISCONNECTED 8s"));
    tg_grid_forget(f.grid);
    picture_expect_golden(&f, "ladder_stale");
    end(&f, &scene);
}

static void quantities_that_have_no_room_are_never_shortened(void **state)
{
    (void)state;
    picture_fixture f;
    market_scene scene;
    begin(&f, &scene);
    scene_quote(&scene, 618130, 618131, INT64_C(8888880040000), INT64_MAX);
    scene_admit(&scene, 1, 2 * S);
    draw(&f, scene_look(&scene, 2 * S));
    const int bid = row_of(&f, "61813.0");
    assert_string_equal(picture_text(&f, depth_ladder_cells(whole, (size_t)bid).bid_size),
                        "############");
    assert_string_equal(picture_text(&f, depth_ladder_cells(whole, (size_t)(bid - 1)).ask_size),
                        "############");
    end(&f, &scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_book_stands_on_the_axis),
        cmocka_unit_test(without_a_book_it_says_so_and_shows_the_best_prices),
        cmocka_unit_test(the_axis_stands_still_while_the_market_moves),
        cmocka_unit_test(a_wide_spread_is_centred_on_its_middle),
        cmocka_unit_test(levels_between_the_rows_are_counted_not_hidden),
        cmocka_unit_test(depth_that_may_be_old_is_grey_without_bars),
        cmocka_unit_test(quantities_that_have_no_room_are_never_shortened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
