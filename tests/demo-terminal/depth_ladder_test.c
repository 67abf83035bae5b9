#include "depth_ladder.h"

#include "../recorder/seeded_random.h"
#include "market_scene.h"
#include "picture_fixture.h"
#include "price_field.h"

static const panel_area whole = {0, 0, 40, 16};

/* Of each test, anew. */
static picture_fixture f;
static market_scene scene;
static ladder_axis axis;
static ladder_memory memory;

static int begin(void **state)
{
    (void)state;
    f = picture_open_cells(40, 16, NULL);
    scene_begin(&scene);
    memset(&axis, 0, sizeof axis);
    memset(&memory, 0, sizeof memory);
    return 0;
}

static int end(void **state)
{
    (void)state;
    scene_close(&scene);
    picture_close(&f);
    return 0;
}

static void draw(const instrument_view *shown)
{
    depth_ladder_draw(f.grid, f.palette, whole, false, shown, &axis, &memory);
}

/* The row of the axis that shows that price, or -1. */
static int row_of(const char *price)
{
    for (size_t i = 0; i < depth_ladder_rows(whole); i++) {
        if (strcmp(picture_text(&f, depth_ladder_cells(whole, i).price), price) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static void a_book_stands_on_the_axis(void **state)
{
    (void)state;
    const tg_book book = scene_deep_book(618130, 618132);
    scene_book(&scene, &book, 1 * S);
    draw(scene_look(&scene, 1 * S));
    picture_expect_golden(&f, "ladder");
    const int best = row_of("61813.0");
    assert_true(best > 0);
    const ladder_cells cells = depth_ladder_cells(whole, (size_t)best);
    assert_string_equal(picture_text(&f, cells.bid_size), "5.830");
    assert_string_equal(picture_text(&f, cells.ask_size), "");
    assert_string_equal(picture_row(&f, 15), "depth: 10 bids, 10 asks");
}

static void without_a_book_it_says_so_and_shows_the_best_prices(void **state)
{
    (void)state;
    draw(scene_look(&scene, 1 * S));
    assert_string_equal(picture_row(&f, 15), "depth: not sent by gateway");
    const int bid = row_of("61813.0");
    assert_int_equal(row_of("61813.1"), bid - 1);
    assert_string_equal(picture_text(&f, depth_ladder_cells(whole, (size_t)bid).bid_size), "3.097");
    assert_string_equal(picture_text(&f, depth_ladder_cells(whole, (size_t)(bid - 1)).ask_size),
                        "12.450");
    scene.shown.priority_given = false;
    draw(&scene.shown);
    assert_string_equal(picture_row(&f, 15), "depth: none came, best only");
}

static void the_axis_stands_still_while_the_market_moves(void **state)
{
    (void)state;
    draw(scene_look(&scene, 1 * S));
    const int before = row_of("61813.0");
    for (int64_t i = 1; i < 5; i++) {
        scene_quote(&scene, 618130 + i, 618131 + i, 3097, 12450);
        scene_admit(&scene, 1, (1 + i) * S);
        draw(scene_look(&scene, (1 + i) * S));
        assert_int_equal(row_of("61813.0"), before);
        const ladder_cells cells = depth_ladder_cells(whole, (size_t)(before - i));
        assert_string_equal(picture_text(&f, cells.bid_size), "3.097");
    }
    scene_quote(&scene, 618230, 618231, 3097, 12450);
    scene_admit(&scene, 1, 9 * S);
    draw(scene_look(&scene, 9 * S));
    assert_int_equal(row_of("61813.0"), before);
    assert_non_null(strstr(picture_row(&f, 0), "Space recentres"));
    assert_non_null(strstr(picture_row(&f, 1), "market \xE2\x96\xB2"));
    tg_grid_forget(f.grid);
    picture_expect_golden(&f, "ladder_off_axis");
    assert_true(depth_ladder_recentre(&axis, &scene.shown));
    draw(&scene.shown);
    assert_int_equal(row_of("61823.0"), depth_ladder_rows(whole) / 2);
    assert_null(strstr(picture_row(&f, 0), "Space"));
    scene_quote(&scene, 618130, 618131, 3097, 12450);
    scene_admit(&scene, 1, 10 * S);
    draw(scene_look(&scene, 10 * S));
    assert_non_null(strstr(picture_row(&f, 1), "market \xE2\x96\xBC"));
}

static void a_wide_spread_is_centred_on_its_middle(void **state)
{
    (void)state;
    scene_quote(&scene, 618130, 618138, 1, 1);
    scene_admit(&scene, 1, 2 * S);
    draw(scene_look(&scene, 2 * S));
    assert_int_equal(row_of("61813.4"), depth_ladder_rows(whole) / 2);
    scene_quote(&scene, 618130, 619138, 1, 1); /* no axis has room for both */
    scene_admit(&scene, 1, 3 * S);
    assert_true(depth_ladder_recentre(&axis, scene_look(&scene, 3 * S)));
    draw(&scene.shown);
    assert_non_null(strstr(picture_row(&f, 1), "market \xE2\x96\xB2")); /* the ask */
    assert_int_equal(row_of("61813.0"), depth_ladder_rows(whole) / 2);
}

static void levels_between_the_rows_are_counted_not_hidden(void **state)
{
    (void)state;
    scene.instrument.id = 4;
    scene.instrument.band[0].tick_size = 5;
    assert_int_equal(tg__store_define_instrument(scene.store, &scene.instrument), TG_OK);
    scene_admit(&scene, 1, 2 * S);
    const tg_book book = {.bid_count = 3,
                          .ask_count = 1,
                          .bid = {{618130, 10}, {618127, 20}, {618125, 30}},
                          .ask = {{618136, 10}}};
    scene_book(&scene, &book, 2 * S);
    draw(scene_look(&scene, 2 * S));
    assert_string_equal(picture_row(&f, 15), "2 levels between the rows");
}

static void levels_off_the_axis_are_counted_not_hidden(void **state)
{
    (void)state;
    const tg_book book = scene_deep_book(618130, 618132);
    scene_book(&scene, &book, 1 * S);
    draw(scene_look(&scene, 1 * S));
    const ladder_cells heads = depth_ladder_heads(whole);
    assert_string_equal(picture_text(&f, heads.bid_size), "\xE2\x96\xBC"
                                                          "4 bid");
    assert_string_equal(picture_text(&f, heads.price), "price");
    assert_string_equal(picture_text(&f, heads.ask_size), "\xE2\x96\xB2"
                                                          "4 ask");
    ladder_axis_move(&axis, &scene.instrument, -8);
    draw(&scene.shown);
    assert_string_equal(picture_text(&f, heads.price), "market \xE2\x96\xB2");
    assert_null(strstr(picture_row(&f, 0), "book off axis"));
    ladder_axis_move(&axis, &scene.instrument, -10);
    draw(&scene.shown);
    assert_string_equal(picture_text(&f, heads.bid_size), "\xE2\x96\xB2"
                                                          "10 bid");
    assert_non_null(strstr(picture_row(&f, 0), "book off axis: Space recentres"));
    tg_grid_forget(f.grid);
    picture_expect_golden(&f, "ladder_book_off_axis");
}

/* ---- random books -----------------------------------------------------------------------------
 */

static tg_book random_book(seeded_random *random)
{
    tg_book book = {.bid_count = (uint8_t)random_below(random, TG_BOOK_DEPTH_MAX + 1),
                    .ask_count = (uint8_t)random_below(random, TG_BOOK_DEPTH_MAX + 1)};
    int64_t bid = 618000 + (int64_t)random_below(random, 120);
    int64_t ask = bid + 1 + (int64_t)random_below(random, 60);
    for (uint8_t i = 0; i < TG_BOOK_DEPTH_MAX; i++) {
        if (i < book.bid_count) {
            book.bid[i] = (tg_level){bid, 1 + (int64_t)random_below(random, 9999)};
        }
        if (i < book.ask_count) {
            book.ask[i] = (tg_level){ask, 1 + (int64_t)random_below(random, 9999)};
        }
        bid -= 1 + (int64_t)random_below(random, 12);
        ask += 1 + (int64_t)random_below(random, 12);
    }
    return book;
}

/* What stands in the panel of one side: levels on rows, and those that its head counts. */
typedef struct shown_side {
    size_t rows;
    size_t above;
    size_t below;
} shown_side;

static size_t count_after(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    return at != NULL ? (size_t)strtoul(at + strlen(mark), NULL, 10) : 0;
}

static shown_side read_side(panel_area area, bool bids)
{
    const ladder_cells heads = depth_ladder_heads(area);
    const char *head = picture_text(&f, bids ? heads.bid_size : heads.ask_size);
    assert_null(strstr(head, "\xE2\x80\xA6")); /* not cut */
    shown_side side = {.above = count_after(head, PRICE_FIELD_UP),
                       .below = count_after(head, PRICE_FIELD_DOWN)};
    for (size_t i = 0; i < depth_ladder_rows(area); i++) {
        const ladder_cells cells = depth_ladder_cells(area, i);
        side.rows += picture_text(&f, bids ? cells.bid_size : cells.ask_size)[0] != '\0' ? 1 : 0;
    }
    return side;
}

/* Of these levels, over the axis' top row or under its last one; their quantity is added. */
static void expect_off_axis(const shown_side *side, const tg_level *level, uint8_t count,
                            int64_t *quantity)
{
    size_t above = 0;
    size_t below = 0;
    *quantity = 0;
    for (uint8_t i = 0; i < count; i++) {
        const bool over = level[i].price > axis.price[0];
        const bool under = level[i].price < axis.price[axis.row_count - 1];
        above += over ? 1 : 0;
        below += under ? 1 : 0;
        *quantity += over || under ? level[i].quantity : 0;
    }
    assert_int_equal(side->above, above);
    assert_int_equal(side->below, below);
}

static void expect_every_level(panel_area area, const tg_book *book)
{
    const shown_side bids = read_side(area, true);
    const shown_side asks = read_side(area, false);
    int64_t quantity[2];
    expect_off_axis(&bids, book->bid, book->bid_count, &quantity[0]);
    expect_off_axis(&asks, book->ask, book->ask_count, &quantity[1]);
    const size_t off = bids.above + bids.below + asks.above + asks.below;
    const char *line = picture_text(&f, depth_ladder_source(area));
    const size_t between =
        strstr(line, "between the rows") != NULL ? (size_t)strtoul(line, NULL, 10) : 0;
    assert_int_equal(bids.rows + asks.rows + between + off, book->bid_count + book->ask_count);
    if (between == 0 && area.width >= 80) {
        char size[2][TG_PRICE_TEXT_SIZE];
        char expected[160] = "";
        price_field_quantity(-3, quantity[0], size[0]);
        price_field_quantity(-3, quantity[1], size[1]);
        (void)snprintf(expected, sizeof expected, "; off axis %s bid, %s ask", size[0], size[1]);
        assert_int_equal(strstr(line, expected) != NULL, off > 0);
        assert_int_equal(strstr(line, "off axis") != NULL, off > 0);
    }
}

static void each_level_is_shown_or_counted(void **state)
{
    (void)state;
    static const int64_t ticks[] = {1, 5};
    seeded_random random = random_start("each_level_is_shown_or_counted", 11);
    f = picture_open_cells(100, 30, NULL);
    for (size_t turn = 0; turn < 400; turn++) {
        scene_begin(&scene);
        memset(&axis, 0, sizeof axis);
        scene.instrument.id = 4;
        scene.instrument.band[0].tick_size = ticks[random_below(&random, 2)];
        assert_int_equal(tg__store_define_instrument(scene.store, &scene.instrument), TG_OK);
        scene_admit(&scene, 1, 2 * S);
        const tg_book book = random_book(&random);
        scene_book(&scene, &book, 2 * S);
        /* The narrowest that a desk has, and wider ones. */
        const uint64_t more = random_below(&random, 2) == 0 ? 4 : 74;
        const panel_area area = {0, 0, (uint16_t)(27 + random_below(&random, more)),
                                 (uint16_t)(5 + random_below(&random, 26))};
        depth_ladder_draw(f.grid, f.palette, area, false, scene_look(&scene, 2 * S), &axis,
                          &memory);
        ladder_axis_move(&axis, &scene.instrument, (int)random_below(&random, 80) - 40);
        depth_ladder_draw(f.grid, f.palette, area, false, &scene.shown, &axis, &memory);
        expect_every_level(area, &book);
        scene_close(&scene);
    }
    picture_close(&f);
}

static void depth_that_may_be_old_is_grey_without_bars(void **state)
{
    (void)state;
    const tg_book book = scene_deep_book(618130, 618132);
    scene_book(&scene, &book, 1 * S);
    draw(scene_look(&scene, 1 * S));
    assert_true(picture_shows_colour(&f, f.palette->up));
    ladder_axis_move(&axis, &scene.instrument, 100);
    tg__store_set_link(scene.store, TG__LINK_DOWN, 3 * S);
    draw(scene_look(&scene, 9 * S));
    assert_non_null(strstr(picture_row(&f, 0), "! DISCONNECTED 8s"));
    assert_non_null(strstr(picture_row(&f, 1), "market \xE2\x96\xBC"));
    ladder_axis_move(&axis, &scene.instrument, -100);
    draw(scene_look(&scene, 9 * S));
    assert_false(picture_shows_colour(&f, f.palette->up));
    assert_false(picture_shows_colour(&f, f.palette->down));
    assert_non_null(strstr(picture_row(&f, 0), "! DISCONNECTED 8s"));
    tg_grid_forget(f.grid);
    picture_expect_golden(&f, "ladder_stale");
}

static void quantities_that_have_no_room_are_never_shortened(void **state)
{
    (void)state;
    scene_quote(&scene, 618130, 618131, INT64_C(8888880040000), INT64_MAX);
    scene_admit(&scene, 1, 2 * S);
    draw(scene_look(&scene, 2 * S));
    const int bid = row_of("61813.0");
    assert_string_equal(picture_text(&f, depth_ladder_cells(whole, (size_t)bid).bid_size),
                        "############");
    assert_string_equal(picture_text(&f, depth_ladder_cells(whole, (size_t)(bid - 1)).ask_size),
                        "############");
}

#define ON_SCENE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SCENE(a_book_stands_on_the_axis),
        ON_SCENE(without_a_book_it_says_so_and_shows_the_best_prices),
        ON_SCENE(the_axis_stands_still_while_the_market_moves),
        ON_SCENE(a_wide_spread_is_centred_on_its_middle),
        ON_SCENE(levels_between_the_rows_are_counted_not_hidden),
        ON_SCENE(levels_off_the_axis_are_counted_not_hidden),
        cmocka_unit_test(each_level_is_shown_or_counted),
        ON_SCENE(depth_that_may_be_old_is_grey_without_bars),
        ON_SCENE(quantities_that_have_no_room_are_never_shortened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
