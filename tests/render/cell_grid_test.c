#include <tickglass/cell_grid.h>

#include <stdlib.h>
#include <string.h>

#include "tg_cmocka.h"

static const tg_style plain = {0xffffff, 0x000000, 0};

static tg_grid *open_grid(uint16_t columns, uint16_t rows)
{
    tg_grid *grid = NULL;
    assert_int_equal(tg_grid_open(columns, rows, &grid), TG_OK);
    tg_grid_clear(grid, plain);
    return grid;
}

/* The dump of the damage; free it. */
static char *dump(tg_grid *grid)
{
    const tg_draw_list *list = tg_grid_damage(grid);
    size_t needed = 0;
    assert_int_equal(tg_draw_list_dump(list, NULL, 0, &needed), TG_OK);
    char *text = malloc(needed);
    assert_non_null(text);
    assert_int_equal(tg_draw_list_dump(list, text, needed, NULL), TG_OK);
    assert_int_equal(strlen(text) + 1, needed);
    return text;
}

static void expect_dump(tg_grid *grid, const char *expected)
{
    char *text = dump(grid);
    assert_string_equal(text, expected);
    free(text);
}

static void open_refuses_sides_that_are_out_of_range(void **state)
{
    (void)state;
    tg_grid *grid = NULL;
    assert_int_equal(tg_grid_open(0, 1, &grid), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_grid_open(1, 0, &grid), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_grid_open(TG_GRID_SIDE_MAX + 1, 1, &grid), TG_ERR_INVALID_ARGUMENT);
    assert_null(grid);
    assert_int_equal(tg_grid_open(1, 1, NULL), TG_ERR_INVALID_ARGUMENT);
    tg_grid_close(NULL);
}

static void the_first_damage_is_everything_and_the_second_nothing(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(4, 2);
    tg_grid_put(grid, 0, 1, plain, "ab");
    expect_dump(grid, "full 4 x 2 background 000000\n"
                      "row 0 column 0 count 1 fg 000000 bg 000000 \" \"\n"
                      "row 0 column 1 count 2 fg ffffff bg 000000 \"ab\"\n"
                      "row 0 column 3 count 1 fg 000000 bg 000000 \" \"\n"
                      "row 1 column 0 count 4 fg 000000 bg 000000 \"    \"\n");
    expect_dump(grid, "changes 4 x 2 background 000000\n");
    tg_grid_close(grid);
}

static void only_cells_that_differ_are_damage(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(20, 2);
    tg_grid_put(grid, 1, 0, plain, "61813.00");
    (void)tg_grid_damage(grid);
    tg_grid_clear(grid, plain);
    tg_grid_put(grid, 1, 0, plain, "61814.00");
    expect_dump(grid, "changes 20 x 2 background 000000\n"
                      "row 1 column 4 count 1 fg ffffff bg 000000 \"4\"\n");
    /* The same text in another colour, underlined and bold. */
    const tg_style loud = {0xff0000, 0x000001, TG_CELL_BOLD | TG_CELL_UNDERLINE};
    tg_grid_put(grid, 1, 4, loud, "4");
    expect_dump(grid, "changes 20 x 2 background 000000\n"
                      "row 1 column 4 count 1 fg ff0000 bg 000001 bold underline \"4\"\n");
    tg_grid_close(grid);
}

/* Letters with two marks over them: alike in their first four bytes. */
static void texts_that_differ_in_their_last_byte_are_damage(void **state)
{
    (void)state;
    static const char acute_hat[] = "e\xCC\x81\xCC\x82";
    static const char acute_tilde[] = "e\xCC\x81\xCC\x83";
    static const char head[] = "changes 4 x 1 background 000000\n";
    static const char tilde_drawn[] =
        "changes 4 x 1 background 000000\n"
        "row 0 column 1 count 1 fg ffffff bg 000000 \"e\xCC\x81\xCC\x83\"\n";
    tg_grid *grid = open_grid(4, 1);
    tg_grid_put(grid, 0, 1, plain, acute_hat);
    expect_dump(grid, "full 4 x 1 background 000000\n"
                      "row 0 column 0 count 1 fg 000000 bg 000000 \" \"\n"
                      "row 0 column 1 count 1 fg ffffff bg 000000 \"e\xCC\x81\xCC\x82\"\n"
                      "row 0 column 2 count 2 fg 000000 bg 000000 \"  \"\n");
    tg_grid_put(grid, 0, 1, plain, acute_hat);
    expect_dump(grid, head);
    tg_grid_put(grid, 0, 1, plain, acute_tilde);
    expect_dump(grid, tilde_drawn);
    tg_grid_put(grid, 0, 1, plain, acute_hat); /* and back before anybody has seen it */
    tg_grid_put(grid, 0, 1, plain, acute_tilde);
    expect_dump(grid, head);
    tg_grid_put(grid, 0, 1, plain, "e");
    (void)tg_grid_damage(grid);
    tg_grid_put(grid, 0, 1, plain, acute_tilde);
    expect_dump(grid, tilde_drawn);
    tg_grid_close(grid);
}

static void changes_with_little_between_them_are_one_run(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(20, 1);
    tg_grid_put(grid, 0, 0, plain, "abcdefghijklmnopqrst");
    (void)tg_grid_damage(grid);
    tg_grid_put(grid, 0, 0, plain, "X");
    tg_grid_put(grid, 0, 3, plain, "X");
    tg_grid_put(grid, 0, 9, plain, "X");
    const tg_draw_list *list = tg_grid_damage(grid);
    assert_int_equal(list->run_count, 2);
    assert_int_equal(list->runs[0].column, 0);
    assert_int_equal(list->runs[0].count, 4);
    assert_int_equal(list->runs[1].column, 9);
    assert_int_equal(list->cell_count, 5);
    tg_grid_close(grid);
}

static void forgetting_and_resizing_damage_everything(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(3, 2);
    (void)tg_grid_damage(grid);
    tg_grid_forget(grid);
    const tg_draw_list *list = tg_grid_damage(grid);
    assert_true(list->full);
    assert_int_equal(list->cell_count, 6);
    assert_int_equal(tg_grid_resize(grid, 0, 5), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_grid_columns(grid), 3);
    assert_int_equal(tg_grid_resize(grid, 5, 4), TG_OK);
    assert_int_equal(tg_grid_columns(grid), 5);
    assert_int_equal(tg_grid_rows(grid), 4);
    list = tg_grid_damage(grid);
    assert_true(list->full);
    assert_int_equal(list->cell_count, 20);
    /* Another background fills the margins too. */
    const tg_style other = {0xffffff, 0x123456, 0};
    tg_grid_clear(grid, other);
    list = tg_grid_damage(grid);
    assert_true(list->full);
    assert_int_equal(list->background, 0x123456);
    tg_grid_close(grid);
}

static void a_number_is_never_shortened(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(12, 1);
    (void)tg_grid_damage(grid);
    const tg_span span = {0, 1, 8};
    tg_grid_put_number(grid, span, plain, "61813.00");
    expect_dump(grid, "changes 12 x 1 background 000000\n"
                      "row 0 column 1 count 8 fg ffffff bg 000000 \"61813.00\"\n");
    tg_grid_put_number(grid, span, plain, "161813.00");
    expect_dump(grid, "changes 12 x 1 background 000000\n"
                      "row 0 column 1 count 8 fg ffffff bg 000000 \"########\"\n");
    tg_grid_put_number(grid, span, plain, "1.5");
    expect_dump(grid, "changes 12 x 1 background 000000\n"
                      "row 0 column 1 count 5 fg 000000 bg 000000 \"     \"\n"
                      "row 0 column 6 count 3 fg ffffff bg 000000 \"1.5\"\n");
    /* The window's edge cuts the span: as good as too narrow, even if the text itself would fit. */
    const tg_span cut = {0, 8, 8};
    tg_grid_put_number(grid, cut, plain, "1.5");
    expect_dump(grid, "changes 12 x 1 background 000000\n"
                      "row 0 column 8 count 4 fg ffffff bg 000000 \"####\"\n");
    tg_grid_close(grid);
}

static void a_label_that_is_too_long_says_so(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(8, 1);
    (void)tg_grid_damage(grid);
    const tg_span span = {0, 0, 5};
    tg_grid_put_label(grid, span, TG_ALIGN_LEFT, plain, "BTCUSDT");
    expect_dump(grid, "changes 8 x 1 background 000000\n"
                      "row 0 column 0 count 5 fg ffffff bg 000000 \"BTCU\xE2\x80\xA6\"\n");
    tg_grid_put_label(grid, span, TG_ALIGN_RIGHT, plain, "BTC");
    expect_dump(grid, "changes 8 x 1 background 000000\n"
                      "row 0 column 0 count 2 fg 000000 bg 000000 \"  \"\n"
                      "row 0 column 2 count 3 fg ffffff bg 000000 \"BTC\"\n");
    tg_grid_close(grid);
}

static void wide_characters_take_two_cells_or_none(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(5, 1);
    (void)tg_grid_damage(grid);
    assert_int_equal(tg_text_columns("\xE5\x8E\x9F\xE6\xB2\xB9\x31"), 5);
    assert_int_equal(tg_grid_put(grid, 0, 0, plain, "\xE5\x8E\x9F\xE6\xB2\xB9\x31"), 5);
    expect_dump(grid,
                "changes 5 x 1 background 000000\n"
                "row 0 column 0 count 5 fg ffffff bg 000000 \"\xE5\x8E\x9F\xE6\xB2\xB9\x31\"\n");
    tg_grid_clear(grid, plain);
    assert_int_equal(tg_grid_put(grid, 0, 4, plain, "\xE5\x8E\x9F"), 0);
    const tg_span four = {0, 0, 4};
    tg_grid_put_label(grid, four, TG_ALIGN_LEFT, plain, "\xE5\x8E\x9F\xE6\xB2\xB9\x31");
    tg_grid_forget(grid);
    const tg_draw_list *list = tg_grid_damage(grid);
    assert_int_equal(list->cells[0].marks, TG_CELL_WIDE_LEFT);
    assert_int_equal(list->cells[1].marks, TG_CELL_WIDE_RIGHT);
    assert_string_equal(list->cells[2].text, "\xE2\x80\xA6");
    tg_grid_close(grid);
}

static void writing_outside_the_grid_changes_nothing(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(4, 2);
    (void)tg_grid_damage(grid);
    assert_int_equal(tg_grid_put(grid, 2, 0, plain, "x"), 0);
    assert_int_equal(tg_grid_put(grid, 0, 4, plain, "x"), 0);
    const tg_span outside = {7, 65535, 65535};
    tg_grid_fill(grid, outside, plain);
    tg_grid_put_label(grid, outside, TG_ALIGN_RIGHT, plain, "x");
    expect_dump(grid, "changes 4 x 2 background 000000\n");
    tg_grid_close(grid);
}

static void a_dump_that_does_not_fit_ends_where_the_buffer_does(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(4, 1);
    const tg_draw_list *list = tg_grid_damage(grid);
    char text[10];
    size_t needed = 0;
    assert_int_equal(tg_draw_list_dump(list, text, sizeof text, &needed), TG_ERR_BUFFER_TOO_SMALL);
    assert_string_equal(text, "full 4 x ");
    assert_true(needed > sizeof text);
    assert_int_equal(tg_draw_list_dump(NULL, text, sizeof text, NULL), TG_ERR_INVALID_ARGUMENT);
    tg_grid_close(grid);
}

static void what_was_drawn_last_is_known_whatever_has_been_written_since(void **state)
{
    (void)state;
    tg_grid *grid = open_grid(3, 2);
    tg_grid_put(grid, 1, 1, plain, "a");
    (void)tg_grid_damage(grid);
    tg_grid_put(grid, 1, 1, plain, "b"); /* not drawn yet */
    const tg_cell *drawn = tg_grid_drawn(grid);
    assert_string_equal(drawn[3 + 1].text, "a");
    assert_int_equal(drawn[3 + 1].foreground, plain.foreground);
    assert_string_equal(drawn[0].text, "");
    assert_int_equal(drawn[0].background, plain.background);
    (void)tg_grid_damage(grid);
    assert_string_equal(tg_grid_drawn(grid)[3 + 1].text, "b");
    tg_grid_close(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_refuses_sides_that_are_out_of_range),
        cmocka_unit_test(the_first_damage_is_everything_and_the_second_nothing),
        cmocka_unit_test(only_cells_that_differ_are_damage),
        cmocka_unit_test(texts_that_differ_in_their_last_byte_are_damage),
        cmocka_unit_test(changes_with_little_between_them_are_one_run),
        cmocka_unit_test(forgetting_and_resizing_damage_everything),
        cmocka_unit_test(a_number_is_never_shortened),
        cmocka_unit_test(a_label_that_is_too_long_says_so),
        cmocka_unit_test(wide_characters_take_two_cells_or_none),
        cmocka_unit_test(writing_outside_the_grid_changes_nothing),
        cmocka_unit_test(a_dump_that_does_not_fit_ends_where_the_buffer_does),
        cmocka_unit_test(what_was_drawn_last_is_known_whatever_has_been_written_since),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
