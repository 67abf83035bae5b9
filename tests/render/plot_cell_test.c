#include "plot_cell.h"

#include <stdlib.h>
#include <string.h>

#include "tg_cmocka.h"

#define FORE UINT32_C(0x6cb6ff)
#define BACK UINT32_C(0x0e1116)

static const tg_style style = {FORE, BACK, 0};

static tg_grid *open_grid(void)
{
    tg_grid *grid = NULL;
    assert_int_equal(tg_grid_open(4, 2, &grid), TG_OK);
    return grid;
}

static void every_bar_comes_back_as_it_was_put(void **state)
{
    (void)state;
    tg_grid *grid = open_grid();
    for (unsigned top = 0; top < TG_PLOT_LEVELS; top++) {
        for (unsigned bottom = top; bottom < TG_PLOT_LEVELS; bottom++) {
            tg_plot_bar bars[TG_PLOT_COLUMNS];
            for (unsigned i = 0; i < TG_PLOT_COLUMNS; i++) {
                bars[i] = TG_PLOT_BAR_NONE;
            }
            const unsigned column = (top + bottom) % TG_PLOT_COLUMNS;
            bars[column] = (tg_plot_bar){(uint8_t)top, (uint8_t)bottom};
            tg_grid_plot(grid, 1, 2, style, bars);
            tg_grid_forget(grid);
            const tg_draw_list *list = tg_grid_damage(grid);
            const tg_cell *cell = &list->cells[4 + 2];
            assert_int_equal(cell->marks, TG_CELL_PLOT);
            assert_string_equal(cell->text, "");
            for (unsigned i = 0; i < TG_PLOT_COLUMNS; i++) {
                const tg_plot_bar bar = tg_plot_bar_of(cell, i);
                assert_int_equal(tg_plot_bar_is_drawn(bar), i == column);
                assert_true(i != column || (bar.top == top && bar.bottom == bottom));
            }
        }
    }
    tg_grid_close(grid);
}

static void bars_that_are_not_there_are_all_alike(void **state)
{
    (void)state;
    tg_grid *grid = open_grid();
    tg_plot_bar bars[TG_PLOT_COLUMNS];
    for (unsigned i = 0; i < TG_PLOT_COLUMNS; i++) {
        bars[i] = TG_PLOT_BAR_NONE;
    }
    tg_grid_plot(grid, 0, 0, style, bars);
    (void)tg_grid_damage(grid);
    for (unsigned i = 0; i < TG_PLOT_COLUMNS; i++) {
        bars[i] = (tg_plot_bar){(uint8_t)(i + 9), (uint8_t)i};
    }
    tg_grid_plot(grid, 0, 0, style, bars);
    assert_int_equal(tg_grid_damage(grid)->run_count, 0);
    assert_false(tg_plot_bar_is_drawn(tg_plot_bar_of(tg_grid_damage(grid)->cells, 8)));
    tg_grid_plot(grid, 2, 0, style, bars); /* outside of the grid */
    tg_grid_plot(grid, 0, 4, style, bars);
    assert_int_equal(tg_grid_damage(grid)->run_count, 0);
    tg_grid_close(grid);
}

/* Paints one cell of 0,0 to width,height into a canvas and counts what has the bars' colour. */
static int painted(const tg_plot_bar bars[TG_PLOT_COLUMNS], int width, int height, int *top_line)
{
    tg__canvas canvas = {calloc((size_t)width * (size_t)height, sizeof(uint32_t)), width, height,
                         (size_t)width};
    assert_non_null(canvas.pixels);
    tg_cell cell = {.foreground = FORE, .background = BACK, .marks = TG_CELL_PLOT};
    tg__plot_cell_pack(bars, cell.text);
    tg__plot_cell_paint(&cell, &canvas, (tg__rect){0, 0, width, height});
    int count = 0;
    *top_line = -1;
    for (int i = 0; i < width * height; i++) {
        const uint32_t rgb = canvas.pixels[i] & 0xffffff;
        assert_true(rgb == FORE || rgb == BACK);
        if (rgb == FORE) {
            *top_line = *top_line < 0 ? i / width : *top_line;
            count++;
        }
    }
    free(canvas.pixels);
    return count;
}

static void a_bar_is_a_pixel_wide_where_there_are_eight_and_never_lost(void **state)
{
    (void)state;
    tg_plot_bar bars[TG_PLOT_COLUMNS];
    for (unsigned i = 0; i < TG_PLOT_COLUMNS; i++) {
        bars[i] = TG_PLOT_BAR_NONE;
    }
    int top = 0;
    assert_int_equal(painted(bars, 8, 19, &top), 0);
    bars[3] = (tg_plot_bar){0, TG_PLOT_LEVELS - 1};
    assert_int_equal(painted(bars, 8, 19, &top), 19);
    assert_int_equal(painted(bars, 17, 38, &top), 2 * 38);
    assert_int_equal(painted(bars, 4, 9, &top), 9);
    bars[3] = (tg_plot_bar){TG_PLOT_LEVELS - 1, TG_PLOT_LEVELS - 1};
    assert_int_equal(painted(bars, 8, 19, &top), 1);
    assert_int_equal(top, 18);
    bars[3] = (tg_plot_bar){0, 0};
    assert_int_equal(painted(bars, 8, 19, &top), 1);
    assert_int_equal(top, 0);
}

static void a_dump_shows_the_bars(void **state)
{
    (void)state;
    tg_grid *grid = open_grid();
    tg_grid_clear(grid, style);
    (void)tg_grid_damage(grid);
    tg_plot_bar bars[TG_PLOT_COLUMNS] = {{1, 0x3f}, {0, 0}, {1, 0}, {1, 0},
                                         {1, 0},    {1, 0}, {1, 0}, {0x10, 0x20}};
    tg_grid_plot(grid, 1, 1, style, bars);
    char text[256];
    assert_int_equal(tg_draw_list_dump(tg_grid_damage(grid), text, sizeof text, NULL), TG_OK);
    assert_string_equal(text, "changes 4 x 2 background 0e1116\n"
                              "row 1 column 1 count 1 fg 6cb6ff bg 0e1116 plot "
                              "\"013f 0000 . . . . . 1020|\"\n");
    tg_grid_close(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bar_comes_back_as_it_was_put),
        cmocka_unit_test(bars_that_are_not_there_are_all_alike),
        cmocka_unit_test(a_bar_is_a_pixel_wide_where_there_are_eight_and_never_lost),
        cmocka_unit_test(a_dump_shows_the_bars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
