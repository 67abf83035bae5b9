/* The whole way of a picture without a display. */
#include <tickglass/window.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/cell_grid.h>

#include "kept_folder.h"
#include "tg_cmocka.h"

#define S INT64_C(1000000000)

static tg_window *open_headless(int width_px, int height_px)
{
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.headless = true;
    opt.width_px = width_px;
    opt.height_px = height_px;
    tg_window *window = NULL;
    char why[256];
    assert_int_equal(tg_window_open(&opt, &window, why, sizeof why), TG_OK);
    assert_string_equal(why, "");
    return window;
}

static void open_explains_what_it_refuses(void **state)
{
    (void)state;
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.headless = true;
    tg_window *window = NULL;
    char why[256] = "";
    assert_int_equal(tg_window_open(NULL, &window, why, sizeof why), TG_ERR_INVALID_ARGUMENT);
    opt.font_file = "/nowhere/font.ttf";
    assert_int_equal(tg_window_open(&opt, &window, why, sizeof why), TG_ERR_FONT);
    assert_non_null(strstr(why, "/nowhere/font.ttf"));
    opt.font_file = NULL;
    opt.width_px = -1;
    assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_ERR_INVALID_ARGUMENT);
    opt.width_px = 100000;
    assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_ERR_INVALID_ARGUMENT);
    assert_null(window);
    tg_window_close(NULL);
    /* None of those left a window behind. */
    window = open_headless(0, 0);
    tg_window *second = NULL;
    opt.width_px = 0;
    assert_int_equal(tg_window_open(&opt, &second, NULL, 0), TG_ERR_STATE);
    assert_null(second);
    tg_window_close(window);
}

static void without_a_display_only_headless_windows_open(void **state)
{
    (void)state;
    assert_int_equal(unsetenv("DISPLAY"), 0);
    assert_int_equal(unsetenv("WAYLAND_DISPLAY"), 0);
    assert_int_equal(unsetenv("SDL_VIDEODRIVER"), 0);
    tg_window_options opt;
    tg_window_options_init(&opt);
    tg_window *window = NULL;
    char why[256] = "";
    assert_int_equal(tg_window_open(&opt, &window, why, sizeof why), TG_ERR_WINDOW);
    assert_null(window);
    assert_non_null(strstr(why, "no display can be used: "));
    window = open_headless(100, 100);
    tg_window_close(window);
}

static void the_grid_fits_the_window(void **state)
{
    (void)state;
    tg_window *window = open_headless(1280, 800);
    assert_int_equal(tg_window_columns(window), 160);
    assert_true(tg_window_rows(window) > 40);
    assert_true(tg_window_visible(window));
    char text[200];
    tg_window_describe(window, text, sizeof text);
    assert_non_null(strstr(text, "video driver dummy"));
    tg_window_close(window);
    /* A window smaller than a cell still has one. */
    window = open_headless(3, 3);
    assert_int_equal(tg_window_columns(window), 1);
    assert_int_equal(tg_window_rows(window), 1);
    tg_window_close(window);
}

static void draw_something(tg_window *window, tg_grid *grid, const char *text)
{
    const tg_style style = {0xd7dde5, 0x0e1116, 0};
    tg_grid_clear(grid, style);
    tg_grid_put(grid, 0, 0, style, text);
    assert_int_equal(tg_window_draw(window, tg_grid_damage(grid)), TG_OK);
    assert_int_equal(tg_window_present(window), TG_OK);
}

static size_t file_bytes(const char *path, uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, size, file);
    (void)fclose(file);
    return count;
}

static void a_screenshot_is_a_whole_file_or_none(void **state)
{
    (void)state;
    char folder[] = "tickglass-window-XXXXXX";
    assert_non_null(mkdtemp(folder));
    kept_folder_made(folder);
    char path[64];
    (void)snprintf(path, sizeof path, "%s/a.png", folder);
    tg_window *window = open_headless(320, 100);
    tg_grid *grid = NULL;
    assert_int_equal(tg_grid_open(tg_window_columns(window), tg_window_rows(window), &grid), TG_OK);
    draw_something(window, grid, "61813.00");
    assert_int_equal(tg_window_screenshot(window, path), TG_OK);
    static uint8_t first[65536];
    static uint8_t second[65536];
    const size_t first_size = file_bytes(path, first, sizeof first);
    assert_memory_equal(first, "\x89PNG\r\n\x1a\n", 8);
    /* One digit more is another picture; back again, the same bytes. */
    draw_something(window, grid, "61813.01");
    assert_int_equal(tg_window_screenshot(window, path), TG_OK);
    size_t second_size = file_bytes(path, second, sizeof second);
    assert_true(second_size != first_size || memcmp(first, second, first_size) != 0);
    draw_something(window, grid, "61813.00");
    assert_int_equal(tg_window_screenshot(window, path), TG_OK);
    second_size = file_bytes(path, second, sizeof second);
    assert_int_equal(second_size, first_size);
    assert_memory_equal(first, second, first_size);
    /* A copy stays as it was, whatever the window shows later. */
    tg_picture *picture = NULL;
    assert_int_equal(tg_picture_open(window, &picture), TG_OK);
    draw_something(window, grid, "61813.01");
    assert_int_equal(tg_picture_write(picture, path), TG_OK);
    tg_picture_close(picture);
    tg_picture_close(NULL);
    assert_int_equal(file_bytes(path, second, sizeof second), first_size);
    assert_memory_equal(first, second, first_size);
    assert_int_equal(tg_window_screenshot(window, "/nowhere/a.png"), TG_ERR_IMAGE);
    assert_int_equal(errno, ENOENT);
    tg_grid_close(grid);
    tg_window_close(window);
    assert_int_equal(unlink(path), 0);
    /* Nothing half done is left beside it. */
    assert_int_equal(rmdir(folder), 0);
}

static void the_size_in_pixels_is_what_it_was_opened_with(void **state)
{
    (void)state;
    int width = 0;
    int height = 0;
    tg_window *window = open_headless(641, 479);
    tg_window_size_px(window, &width, &height);
    assert_int_equal(width, 641);
    assert_int_equal(height, 479);
    tg_window_close(window);
}

/* The next input of that kind; others are passed over. */
static tg_input expect_input(tg_window *window, tg_input_kind kind)
{
    tg_input input;
    do {
        assert_int_equal(tg_window_wait(window, 60 * S, &input), TG_OK);
    } while (input.kind != kind);
    return input;
}

static void letters_of_another_size_fit_other_cells_into_the_window(void **state)
{
    (void)state;
    int width = 0;
    int height = 0;
    tg_window *window = open_headless(1280, 800);
    const uint16_t columns = tg_window_columns(window);
    const uint16_t rows = tg_window_rows(window);
    assert_int_equal(tg_window_font_size(window), 14);
    assert_int_equal(tg_window_set_font_size(window, 28), TG_OK);
    assert_true(tg_window_columns(window) < columns && tg_window_rows(window) < rows);
    assert_int_equal(tg_window_set_font_size(window, 5), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_window_set_font_size(window, 97), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_window_font_size(window), 28);
    assert_int_equal(tg_window_set_font_size(window, 14), TG_OK);
    assert_int_equal(tg_window_columns(window), columns);
    assert_int_equal(tg_window_rows(window), rows);
    tg_window_size_px(window, &width, &height);
    assert_int_equal(width, 1280);
    assert_int_equal(height, 800);
    tg_window_close(window);
}

/* The same window on a finer display: as many cells, give or take what pixels round, of more
 * pixels. */
static void a_scale_makes_window_and_letters_larger_and_its_size_stays(void **state)
{
    (void)state;
    static const int percents[] = {50, 100, 125, 150, 200, 400};
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        tg_window_options opt;
        tg_window_options_init(&opt);
        opt.headless = true;
        opt.width_px = 801;
        opt.height_px = 601;
        opt.scale_percent = percents[i];
        tg_window *window = NULL;
        tg_picture *picture = NULL;
        int width = 0;
        int height = 0;
        assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_OK);
        assert_int_equal(tg_window_scale_percent(window), percents[i]);
        tg_window_size_px(window, &width, &height);
        /* Half a pixel cannot be kept. */
        const int rounding = percents[i] < 100 ? 1 : 0;
        assert_in_range(width, 801, 801 + rounding);
        assert_in_range(height, 601, 601 + rounding);
        if (percents[i] >= 100) {
            assert_in_range(tg_window_columns(window), 80, 101);
        }
        assert_int_equal(tg_window_resize(window, 641, 479), TG_OK);
        (void)expect_input(window, TG_INPUT_RESIZED);
        tg_window_size_px(window, &width, &height);
        assert_in_range(width, 641, 641 + rounding);
        assert_in_range(height, 479, 479 + rounding);
        assert_int_equal(tg_picture_open(window, &picture), TG_OK);
        tg_picture_close(picture);
        tg_window_close(window);
    }
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.headless = true;
    tg_window *window = NULL;
    opt.scale_percent = 49;
    assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_ERR_INVALID_ARGUMENT);
    opt.scale_percent = 401;
    assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_ERR_INVALID_ARGUMENT);
}

/* A window of the form that another one tells shows the same, scaled or not. */
static void the_form_of_a_picture_is_what_another_window_needs_for_it(void **state)
{
    (void)state;
    static const int scales[] = {100, 150, 70};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        tg_window *windows[2] = {NULL, NULL};
        tg_picture *pictures[2] = {NULL, NULL};
        char fonts[2][TG_FONTS_TEXT_SIZE];
        tg_window_options opt;
        tg_window_options_init(&opt);
        opt.headless = true;
        opt.width_px = 601;
        opt.height_px = 333;
        opt.font_size_px = 13;
        opt.scale_percent = scales[i];
        for (size_t w = 0; w < 2; w++) {
            assert_int_equal(tg_window_open(&opt, &windows[w], NULL, 0), TG_OK);
            const tg_picture_form form = tg_window_picture_form(windows[w]);
            tg_grid *grid = NULL;
            assert_int_equal(
                tg_grid_open(tg_window_columns(windows[w]), tg_window_rows(windows[w]), &grid),
                TG_OK);
            draw_something(windows[w], grid, "61813.25 \xE2\x96\xB2");
            tg_grid_close(grid);
            assert_int_equal(tg_picture_open(windows[w], &pictures[w]), TG_OK);
            assert_int_equal(tg_window_fonts(windows[w], fonts[w], sizeof fonts[w]), TG_OK);
            assert_int_equal(tg_window_fonts(windows[w], fonts[w], TG_FONTS_TEXT_SIZE - 1),
                             TG_ERR_INVALID_ARGUMENT);
            tg_window_close(windows[w]);
            opt.width_px = form.width_px;
            opt.height_px = form.height_px;
            opt.font_size_px = form.letter_px;
            opt.scale_percent = 100;
        }
        assert_true(tg_picture_equal(pictures[0], pictures[1]));
        assert_string_equal(fonts[0], fonts[1]);
        assert_non_null(strstr(fonts[0], ".ttf "));
        assert_non_null(strstr(fonts[0], ", bold "));
        assert_non_null(strstr(fonts[0], ", fallback "));
        tg_picture_close(pictures[0]);
        tg_picture_close(pictures[1]);
    }
}

static void a_full_screen_gives_the_window_back_as_it_was(void **state)
{
    (void)state;
    int width = 0;
    int height = 0;
    tg_window *window = open_headless(641, 479);
    assert_false(tg_window_is_full_screen(window));
    assert_int_equal(tg_window_full_screen(window, true), TG_OK);
    assert_true(tg_window_is_full_screen(window));
    /* What is kept from run to run is the window, not the screen. */
    tg_window_size_px(window, &width, &height);
    assert_int_equal(width, 641);
    assert_int_equal(height, 479);
    assert_int_equal(tg_window_full_screen(window, false), TG_OK);
    assert_false(tg_window_is_full_screen(window));
    tg_window_size_px(window, &width, &height);
    assert_int_equal(width, 641);
    assert_int_equal(height, 479);
    assert_int_equal(tg_window_resize(window, 0, 5), TG_ERR_INVALID_ARGUMENT);
    tg_window_close(window);
}

/* A pass may come between the wish for another size and the event that tells of it. */
static void what_is_presented_between_two_sizes_is_no_error(void **state)
{
    (void)state;
    tg_window *window = open_headless(640, 480);
    tg_grid *grid = NULL;
    assert_int_equal(tg_grid_open(tg_window_columns(window), tg_window_rows(window), &grid), TG_OK);
    draw_something(window, grid, "before");
    tg_input input;
    while (tg_window_wait(window, 0, &input) == TG_OK) {
    }
    assert_int_equal(tg_window_resize(window, 801, 603), TG_OK);
    draw_something(window, grid, "between");
    bool told = false;
    while (tg_window_wait(window, 0, &input) == TG_OK) {
        told = told || input.kind == TG_INPUT_RESIZED;
    }
    assert_true(told);
    assert_int_equal(tg_window_columns(window), 801 / 8);
    tg_grid_close(grid);
    tg_window_close(window);
}

static void what_is_copied_can_be_pasted(void **state)
{
    (void)state;
    char text[64];
    tg_window *window = open_headless(100, 100);
    assert_int_equal(tg_window_copy(window, "61813.00\t\xE2\x80\x93"), TG_OK);
    tg_window_pasted(window, text, sizeof text);
    assert_string_equal(text, "61813.00\t\xE2\x80\x93");
    tg_window_pasted(window, text, 6);
    assert_string_equal(text, "61813");
    tg_window_close(window);
}

static void waking_is_seen_once_however_often_it_was_called(void **state)
{
    (void)state;
    tg_window *window = open_headless(100, 100);
    tg_input input;
    while (tg_window_wait(window, 0, &input) == TG_OK) {
        assert_int_not_equal(input.kind, TG_INPUT_WAKE);
    }
    for (int i = 0; i < 3; i++) {
        tg_window_wake(window);
    }
    assert_int_equal(tg_window_wait(window, 0, &input), TG_OK);
    assert_int_equal(input.kind, TG_INPUT_WAKE);
    assert_int_equal(tg_window_wait(window, 0, &input), TG_ERR_NOT_FOUND);
    assert_int_equal(tg_window_wait(window, 1, &input), TG_ERR_NOT_FOUND);
    tg_window_close(window);
}

static void *wake_often(void *ctx)
{
    for (int i = 0; i < 1000; i++) {
        tg_window_wake(ctx);
    }
    return NULL;
}

static void a_sleeping_owner_is_woken_by_another_thread(void **state)
{
    (void)state;
    tg_window *window = open_headless(100, 100);
    tg_input input;
    while (tg_window_wait(window, 0, &input) == TG_OK) {
    }
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, wake_often, window), 0);
        assert_int_equal(tg_window_wait(window, 60 * S, &input), TG_OK);
        assert_int_equal(input.kind, TG_INPUT_WAKE);
        assert_int_equal(pthread_join(thread, NULL), 0);
        while (tg_window_wait(window, 0, &input) == TG_OK) {
            assert_int_equal(input.kind, TG_INPUT_WAKE);
        }
    }
    tg_window_close(window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_explains_what_it_refuses),
        cmocka_unit_test(without_a_display_only_headless_windows_open),
        cmocka_unit_test(the_grid_fits_the_window),
        cmocka_unit_test(a_screenshot_is_a_whole_file_or_none),
        cmocka_unit_test(the_size_in_pixels_is_what_it_was_opened_with),
        cmocka_unit_test(letters_of_another_size_fit_other_cells_into_the_window),
        cmocka_unit_test(a_scale_makes_window_and_letters_larger_and_its_size_stays),
        cmocka_unit_test(the_form_of_a_picture_is_what_another_window_needs_for_it),
        cmocka_unit_test(a_full_screen_gives_the_window_back_as_it_was),
        cmocka_unit_test(what_is_presented_between_two_sizes_is_no_error),
        cmocka_unit_test(what_is_copied_can_be_pasted),
        cmocka_unit_test(waking_is_seen_once_however_often_it_was_called),
        cmocka_unit_test(a_sleeping_owner_is_woken_by_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
