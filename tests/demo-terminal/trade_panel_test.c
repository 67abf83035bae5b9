#include "trade_panel.h"

#include "market_scene.h"
#include "picture_fixture.h"

static trade_list list;

static void take(market_scene *scene, int64_t now_mono_ns)
{
    const instrument_view *shown = scene_look(scene, now_mono_ns);
    const trade_sample sample = {shown->seen.instrument, shown->seen.row, shown->lost,
                                 shown->now_utc_ns};
    trade_list_take(&list, &sample);
}

/* An eventful minute: trades, ticks that no view showed, a lost link, ticks that never came. */
static void play(market_scene *scene)
{
    trade_list_reset(&list);
    scene_begin(scene);
    take(scene, 1 * S);
    static const int64_t moves[] = {1, 0, -2, 3, -1, -1, 2};
    for (int64_t i = 0; i < 7; i++) {
        scene_trade(scene, scene->image.value[TG_FIELD_LAST_PRICE] + moves[i], 250 + 17 * i);
        scene_admit(scene, i % 3 == 2 ? 13 : 1, (2 + i) * S + i * 137 * MS);
        take(scene, (2 + i) * S + i * 137 * MS);
    }
    tg__store_set_link(scene->store, TG__LINK_DOWN, 12 * S);
    take(scene, 12 * S);
    tg__store_set_link(scene->store, TG__LINK_UP, 31 * S);
    scene_trade(scene, 618101, 4000);
    scene->image.seq += 180;
    scene_admit(scene, 1, 31 * S);
    take(scene, 31 * S);
    scene_trade(scene, 618104, 9);
    scene_admit(scene, 1, 32 * S);
    take(scene, 32 * S);
}

static void time_and_sales_look_as_they_did(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(48, 14, NULL);
    market_scene scene;
    play(&scene);
    const panel_area whole = {0, 0, 48, 14};
    trade_look look = {0};
    trade_panel_draw(f.grid, f.palette, whole, true, &scene.shown, &list, 0, &look);
    picture_expect_golden(&f, "trades");
    scene_close(&scene);
    picture_close(&f);
}

static void gaps_and_what_is_not_shown_are_said(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(34, 14, NULL);
    market_scene scene;
    play(&scene);
    const panel_area whole = {0, 0, 34, 14};
    trade_look look = {0};
    trade_panel_draw(f.grid, f.palette, whole, false, &scene.shown, &list, 0, &look);
    assert_non_null(strstr(picture_row(&f, 0), "204 ticks not shown"));
    assert_non_null(strstr(picture_row(&f, 2), "61810.4"));
    assert_string_equal(picture_row(&f, 4), "23:55:31 gap: 180 ticks lost");
    assert_string_equal(picture_row(&f, 5), "23:55:12\xE2\x80\x93"
                                            "23:55:31 DISCONNECTED");
    assert_non_null(strstr(picture_row(&f, 7), "+12"));
    /* Further down: the list says where it begins. */
    trade_panel_draw(f.grid, f.palette, whole, false, &scene.shown, &list, list.count - 1, &look);
    assert_string_equal(picture_row(&f, 2), "23:55:01 list begins");
    assert_string_equal(picture_row(&f, 3), "");
    scene_close(&scene);
    picture_close(&f);
}

static void nothing_rises_or_falls_in_colour_while_the_data_may_be_old(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(48, 14, NULL);
    market_scene scene;
    play(&scene);
    const panel_area whole = {0, 0, 48, 14};
    trade_look look = {0};
    trade_panel_draw(f.grid, f.palette, whole, false, &scene.shown, &list, 0, &look);
    assert_true(picture_shows_colour(&f, f.palette->up));
    tg__store_set_link(scene.store, TG__LINK_DOWN, 40 * S);
    take(&scene, 41 * S);
    trade_panel_draw(f.grid, f.palette, whole, false, &scene.shown, &list, 0, &look);
    assert_false(picture_shows_colour(&f, f.palette->up));
    assert_false(picture_shows_colour(&f, f.palette->down));
    assert_non_null(strstr(picture_row(&f, 0), "! DISCONNECTED"));
    assert_non_null(strstr(picture_row(&f, 2), "\xE2\x80\x93 DISCONNECTED"));
    scene_close(&scene);
    picture_close(&f);
}

static void nothing_is_written_beside_the_panel_at_any_width(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(60, 14, NULL);
    market_scene scene;
    play(&scene);
    for (uint16_t width = 0; width <= 60; width++) {
        const tg_style blank = {f.palette->text, f.palette->background, 0};
        trade_look look = {0};
        tg_grid_clear(f.grid, blank);
        trade_panel_draw(f.grid, f.palette, (panel_area){0, 0, width, 14}, true, &scene.shown,
                         &list, 0, &look);
        for (uint16_t row = 0; row < 14; row++) {
            const tg_span beside = {row, width, (uint16_t)(60 - width)};
            assert_string_equal(picture_text(&f, beside), "");
        }
    }
    scene_close(&scene);
    picture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_and_sales_look_as_they_did),
        cmocka_unit_test(gaps_and_what_is_not_shown_are_said),
        cmocka_unit_test(nothing_rises_or_falls_in_colour_while_the_data_may_be_old),
        cmocka_unit_test(nothing_is_written_beside_the_panel_at_any_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
