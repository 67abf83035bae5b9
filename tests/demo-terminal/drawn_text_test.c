#include "drawn_text.h"

#include <string.h>

#include <tickglass/cell_grid.h>

#include "tg_cmocka.h"

static const tg_style plain = {0xffffff, 0x000000, 0};

static void expect_text(const drawn_text *drawn, uint16_t row, uint16_t column, uint16_t width,
                        const char *expected)
{
    char text[64];
    drawn_text_get(drawn, row, column, width, text, sizeof text);
    assert_string_equal(text, expected);
}

static void text_is_what_the_lists_drew_last(void **state)
{
    (void)state;
    drawn_text *drawn = NULL;
    tg_grid *grid = NULL;
    assert_int_equal(drawn_text_open(&drawn), TG_OK);
    assert_int_equal(tg_grid_open(20, 3, &grid), TG_OK);
    expect_text(drawn, 0, 0, 20, "");
    tg_grid_clear(grid, plain);
    tg_grid_put_number(grid, (tg_span){1, 2, 10}, plain, "61813.00");
    tg_grid_put(grid, 2, 0, plain, "\xE5\x8E\x9F\xE6\xB2\xB9 x");
    assert_int_equal(drawn_text_apply(drawn, tg_grid_damage(grid)), TG_OK);
    expect_text(drawn, 1, 0, 20, "61813.00");
    expect_text(drawn, 1, 2, 10, "61813.00");
    expect_text(drawn, 1, 4, 5, "61813");
    expect_text(drawn, 2, 0, 20, "\xE5\x8E\x9F\xE6\xB2\xB9 x");
    expect_text(drawn, 0, 0, 20, "");
    expect_text(drawn, 3, 0, 20, "");
    expect_text(drawn, 1, 19, 9, "");
    /* A digit that was not drawn is not in the text. */
    tg_grid_put_number(grid, (tg_span){1, 2, 10}, plain, "61813.25");
    expect_text(drawn, 1, 0, 20, "61813.00");
    assert_int_equal(drawn_text_apply(drawn, tg_grid_damage(grid)), TG_OK);
    expect_text(drawn, 1, 0, 20, "61813.25");
    assert_int_equal(tg_grid_resize(grid, 30, 4), TG_OK);
    tg_grid_put(grid, 3, 25, plain, "abcde");
    assert_int_equal(drawn_text_apply(drawn, tg_grid_damage(grid)), TG_OK);
    expect_text(drawn, 3, 0, 30, "abcde");
    expect_text(drawn, 1, 0, 30, "");
    tg_grid_close(grid);
    drawn_text_close(drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_what_the_lists_drew_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
