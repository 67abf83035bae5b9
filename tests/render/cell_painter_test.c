/* Pictures: incremental drawing against full drawing, and against golden files. */
#include "cell_painter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/cell_grid.h>
#include <tickglass/palette.h>

#include "tg_cmocka.h"

#include "golden_picture.h"
#include "png_file.h"
#include "random_page.h"

#define COLUMNS 40
#define ROWS    12

static tg__font *open_font(int size_px)
{
    const tg__font_options options = {TG_TEST_FONT, TG_TEST_BOLD_FONT, NULL, size_px};
    tg__font *font = NULL;
    char why[256] = "";
    assert_int_equal(tg__font_open(&options, &font, why, sizeof why), TG_OK);
    assert_string_equal(why, "");
    return font;
}

/* Canvases of the same odd size: the grid leaves margins at the right and below. */
static tg__canvas open_canvas(const tg__font *font)
{
    tg__canvas canvas = {0};
    canvas.width = COLUMNS * tg__font_cell_width(font) + 3;
    canvas.height = ROWS * tg__font_cell_height(font) + 5;
    canvas.stride = (size_t)canvas.width + 2;
    canvas.pixels = calloc(canvas.stride * (size_t)canvas.height, sizeof *canvas.pixels);
    assert_non_null(canvas.pixels);
    return canvas;
}

static size_t canvas_bytes(const tg__canvas *canvas)
{
    return canvas->stride * (size_t)canvas->height * sizeof *canvas->pixels;
}

/* Every pixel that differs must lie in one of the rectangles that a present would hand over. */
static void expect_damage_covers(const tg__canvas *before, const tg__canvas *after,
                                 const tg__rect *rects, size_t count)
{
    for (int y = 0; y < after->height; y++) {
        for (int x = 0; x < after->width; x++) {
            const size_t at = (size_t)y * after->stride + (size_t)x;
            bool covered = before->pixels[at] == after->pixels[at];
            for (size_t i = 0; i < count && !covered; i++) {
                const tg__rect *r = &rects[i];
                covered = x >= r->x && x < r->x + r->width && y >= r->y && y < r->y + r->height;
            }
            assert_true(covered);
        }
    }
}

static void expect_same_pixels(const tg__canvas *a, const tg__canvas *b)
{
    for (int y = 0; y < a->height; y++) {
        assert_memory_equal(a->pixels + (size_t)y * a->stride, b->pixels + (size_t)y * b->stride,
                            (size_t)a->width * sizeof *a->pixels);
    }
}

/* Another number of cells, and other margins; up to what open_canvas() has made room for. What a
 * window holds after that is anything. */
static void resize_randomly(const tg__font *font, tg_grid *grid, tg__canvas *shown,
                            tg__canvas *before, tg__canvas *fresh)
{
    const uint16_t columns = (uint16_t)(1 + random_page_below(COLUMNS));
    const uint16_t rows = (uint16_t)(1 + random_page_below(ROWS));
    assert_int_equal(tg_grid_resize(grid, columns, rows), TG_OK);
    memset(shown->pixels, (int)random_page_below(256), canvas_bytes(shown));
    tg__canvas *const canvases[] = {shown, before, fresh};
    const int width = columns * tg__font_cell_width(font) + (int)random_page_below(4);
    const int height = rows * tg__font_cell_height(font) + (int)random_page_below(6);
    for (size_t i = 0; i < 3; i++) {
        canvases[i]->width = width;
        canvases[i]->height = height;
    }
}

static void incremental_drawing_equals_drawing_everything(void **state)
{
    (void)state;
    random_page_seed();
    static const int sizes_px[] = {9, 14, 22};
    for (size_t s = 0; s < sizeof sizes_px / sizeof sizes_px[0]; s++) {
        tg__font *font = open_font(sizes_px[s]);
        tg__painter *incremental = NULL;
        tg__painter *full = NULL;
        assert_int_equal(tg__painter_open(font, &incremental), TG_OK);
        assert_int_equal(tg__painter_open(font, &full), TG_OK);
        tg__canvas shown = open_canvas(font);
        tg__canvas before = open_canvas(font);
        tg__canvas fresh = open_canvas(font);
        tg_grid *grid = NULL;
        assert_int_equal(tg_grid_open(COLUMNS, ROWS, &grid), TG_OK);
        const tg_palette *palette = NULL;
        assert_int_equal(tg_palette_find(NULL, &palette), TG_OK);
        for (int step = 0; step < 150; step++) {
            if (random_page_below(25) == 0) {
                resize_randomly(font, grid, &shown, &before, &fresh);
            }
            random_page_change(grid, &palette);
            const tg_draw_list *list = tg_grid_damage(grid);
            memcpy(before.pixels, shown.pixels, canvas_bytes(&shown));
            tg__painter_draw(incremental, list, &shown);
            tg__rect rects[5];
            const size_t count = tg__painter_damage(incremental, list, &shown, rects, 5);
            assert_true(count <= 5);
            expect_damage_covers(&before, &shown, rects, count);
            tg_grid_forget(grid);
            memset(fresh.pixels, 0x55, canvas_bytes(&fresh));
            tg__painter_draw(full, tg_grid_damage(grid), &fresh);
            expect_same_pixels(&shown, &fresh);
        }
        tg_grid_close(grid);
        free(shown.pixels);
        free(before.pixels);
        free(fresh.pixels);
        tg__painter_close(incremental);
        tg__painter_close(full);
        tg__font_close(font);
    }
}

static void runs_below_each_other_are_one_rectangle(void **state)
{
    (void)state;
    tg__font *font = open_font(14);
    tg__painter *painter = NULL;
    assert_int_equal(tg__painter_open(font, &painter), TG_OK);
    tg__canvas canvas = open_canvas(font);
    const int width = tg__font_cell_width(font);
    const int height = tg__font_cell_height(font);
    const tg_draw_run runs[] = {{1, 2, 3, 0}, {1, 9, 1, 3}, {2, 2, 3, 4}, {3, 2, 2, 7}};
    const tg_draw_list list = {.run_count = 4, .runs = runs};
    tg__rect rects[8];
    assert_int_equal(tg__painter_damage(painter, &list, &canvas, rects, 8), 3);
    const tg__rect joined = {2 * width, height, 3 * width, 2 * height};
    assert_memory_equal(&rects[0], &joined, sizeof joined);
    /* With room for one only, it covers everything. */
    assert_int_equal(tg__painter_damage(painter, &list, &canvas, rects, 1), 1);
    const tg__rect all = {2 * width, height, 8 * width, 3 * height};
    assert_memory_equal(&rects[0], &all, sizeof all);
    free(canvas.pixels);
    tg__painter_close(painter);
    tg__font_close(font);
}

/* A page with every kind of cell that the terminal knows. */
static void write_golden_page(tg_grid *grid, const tg_palette *palette)
{
    const tg_style text = {palette->text, palette->background, 0};
    tg_grid_clear(grid, text);
    const tg_style bar = {palette->text, palette->bar, 0};
    tg_grid_fill(grid, (tg_span){0, 0, COLUMNS}, bar);
    const tg_style title = {palette->good, palette->bar, TG_CELL_BOLD};
    tg_grid_put(grid, 0, 1, title, "tickglass");
    const tg_style label = {palette->label, palette->background, TG_CELL_UNDERLINE};
    tg_grid_fill(grid, (tg_span){1, 0, COLUMNS}, label);
    tg_grid_put_label(grid, (tg_span){1, 1, 12}, TG_ALIGN_LEFT, label, "symbol");
    tg_grid_put_label(grid, (tg_span){1, 14, 14}, TG_ALIGN_RIGHT, label, "last");
    tg_grid_put_label(grid, (tg_span){1, 30, 9}, TG_ALIGN_LEFT, label, "quality");
    static const char *const prices[] = {"61813.00",      "-37.63",           "99-03+",
                                         "0.00000000001", "9999999997.00000", "\xE2\x80\x93"};
    static const char *const symbols[] = {"BTCUSDT", "CLK0", "ZNU4",
                                          "SHIB",    "EDGE", "\xE5\x8E\x9F\xE6\xB2\xB9"};
    for (uint16_t i = 0; i < 6; i++) {
        const uint16_t row = (uint16_t)(2 + i);
        const bool stale = i == 4;
        tg_style style = {stale ? palette->stale : palette->text, palette->background, 0};
        tg_grid_put_label(grid, (tg_span){row, 1, 12}, TG_ALIGN_LEFT, style, symbols[i]);
        style.background = i == 0   ? palette->up_flash
                           : i == 1 ? palette->down_fading
                                    : palette->background;
        tg_grid_put_number(grid, (tg_span){row, 14, 14}, style, prices[i]);
        const tg_style arrow = {i == 1 ? palette->down : palette->up, palette->background, 0};
        tg_grid_put(grid, row, 28, arrow, i == 1 ? "\xE2\x96\xBC" : "\xE2\x96\xB2");
        tg_grid_put(grid, row, 30, style, stale ? "STALE !" : "LIVE");
    }
}

static void a_page_looks_as_it_did(void **state)
{
    (void)state;
    tg__font *font = open_font(14);
    tg__painter *painter = NULL;
    assert_int_equal(tg__painter_open(font, &painter), TG_OK);
    tg__canvas canvas = open_canvas(font);
    tg_grid *grid = NULL;
    assert_int_equal(tg_grid_open(COLUMNS, ROWS, &grid), TG_OK);
    const tg_palette *palette = NULL;
    assert_int_equal(tg_palette_find(NULL, &palette), TG_OK);
    write_golden_page(grid, palette);
    const tg_draw_list *list = tg_grid_damage(grid);
    tg__painter_draw(painter, list, &canvas);
    char dump[16384];
    assert_int_equal(tg_draw_list_dump(list, dump, sizeof dump, NULL), TG_OK);
    golden_expect_text(TG_TEST_GOLDEN "/page.txt", dump);
    char pin[128];
    tg__font_describe(pin, sizeof pin);
    static const char picture[] = "cell_painter_test_page.png";
    assert_int_equal(tg__png_write(picture, &canvas), TG_OK);
    golden_expect_picture(TG_TEST_GOLDEN "/page.png", picture, TG_TEST_FONT, pin);
    assert_int_equal(remove(picture), 0);
    free(canvas.pixels);
    tg_grid_close(grid);
    tg__painter_close(painter);
    tg__font_close(font);
}

static void a_font_that_cannot_be_used_is_named(void **state)
{
    (void)state;
    tg__font *font = NULL;
    char why[256] = "";
    const tg__font_options missing = {"/nowhere/font.ttf", NULL, NULL, 14};
    assert_int_equal(tg__font_open(&missing, &font, why, sizeof why), TG_ERR_FONT);
    assert_non_null(strstr(why, "/nowhere/font.ttf"));
    const tg__font_options no_font = {__FILE__, NULL, NULL, 14};
    assert_int_equal(tg__font_open(&no_font, &font, why, sizeof why), TG_ERR_FONT);
    assert_non_null(strstr(why, "cell_painter_test.c"));
    const tg__font_options no_fallback = {TG_TEST_FONT, NULL, "/nowhere/more.ttf", 14};
    assert_int_equal(tg__font_open(&no_fallback, &font, why, sizeof why), TG_ERR_FONT);
    assert_non_null(strstr(why, "/nowhere/more.ttf"));
    const tg__font_options small = {TG_TEST_FONT, NULL, NULL, 5};
    assert_int_equal(tg__font_open(&small, &font, why, sizeof why), TG_ERR_INVALID_ARGUMENT);
    const tg__font_options large = {TG_TEST_FONT, NULL, NULL, 97};
    assert_int_equal(tg__font_open(&large, &font, why, sizeof why), TG_ERR_INVALID_ARGUMENT);
    assert_null(font);
}

/* Two characters that the font lacks: another picture each, the right half not that of the left. */
static void characters_without_a_glyph_stay_apart(void **state)
{
    (void)state;
    tg__font *font = open_font(14);
    const size_t size = (size_t)(tg__font_cell_width(font) * tg__font_cell_height(font));
    static const char *const texts[] = {"\xE5\x8E\x9F", "\xE6\xB2\xB9", "\xF0\xA0\x80\x8B"};
    uint8_t *covered[6];
    for (size_t i = 0; i < 6; i++) {
        tg_cell cell = {.marks = i % 2 == 0 ? TG_CELL_WIDE_LEFT : TG_CELL_WIDE_RIGHT};
        memcpy(cell.text, texts[i / 2], strlen(texts[i / 2]));
        covered[i] = malloc(size);
        assert_non_null(covered[i]);
        tg__font_cover(font, &cell, covered[i]);
        for (size_t j = 0; j < i; j++) {
            assert_memory_not_equal(covered[i], covered[j], size);
        }
    }
    for (size_t i = 0; i < 6; i++) {
        free(covered[i]);
    }
    tg__font_close(font);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incremental_drawing_equals_drawing_everything),
        cmocka_unit_test(runs_below_each_other_are_one_rectangle),
        cmocka_unit_test(a_page_looks_as_it_did),
        cmocka_unit_test(characters_without_a_glyph_stay_apart),
        cmocka_unit_test(a_font_that_cannot_be_used_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
