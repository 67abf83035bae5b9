/* The same draw lists through every driver that there is: the picture must be the same file. */
#include <tickglass/window.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/cell_grid.h>

#include "tg_cmocka.h"

#include "random_page.h"
#include "x_server.h"

#define WIDTH      403
#define HEIGHT     307
#define STEPS      40
#define ZOOM_STEPS 7
#define FILE_MAX   1000000

typedef struct way {
    const char *video; /* SDL_VIDEODRIVER */
    bool headless;
    tg_backend backend;
    const char *renderer; /* SDL_RENDER_DRIVER */
} way;

typedef struct png_file {
    uint8_t bytes[FILE_MAX];
    size_t size;
} png_file;

static void read_file(const char *path, png_file *into)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    into->size = fread(into->bytes, 1, sizeof into->bytes, file);
    assert_in_range(into->size, 1000, FILE_MAX - 1);
    (void)fclose(file);
}

static tg_window *open_way(const way *by, int scale_percent)
{
    (void)setenv("SDL_VIDEODRIVER", by->video, 1);
    (void)setenv("SDL_RENDER_DRIVER", by->renderer, 1);
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.width_px = WIDTH;
    opt.height_px = HEIGHT;
    opt.headless = by->headless;
    opt.backend = by->backend;
    opt.scale_percent = scale_percent;
    tg_window *window = NULL;
    char why[256];
    if (tg_window_open(&opt, &window, why, sizeof why) != TG_OK) {
        print_message("%s %s: %s\n", by->video, by->renderer, why);
        return NULL;
    }
    char text[200];
    tg_window_describe(window, text, sizeof text);
    print_message("%s\n", text);
    assert_non_null(strstr(text, by->video));
    assert_true(by->backend == TG_BACKEND_SURFACE || strstr(text, "renderer ") != NULL);
    return window;
}

/* Letters of another size, some with cells of the same size: everything is to be drawn anew. */
static void zoom(tg_window *window, tg_grid *grid, int step)
{
    static const int sizes_px[] = {15, 9, 22, 14, 13};
    const int size_px = sizes_px[step % (int)(sizeof sizes_px / sizeof sizes_px[0])];
    assert_int_equal(tg_window_set_font_size(window, size_px), TG_OK);
    assert_int_equal(tg_grid_resize(grid, tg_window_columns(window), tg_window_rows(window)),
                     TG_OK);
}

static void take_picture(const way *by, int scale_percent, png_file *into)
{
    tg_window *window = open_way(by, scale_percent);
    assert_non_null(window);
    tg_grid *grid = NULL;
    assert_int_equal(tg_grid_open(tg_window_columns(window), tg_window_rows(window), &grid), TG_OK);
    const tg_palette *palette = NULL;
    assert_int_equal(tg_palette_find(NULL, &palette), TG_OK);
    random_page_seed();
    for (int i = 0; i < STEPS; i++) {
        if (i % ZOOM_STEPS == ZOOM_STEPS - 1) {
            zoom(window, grid, i / ZOOM_STEPS);
        }
        /* Two lists before each hand-off. */
        for (int k = 0; k < 2; k++) {
            random_page_change(grid, &palette);
            assert_int_equal(tg_window_draw(window, tg_grid_damage(grid)), TG_OK);
        }
        assert_int_equal(tg_window_present(window), TG_OK);
        tg_input input;
        while (tg_window_wait(window, 0, &input) == TG_OK) {
            assert_int_equal(tg_window_columns(window), tg_grid_columns(grid));
        }
    }
    static const char path[] = "picture_drivers_test.png";
    assert_int_equal(tg_window_screenshot(window, path), TG_OK);
    read_file(path, into);
    assert_int_equal(unlink(path), 0);
    tg_grid_close(grid);
    tg_window_close(window);
}

static void expect_equal_pictures(const way *ways, size_t count)
{
    static const way reference = {"dummy", true, TG_BACKEND_SURFACE, ""};
    static png_file expected;
    static png_file got;
    static const int scales_percent[] = {100, 150};
    for (size_t s = 0; s < sizeof scales_percent / sizeof scales_percent[0]; s++) {
        take_picture(&reference, scales_percent[s], &expected);
        for (size_t i = 0; i < count; i++) {
            take_picture(&ways[i], scales_percent[s], &got);
            assert_int_equal(got.size, expected.size);
            assert_memory_equal(got.bytes, expected.bytes, expected.size);
        }
    }
}

static void without_a_display_every_driver_draws_the_same(void **state)
{
    (void)state;
    static const way ways[] = {
        {"dummy", true, TG_BACKEND_GPU, "software"},
        {"offscreen", true, TG_BACKEND_SURFACE, ""},
        {"offscreen", true, TG_BACKEND_GPU, "software"},
    };
    expect_equal_pictures(ways, sizeof ways / sizeof ways[0]);
}

static x_server server;

static void on_x11_every_driver_draws_the_same(void **state)
{
    (void)state;
    static const way ways[] = {
        {"x11", false, TG_BACKEND_SURFACE, ""},
        {"x11", false, TG_BACKEND_GPU, "software"},
    };
    expect_equal_pictures(ways, sizeof ways / sizeof ways[0]);
}

static const way opengl = {"x11", false, TG_BACKEND_GPU, "opengl"};

static void opengl_draws_the_same(void **state)
{
    (void)state;
    expect_equal_pictures(&opengl, 1);
}

static bool has_opengl(void)
{
    tg_window *window = open_way(&opengl, 100);
    tg_window_close(window);
    return window != NULL;
}

/* With "opengl": on the drivers of Mesa, whose memory is not ours to judge. */
int main(int argc, char *argv[])
{
    static const struct CMUnitTest blind_tests[] = {
        cmocka_unit_test(without_a_display_every_driver_draws_the_same),
    };
    static const struct CMUnitTest x11_tests[] = {
        cmocka_unit_test(on_x11_every_driver_draws_the_same),
    };
    static const struct CMUnitTest opengl_tests[] = {
        cmocka_unit_test(opengl_draws_the_same),
    };
    const bool only_opengl = argc == 2 && strcmp(argv[1], "opengl") == 0;
    int result = only_opengl ? 0 : cmocka_run_group_tests(blind_tests, NULL, NULL);
    if (!x_server_start(&server, 640, 480)) {
        print_message("SKIP: Xvfb is not installed\n");
        result = only_opengl ? 77 : result;
    } else if (!only_opengl) {
        result += cmocka_run_group_tests(x11_tests, NULL, NULL);
    } else if (has_opengl()) {
        result = cmocka_run_group_tests(opengl_tests, NULL, NULL);
    } else {
        print_message("SKIP: no OpenGL on this Xvfb\n");
        result = 77;
    }
    x_server_stop(&server);
    return result;
}
