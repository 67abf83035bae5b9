#include "quote_panel.h"

#include "market_scene.h"
#include "picture_fixture.h"
#include "price_field.h"

static const panel_area whole = {0, 0, 64, 8};

static void draw(picture_fixture *f, const instrument_view *shown, bool focused)
{
    quote_panel_draw(f->grid, f->palette, whole, focused, shown, &(quote_frame){0});
}

static void the_quote_looks_as_it_did(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 8, NULL);
    market_scene scene;
    scene_begin(&scene);
    (void)scene_look(&scene, 1 * S);
    scene_quote(&scene, 618132, 618134, 870, 1200);
    scene_trade(&scene, 618129, 5);
    scene_admit(&scene, 1, 2 * S);
    draw(&f, scene_look(&scene, 2 * S), true);
    picture_expect_golden(&f, "quote");
    scene_close(&scene);
    picture_close(&f);
}

static void a_quote_that_may_be_old_is_grey_marked_and_aged(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 8, "green-red");
    market_scene scene;
    scene_begin(&scene);
    scene_trade(&scene, 618139, 5);
    (void)scene_look(&scene, 1 * S);
    scene_trade(&scene, 618150, 5);
    scene_admit(&scene, 1, 2 * S);
    draw(&f, scene_look(&scene, 2 * S), false);
    assert_true(picture_shows_colour(&f, f.palette->good));
    assert_false(picture_shows_colour(&f, f.palette->stale));
    tg__store_set_link(scene.store, TG__LINK_DOWN, 3 * S);
    draw(&f, scene_look(&scene, 77 * S), false);
    assert_false(picture_shows_colour(&f, f.palette->good));
    assert_false(picture_shows_colour(&f, f.palette->up));
    assert_true(picture_shows_colour(&f, f.palette->stale));
    assert_non_null(strstr(picture_row(&f, 0), "! DISCONNECTED 1m15s"));
    tg_grid_forget(f.grid);
    picture_expect_golden(&f, "quote_stale");
    scene_close(&scene);
    picture_close(&f);
}

/* In a frame that stays only texts are written: those that are not there any more, too. */
static void arrows_and_a_locked_market_go_when_they_are_over(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 8, NULL);
    market_scene scene;
    quote_frame frame = {0};
    scene_begin(&scene);
    (void)scene_look(&scene, 1 * S);
    scene_quote(&scene, 618140, 618140, 870, 1200);
    scene_trade(&scene, 618150, 5);
    scene_admit(&scene, 1, 2 * S);
    quote_panel_draw(f.grid, f.palette, whole, false, scene_look(&scene, 2 * S), &frame);
    assert_non_null(strstr(picture_row(&f, 2), PRICE_FIELD_UP));
    assert_non_null(strstr(picture_row(&f, 6), "locked"));
    scene_quote(&scene, 618140, 618141, 870, 1200);
    scene_admit(&scene, 1, 3 * S);
    instrument_view *shown = scene_look(&scene, 3 * S);
    shown->watch = NULL;
    quote_panel_draw(f.grid, f.palette, whole, false, shown, &frame);
    for (uint16_t row = 0; row < 8; row++) {
        assert_null(strstr(picture_row(&f, row), PRICE_FIELD_UP));
        assert_null(strstr(picture_row(&f, row), "locked"));
    }
    assert_string_equal(picture_text(&f, quote_panel_cells(whole).ask), "61814.1");
    scene_close(&scene);
    picture_close(&f);
}

static void what_the_glass_check_reads_is_what_was_drawn(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 8, NULL);
    market_scene scene;
    scene_begin(&scene);
    draw(&f, scene_look(&scene, 1 * S), false);
    const quote_cells cells = quote_panel_cells(whole);
    assert_string_equal(picture_text(&f, cells.venue), "BINANCE_USDM");
    assert_string_equal(picture_text(&f, cells.symbol), "BTCUSDT");
    assert_string_equal(picture_text(&f, cells.bid), "61813.0");
    assert_string_equal(picture_text(&f, cells.ask), "61813.1");
    assert_string_equal(picture_text(&f, cells.bid_size), "3.097");
    assert_string_equal(picture_text(&f, cells.ask_size), "12.450");
    assert_string_equal(picture_text(&f, cells.last), "61813.0");
    scene_close(&scene);
    picture_close(&f);
}

static void numbers_are_whole_or_not_shown_at_every_width(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 8, NULL);
    market_scene scene;
    scene_begin(&scene);
    const instrument_view *shown = scene_look(&scene, 1 * S);
    for (uint16_t width = 0; width <= 64; width++) {
        const panel_area area = {0, 0, width, 8};
        const tg_style blank = {f.palette->text, f.palette->background, 0};
        tg_grid_clear(f.grid, blank);
        quote_panel_draw(f.grid, f.palette, area, false, shown, &(quote_frame){0});
        const quote_cells cells = quote_panel_cells(area);
        const tg_span spans[] = {cells.bid, cells.ask, cells.last};
        static const char *const texts[] = {"61813.0", "61813.1", "61813.0"};
        for (size_t i = 0; i < 3; i++) {
            const char *text = picture_text(&f, spans[i]);
            assert_true(strcmp(text, texts[i]) == 0 || strspn(text, "#") == strlen(text));
        }
        for (uint16_t row = 0; row < 8; row++) {
            const tg_span beside = {row, width, (uint16_t)(64 - width)};
            assert_string_equal(picture_text(&f, beside), "");
        }
    }
    scene_close(&scene);
    picture_close(&f);
}

static void a_crossed_market_is_flagged_and_an_empty_panel_says_how_to_fill_it(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 8, NULL);
    market_scene scene;
    scene_begin(&scene);
    scene_quote(&scene, 618140, 618131, 1, 1);
    scene_admit(&scene, 1, 2 * S);
    draw(&f, scene_look(&scene, 2 * S), false);
    assert_non_null(strstr(picture_row(&f, 6), "-0.9"));
    assert_non_null(strstr(picture_row(&f, 6), "crossed"));
    instrument_view_clear(&scene.shown);
    draw(&f, &scene.shown, false);
    assert_non_null(strstr(picture_row(&f, 2), "Enter opens"));
    scene_close(&scene);
    picture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quote_looks_as_it_did),
        cmocka_unit_test(a_quote_that_may_be_old_is_grey_marked_and_aged),
        cmocka_unit_test(arrows_and_a_locked_market_go_when_they_are_over),
        cmocka_unit_test(what_the_glass_check_reads_is_what_was_drawn),
        cmocka_unit_test(numbers_are_whole_or_not_shown_at_every_width),
        cmocka_unit_test(a_crossed_market_is_flagged_and_an_empty_panel_says_how_to_fill_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
