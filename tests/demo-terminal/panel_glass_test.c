/* A wrong or older price in a panel is found out, by what was drawn and by nothing else. */
#include "panel_glass.h"

#include "depth_ladder.h"
#include "market_scene.h"
#include "picture_fixture.h"
#include "quote_panel.h"
#include "text_file.h"

/* Three states after the empty one. */
static const char tape_text[] = "1,BINANCE_USDM,BTCUSDT,bid,61813.0,3.097,1\n"
                                "1,BINANCE_USDM,BTCUSDT,ask,61813.1,12.45,1\n"
                                "2,BINANCE_USDM,BTCUSDT,bid,61813.2,3.097,2\n"
                                "2,BINANCE_USDM,BTCUSDT,ask,61813.3,12.45,2\n"
                                "3,BINANCE_USDM,BTCUSDT,trade,61813.3,1,1\n";

static const panel_area quote_area = {1, 3, 64, 8};
static const panel_area ladder_area = {10, 3, 34, 16};

typedef struct fixture {
    picture_fixture picture;
    market_scene scene;
    glass_tape *tape;
    glass_check *check;
    drawn_text *drawn;
    ladder_axis axis;
    ladder_memory ladder;
} fixture;

static void begin(fixture *f, bool with_tape)
{
    memset(f, 0, sizeof *f);
    f->picture = picture_open_cells(70, 28, NULL);
    scene_open(&f->scene, scene_future());
    if (with_tape) {
        const text_file file = text_file_write(tape_text, sizeof tape_text - 1);
        char why[256];
        assert_int_equal(glass_tape_open(file.path, &f->tape, why, sizeof why), TG_OK);
        text_file_remove(&file);
    }
    assert_int_equal(glass_check_open(f->tape, 4, &f->check), TG_OK);
    assert_int_equal(drawn_text_open(&f->drawn), TG_OK);
}

static void end(fixture *f)
{
    drawn_text_close(f->drawn);
    glass_check_close(f->check);
    glass_tape_close(f->tape);
    scene_close(&f->scene);
    picture_close(&f->picture);
}

/* Draws both panels as the market stands. */
static const tg_draw_list *draw(fixture *f, int64_t bid, int64_t last)
{
    scene_quote(&f->scene, bid, bid + 1, 3097, 12450);
    if (last != 0) {
        scene_trade(&f->scene, last, 1000);
    }
    const int64_t now_mono_ns = (int64_t)(f->scene.image.seq + 1) * S;
    scene_admit(&f->scene, 1, now_mono_ns);
    const instrument_view *shown = scene_look(&f->scene, now_mono_ns);
    quote_panel_draw(f->picture.grid, f->picture.palette, quote_area, false, shown,
                     &(quote_frame){0});
    depth_ladder_draw(f->picture.grid, f->picture.palette, ladder_area, false, shown, &f->axis,
                      &f->ladder);
    const tg_draw_list *list = tg_grid_damage(f->picture.grid);
    assert_int_equal(drawn_text_apply(f->drawn, list), TG_OK);
    return list;
}

static panel_source source_of(const fixture *f)
{
    const panel_source source = {.slot = 2,
                                 .venue = "BINANCE_USDM",
                                 .symbol = "BTCUSDT",
                                 .version = {1, f->scene.image.seq}};
    return source;
}

static glass_verdict quote(fixture *f)
{
    const panel_source source = source_of(f);
    return panel_glass_check_quote(f->check, f->drawn, quote_area, &source);
}

static glass_verdict ladder(fixture *f)
{
    const panel_source source = source_of(f);
    return panel_glass_check_ladder(f->check, f->drawn, ladder_area, &source);
}

static void what_the_tape_says_is_fine(void **state)
{
    (void)state;
    fixture f;
    begin(&f, true);
    (void)draw(&f, 618130, 0);
    assert_int_equal(quote(&f), GLASS_FINE);
    assert_int_equal(ladder(&f), GLASS_FINE);
    (void)draw(&f, 618132, 618133);
    assert_int_equal(quote(&f), GLASS_FINE);
    assert_int_equal(ladder(&f), GLASS_FINE);
    assert_int_equal(glass_check_counts(f.check).judged_by_tape, 4);
    end(&f);
}

static void an_older_price_in_a_panel_is_counted(void **state)
{
    (void)state;
    fixture f;
    begin(&f, true);
    (void)draw(&f, 618132, 618133);
    assert_int_equal(quote(&f), GLASS_FINE);
    f.scene.image.present &= ~TG_FIELD_BIT(TG_FIELD_LAST_PRICE);
    (void)draw(&f, 618130, 0); /* the version is newer, the text is not */
    assert_int_equal(quote(&f), GLASS_REGRESSION);
    assert_int_equal(ladder(&f), GLASS_REGRESSION);
    assert_int_equal(glass_check_counts(f.check).regressions, 2);
    end(&f);
}

static void a_price_that_never_was_is_counted(void **state)
{
    (void)state;
    fixture f;
    begin(&f, true);
    (void)draw(&f, 618131, 0);
    assert_int_equal(quote(&f), GLASS_UNKNOWN);
    assert_int_equal(ladder(&f), GLASS_UNKNOWN);
    assert_int_equal(glass_check_counts(f.check).unknown, 2);
    end(&f);
}

/* The slot is the watchlist's: what it showed counts for the panels. */
static void a_panel_behind_the_watchlist_is_counted_without_a_tape(void **state)
{
    (void)state;
    fixture f;
    begin(&f, false);
    (void)draw(&f, 618130, 0);
    assert_int_equal(quote(&f), GLASS_FINE);
    const glass_row in_watchlist = {
        .venue = "BINANCE_USDM", .symbol = "BTCUSDT", .epoch = 1, .seq = f.scene.image.seq + 1};
    assert_int_equal(glass_check_row(f.check, 2, &in_watchlist), GLASS_FINE);
    assert_int_equal(quote(&f), GLASS_REGRESSION);
    assert_int_equal(ladder(&f), GLASS_REGRESSION);
    end(&f);
}

static void a_ladder_that_the_market_has_left_is_not_judged(void **state)
{
    (void)state;
    fixture f;
    begin(&f, true);
    (void)draw(&f, 618130, 0);
    (void)draw(&f, 700000, 0);
    assert_int_equal(ladder(&f), GLASS_FINE);
    assert_int_equal(glass_check_counts(f.check).judged_by_tape, 0);
    end(&f);
}

/* A ladder of a book whose best prices are these, drawn of the row's version. */
static void draw_book(fixture *f, const tg_book *book)
{
    const int64_t now_mono_ns = (int64_t)(f->scene.image.seq + 1) * S;
    scene_quote(&f->scene, book->bid[0].price, book->ask[0].price, 1, 1);
    scene_admit(&f->scene, 1, now_mono_ns);
    scene_book(&f->scene, book, now_mono_ns);
    const instrument_view *shown = scene_look(&f->scene, now_mono_ns);
    depth_ladder_draw(f->picture.grid, f->picture.palette, ladder_area, false, shown, &f->axis,
                      &f->ladder);
    assert_int_equal(drawn_text_apply(f->drawn, tg_grid_damage(f->picture.grid)), TG_OK);
}

static glass_verdict depth_of(fixture *f, uint64_t seq)
{
    const panel_source source = {.slot = 2, .version = {1, seq}};
    return panel_glass_check_depth(f->check, f->drawn, ladder_area, &source);
}

static void a_ladder_of_a_book_is_judged_by_its_best_levels(void **state)
{
    (void)state;
    fixture f;
    begin(&f, false);
    const tg_book first = scene_deep_book(618130, 618132);
    const tg_book second = scene_deep_book(618131, 618132);
    tg_book third = second;
    third.ask[0].quantity += 5; /* the best ask, not the one that stands highest */
    draw_book(&f, &first);
    assert_int_equal(depth_of(&f, 1), GLASS_FINE);
    draw_book(&f, &second);
    assert_int_equal(depth_of(&f, 1), GLASS_UNKNOWN); /* of that version it never was */
    assert_int_equal(depth_of(&f, 2), GLASS_FINE);
    assert_int_equal(depth_of(&f, 1), GLASS_REGRESSION);
    draw_book(&f, &third);
    assert_int_equal(depth_of(&f, 2), GLASS_UNKNOWN);
    end(&f);
}

/* Somebody moved the axis: other levels are the highest that it shows, of the same version. */
static void best_levels_off_the_axis_are_not_taken_for_others(void **state)
{
    (void)state;
    fixture f;
    begin(&f, false);
    const tg_book book = scene_deep_book(618130, 618132);
    draw_book(&f, &book);
    assert_int_equal(depth_of(&f, 1), GLASS_FINE);
    static const int moves[] = {-9, 20, -11};
    for (size_t i = 0; i < 3; i++) {
        ladder_axis_move(&f.axis, &f.scene.instrument, moves[i]);
        depth_ladder_draw(f.picture.grid, f.picture.palette, ladder_area, false, &f.scene.shown,
                          &f.axis, &f.ladder);
        assert_int_equal(drawn_text_apply(f.drawn, tg_grid_damage(f.picture.grid)), TG_OK);
        assert_int_equal(depth_of(&f, 1), GLASS_FINE);
    }
    assert_int_equal(glass_check_counts(f.check).judged_depth, 4);
    end(&f);
}

static void only_a_list_that_draws_into_the_area_touches_it(void **state)
{
    (void)state;
    fixture f;
    begin(&f, false);
    const tg_draw_list *list = draw(&f, 618130, 0);
    assert_true(panel_glass_is_touched(list, quote_area));
    assert_true(panel_glass_is_touched(list, ladder_area));
    const tg_style style = {0xffffff, 0, 0};
    tg_grid_put(f.picture.grid, 1, 0, style, "abc");
    tg_grid_put(f.picture.grid, 1, 67, style, "def");
    tg_grid_put(f.picture.grid, 9, 3, style, "ghi");
    list = tg_grid_damage(f.picture.grid);
    assert_int_equal(list->run_count, 3);
    assert_false(panel_glass_is_touched(list, quote_area));
    assert_false(panel_glass_is_touched(list, ladder_area));
    assert_false(panel_glass_is_touched(list, (panel_area){0, 0, 0, 0}));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_tape_says_is_fine),
        cmocka_unit_test(an_older_price_in_a_panel_is_counted),
        cmocka_unit_test(a_price_that_never_was_is_counted),
        cmocka_unit_test(a_panel_behind_the_watchlist_is_counted_without_a_tape),
        cmocka_unit_test(a_ladder_that_the_market_has_left_is_not_judged),
        cmocka_unit_test(a_ladder_of_a_book_is_judged_by_its_best_levels),
        cmocka_unit_test(best_levels_off_the_axis_are_not_taken_for_others),
        cmocka_unit_test(only_a_list_that_draws_into_the_area_touches_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
