/* What keys and mouse do to the watchlist, without a gateway: every row waits. */
#include "list_pane.h"

#include <tickglass/store.h>

#include "picture_fixture.h"

#define TITLE_ROW 1

typedef struct fixture {
    picture_fixture picture;
    settings *from;
    feed *feed;
    glass_check *check;
    glass_times *times;
    tg_reader *reader;
    list_pane *pane;
} fixture;

static fixture open_fixture(const char *symbols)
{
    static complaints wrong;
    const terminal_options options = {.url = "ws://127.0.0.1:1/", .symbols = symbols};
    fixture f = {.picture = picture_open_cells(120, 10, NULL)};
    char why[320] = "";
    assert_int_equal(settings_open(&options, &f.from, &wrong), TG_OK);
    assert_int_equal(feed_open(f.from, f.picture.window, NULL, &f.feed, why, sizeof why), TG_OK);
    assert_int_equal(glass_check_open(NULL, FEED_ROWS_MAX, &f.check), TG_OK);
    assert_int_equal(glass_times_open(&f.times), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(feed_client(f.feed)), &f.reader), TG_OK);
    const list_pane_parts parts = {
        .window = f.picture.window, .feed = f.feed, .check = f.check, .times = f.times};
    assert_int_equal(list_pane_open(&parts, tg_grid_rows(f.picture.grid), &f.pane), TG_OK);
    return f;
}

static void close_fixture(fixture *f)
{
    list_pane_close(f->pane);
    tg_reader_close(f->reader);
    glass_times_close(f->times);
    glass_check_close(f->check);
    feed_close(f->feed);
    settings_close(f->from);
    picture_close(&f->picture);
}

static void draw(fixture *f)
{
    size_t suspect = 0;
    const tg_style blank = {f->picture.palette->text, f->picture.palette->background, 0};
    const list_pane_pass pass = {.grid = f->picture.grid,
                                 .palette = f->picture.palette,
                                 .view = tg_reader_pin(f->reader),
                                 .now_mono_ns = 1,
                                 .title_row = TITLE_ROW,
                                 .width = tg_grid_columns(f->picture.grid),
                                 .focused = true};
    tg_grid_clear(f->picture.grid, blank);
    (void)list_pane_draw(f->pane, &pass, &suspect);
    tg_reader_unpin(f->reader);
}

/* The first letters of the symbols on the screen. */
static void expect_rows(fixture *f, const char *expected)
{
    char found[16] = "";
    size_t count = 0;
    draw(f);
    for (uint16_t row = TITLE_ROW + 1; row + 1 < tg_grid_rows(f->picture.grid); row++) {
        const char *text = picture_row(&f->picture, row);
        const char *symbol = strstr(text, " ");
        if (text[0] != '\0' && symbol != NULL) {
            found[count++] = symbol[strspn(symbol, " ")];
        }
    }
    found[count] = '\0';
    assert_string_equal(found, expected);
}

static void expect_notice(fixture *f, const char *part)
{
    char text[FEED_NOTICE_SIZE];
    bool bad = false;
    if (!list_pane_take_notice(f->pane, text, &bad) || strstr(text, part) == NULL) {
        fail_msg("\"%s\" is not \"%s\"", text, part);
    }
    assert_false(list_pane_take_notice(f->pane, text, &bad));
}

static const char *selected(fixture *f)
{
    const size_t index = list_pane_selected(f->pane);
    return index == FEED_NO_ROW ? "" : feed_row(f->feed, index)->symbol;
}

static void typing_filters_and_clicks_sort_and_select(void **state)
{
    (void)state;
    fixture f = open_fixture("V:C,V:A,W:D,W:B");
    expect_rows(&f, "CADB");
    assert_string_equal(selected(&f), "C");
    assert_true(list_pane_type(f.pane, "w"));
    expect_rows(&f, "DB");
    assert_string_equal(list_pane_footer(f.pane).text, "w");
    assert_int_equal(list_pane_footer(f.pane).row_count, 2);
    assert_int_equal(list_pane_footer(f.pane).total, 4);
    assert_string_equal(selected(&f), "D");
    /* The title of the symbols, twice. */
    const uint16_t symbols = (uint16_t)(strstr(picture_row(&f.picture, TITLE_ROW), "symbol") -
                                        picture_row(&f.picture, TITLE_ROW) + 1);
    assert_false(list_pane_click(f.pane, TITLE_ROW, symbols, 1));
    expect_rows(&f, "BD");
    assert_non_null(strstr(picture_row(&f.picture, TITLE_ROW), "symbol\xE2\x86\x91"));
    assert_false(list_pane_click(f.pane, TITLE_ROW, symbols, 1));
    assert_true(list_pane_go_back(f.pane));
    expect_rows(&f, "DCBA");
    assert_non_null(strstr(picture_row(&f.picture, TITLE_ROW), "symbol\xE2\x86\x93"));
    assert_false(list_pane_click(f.pane, TITLE_ROW + 3, 1, 1));
    assert_string_equal(selected(&f), "B");
    assert_true(list_pane_click(f.pane, TITLE_ROW + 4, 1, 2));
    assert_string_equal(selected(&f), "A");
    /* The order stands until it is asked for: who comes later stands at the end. */
    size_t index = 0;
    assert_int_equal(feed_add(f.feed, "V", "Z", &index), TG_OK);
    expect_rows(&f, "DCBAZ");
    list_pane_do(f.pane, LIST_SORT_AGAIN);
    expect_rows(&f, "ZDCBA");
    assert_true(feed_remove(f.feed, index));
    expect_rows(&f, "DCBA");
    /* Below the last row there is nothing. */
    assert_false(list_pane_click(f.pane, TITLE_ROW + 5, 1, 2));
    assert_string_equal(selected(&f), "A");
    list_pane_do(f.pane, LIST_SORT_NONE);
    expect_rows(&f, "CADB");
    assert_false(list_pane_go_back(f.pane));
    close_fixture(&f);
}

static void a_row_that_is_taken_away_leaves_the_next_one_selected(void **state)
{
    (void)state;
    fixture f = open_fixture("V:A,V:B,V:C");
    expect_rows(&f, "ABC");
    list_pane_move(f.pane, 1);
    list_pane_do(f.pane, LIST_REMOVE);
    expect_notice(&f, "V:B taken away");
    expect_rows(&f, "AC");
    assert_string_equal(selected(&f), "C");
    list_pane_do(f.pane, LIST_REMOVE);
    expect_rows(&f, "A");
    assert_string_equal(selected(&f), "A");
    list_pane_do(f.pane, LIST_REMOVE);
    expect_rows(&f, "");
    assert_int_equal(list_pane_selected(f.pane), FEED_NO_ROW);
    list_pane_do(f.pane, LIST_REMOVE);
    list_pane_do(f.pane, LIST_COPY_ROW);
    (void)draw(&f);
    expect_notice(&f, "no row is selected");
    close_fixture(&f);
}

static void what_lies_over_the_list_keeps_keys_from_it(void **state)
{
    (void)state;
    fixture f = open_fixture("V:A,V:B");
    expect_rows(&f, "AB");
    list_pane_do(f.pane, LIST_ALERT);
    assert_string_equal(list_pane_footer(f.pane).label, "alert when A reaches");
    assert_true(list_pane_is_typing(f.pane));
    list_pane_do(f.pane, LIST_REMOVE); /* Del while a price is typed */
    assert_int_equal(feed_listed_count(f.feed), 2);
    assert_true(list_pane_type(f.pane, "1,5"));
    assert_true(list_pane_enter(f.pane));
    expect_notice(&f, "digits with a point");
    for (int i = 0; i < 3; i++) {
        assert_true(list_pane_rub_out(f.pane));
    }
    assert_true(list_pane_type(f.pane, "1.5"));
    assert_true(list_pane_enter(f.pane));
    expect_notice(&f, "V:A: waits for 1.5");
    assert_false(list_pane_is_typing(f.pane));
    list_pane_do(f.pane, LIST_SEARCH);
    list_pane_do(f.pane, LIST_SORT);
    list_pane_do(f.pane, LIST_COLUMN_RIGHT);
    list_pane_do(f.pane, LIST_COPY_ROW);
    list_pane_do(f.pane, LIST_REMOVE); /* nothing is found that could be removed */
    draw(&f);
    assert_non_null(strstr(picture_row(&f.picture, TITLE_ROW), "Search in the gateway"));
    assert_true(list_pane_go_back(f.pane));
    expect_rows(&f, "AB");
    saved_state kept = {.width_px = 0};
    list_pane_save(f.pane, &kept);
    assert_string_equal(kept.sort, "");
    assert_int_equal(kept.alert_of.count, 1);
    assert_int_equal(kept.alert_price[0].mantissa, 15);
    close_fixture(&f);
}

static void columns_go_and_come_but_for_those_that_say_who_and_how_old(void **state)
{
    (void)state;
    fixture f = open_fixture("V:A");
    draw(&f);
    list_pane_do(f.pane, LIST_COLUMN_OFF); /* the symbol */
    expect_notice(&f, "always shown");
    list_pane_do(f.pane, LIST_COLUMN_LEFT);
    list_pane_do(f.pane, LIST_COLUMN_OFF);
    draw(&f);
    assert_null(strstr(picture_row(&f.picture, TITLE_ROW), "venue"));
    list_pane_do(f.pane, LIST_COLUMNS_ALL);
    draw(&f);
    assert_non_null(strstr(picture_row(&f.picture, TITLE_ROW), "venue"));
    close_fixture(&f);
}

static void what_was_kept_is_there_again(void **state)
{
    (void)state;
    static saved_state kept;
    static saved_state again;
    memset(&kept, 0, sizeof kept);
    memset(&again, 0, sizeof again);
    (void)strcpy(kept.sort, "symbol");
    kept.descending = true;
    (void)strcpy(kept.filter, "v");
    kept.column_off[COLUMN_VENUE] = true;
    assert_true(saved_names_add(&kept.added, "V", "X"));
    assert_true(saved_names_add(&kept.removed, "V", "B"));
    assert_true(saved_names_add(&kept.removed, "V", "LATER")); /* the directory may bring it yet */
    assert_true(saved_names_add(&kept.alert_of, "V", "A"));
    kept.alert_price[0] = (tg_decimal){-15, -1};
    fixture f = open_fixture("V:A,V:B,W:C");
    list_pane_restore(f.pane, &kept);
    assert_int_equal(feed_listed_count(f.feed), 3);
    assert_int_equal(list_pane_footer(f.pane).row_count, 2); /* A and X */
    list_pane_save(f.pane, &again);
    assert_string_equal(again.sort, "symbol");
    assert_true(again.descending);
    assert_string_equal(again.filter, "v");
    assert_memory_equal(again.column_off, kept.column_off, sizeof kept.column_off);
    assert_int_equal(again.added.count, 1);
    assert_string_equal(again.added.name[0].symbol, "X");
    assert_int_equal(again.removed.count, 2);
    assert_int_equal(again.alert_of.count, 1);
    assert_int_equal(again.alert_price[0].mantissa, -15);
    close_fixture(&f);
}

static void draw_in(list_pane *pane, fixture *f, tg_grid *grid, bool retained)
{
    size_t suspect = 0;
    const tg_style blank = {f->picture.palette->text, f->picture.palette->background, 0};
    const list_pane_pass pass = {.grid = grid,
                                 .palette = f->picture.palette,
                                 .view = tg_reader_pin(f->reader),
                                 .now_mono_ns = 1,
                                 .title_row = TITLE_ROW,
                                 .width = tg_grid_columns(grid),
                                 .focused = true,
                                 .retained = retained};
    if (!retained) {
        tg_grid_clear(grid, blank);
    }
    (void)list_pane_draw(pane, &pass, &suspect);
    tg_reader_unpin(f->reader);
}

static void expect_equal_cells(tg_grid *kept, tg_grid *anew)
{
    tg_grid_forget(kept);
    tg_grid_forget(anew);
    const tg_draw_list *a = tg_grid_damage(kept);
    const tg_draw_list *b = tg_grid_damage(anew);
    assert_int_equal(a->cell_count, b->cell_count);
    assert_memory_equal(a->cells, b->cells, a->cell_count * sizeof *a->cells);
}

/* Rows come, go and grow without anybody having pressed a key: two panes of one feed, of which one
 * keeps the rows that look as they did. */
static void what_is_kept_of_the_list_is_what_would_be_drawn(void **state)
{
    (void)state;
    fixture f = open_fixture("V:A,V:B,W:C");
    const list_pane_parts parts = {
        .window = f.picture.window, .feed = f.feed, .check = f.check, .times = f.times};
    tg_grid *grid = NULL;
    list_pane *anew = NULL;
    uint64_t random = 23;
    assert_int_equal(
        tg_grid_open(tg_grid_columns(f.picture.grid), tg_grid_rows(f.picture.grid), &grid), TG_OK);
    assert_int_equal(list_pane_open(&parts, tg_grid_rows(grid), &anew), TG_OK);
    draw_in(f.pane, &f, f.picture.grid, false);
    for (unsigned i = 0; i < 400; i++) {
        char symbol[TG_SYMBOL_SIZE] = "";
        size_t index = 0;
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const unsigned pick = (unsigned)(random >> 33) % 40;
        for (unsigned c = 0; c < 4 + pick / 2; c++) {
            symbol[c] = (char)('A' + pick % 26);
        }
        switch ((random >> 60) % 4) {
        case 0:
            (void)!feed_add(f.feed, "V", symbol, &index);
            break;
        case 1:
            (void)feed_remove(f.feed, pick % feed_row_count(f.feed));
            break;
        case 2:
            list_pane_select(f.pane, pick % feed_row_count(f.feed));
            list_pane_select(anew, pick % feed_row_count(f.feed));
            break;
        default:
            break;
        }
        draw_in(f.pane, &f, f.picture.grid, true);
        draw_in(anew, &f, grid, false);
        expect_equal_cells(f.picture.grid, grid);
    }
    list_pane_close(anew);
    tg_grid_close(grid);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typing_filters_and_clicks_sort_and_select),
        cmocka_unit_test(a_row_that_is_taken_away_leaves_the_next_one_selected),
        cmocka_unit_test(what_lies_over_the_list_keeps_keys_from_it),
        cmocka_unit_test(columns_go_and_come_but_for_those_that_say_who_and_how_old),
        cmocka_unit_test(what_was_kept_is_there_again),
        cmocka_unit_test(what_is_kept_of_the_list_is_what_would_be_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
