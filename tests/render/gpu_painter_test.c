/* The backend for GPUs against the reference: the same draw lists must give the same bytes. */
#include "gpu_painter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/cell_grid.h>

#include "tg_cmocka.h"

#include "random_page.h"
#include "x_server.h"

#define COLUMNS_MAX 40
#define ROWS_MAX    12
#define TILES_MAX   4096

typedef struct backends {
    SDL_Window *window;
    tg__font *font;
    tg__painter *reference;
    tg__painter *tiles; /* the GPU's */
    tg__gpu_painter *gpu;
    tg_grid *grid;
    tg__canvas expected;
    tg__canvas got;
} backends;

static void size_canvas(tg__canvas *canvas, int width, int height)
{
    free(canvas->pixels);
    *canvas = (tg__canvas){calloc((size_t)width * (size_t)height, sizeof(uint32_t)), width, height,
                           (size_t)width};
    assert_non_null(canvas->pixels);
}

static void open_painters(backends *b, int font_size_px)
{
    const tg__font_options options = {TG_TEST_FONT, TG_TEST_BOLD_FONT, NULL, font_size_px};
    assert_int_equal(tg__font_open(&options, &b->font, NULL, 0), TG_OK);
    assert_int_equal(tg__painter_open(b->font, &b->reference), TG_OK);
    assert_int_equal(tg__painter_open(b->font, &b->tiles), TG_OK);
}

static void close_painters(backends *b)
{
    tg__painter_close(b->reference);
    tg__painter_close(b->tiles);
    tg__font_close(b->font);
}

/* Odd sizes: margins at the right and below. */
static void fit(backends *b, int columns, int rows)
{
    const int width = columns * tg__font_cell_width(b->font) + 3;
    const int height = rows * tg__font_cell_height(b->font) + 5;
    SDL_SetWindowSize(b->window, width, height);
    SDL_PumpEvents();
    int gpu_width = 0;
    int gpu_height = 0;
    assert_int_equal(tg__gpu_painter_fit(b->gpu, &gpu_width, &gpu_height), TG_OK);
    assert_int_equal(gpu_width, width);
    assert_int_equal(gpu_height, height);
    size_canvas(&b->expected, width, height);
    size_canvas(&b->got, width, height);
    assert_int_equal(tg_grid_resize(b->grid, (uint16_t)columns, (uint16_t)rows), TG_OK);
}

static void open_backends(backends *b)
{
    memset(b, 0, sizeof *b);
    assert_int_equal(SDL_InitSubSystem(SDL_INIT_VIDEO), 0);
    b->window = SDL_CreateWindow("test", 0, 0, 300, 200, 0);
    assert_non_null(b->window);
    open_painters(b, 14);
    assert_int_equal(tg__gpu_painter_open(b->window, &b->gpu), TG_OK);
    assert_int_equal(tg_grid_open(COLUMNS_MAX, ROWS_MAX, &b->grid), TG_OK);
    fit(b, COLUMNS_MAX, ROWS_MAX);
}

static void close_backends(backends *b)
{
    tg_grid_close(b->grid);
    tg__gpu_painter_close(b->gpu);
    close_painters(b);
    free(b->expected.pixels);
    free(b->got.pixels);
    SDL_DestroyWindow(b->window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

static void draw_both(backends *b)
{
    const tg_draw_list *list = tg_grid_damage(b->grid);
    tg__painter_draw(b->reference, list, &b->expected);
    assert_int_equal(tg__gpu_painter_draw(b->gpu, b->tiles, list), TG_OK);
    assert_int_equal(tg__gpu_painter_present(b->gpu), TG_OK);
    assert_int_equal(tg__gpu_painter_read(b->gpu, &b->got), TG_OK);
    const size_t count = (size_t)b->got.width * (size_t)b->got.height;
    for (size_t i = 0; i < count; i++) {
        if (b->got.pixels[i] != b->expected.pixels[i]) {
            fail_msg("pixel %zu, %zu is %08x, not %08x", i % (size_t)b->got.width,
                     i / (size_t)b->got.width, b->got.pixels[i], b->expected.pixels[i]);
        }
    }
}

static void random_changes_look_as_the_reference_has_them(void **state)
{
    (void)state;
    random_page_seed();
    backends b;
    open_backends(&b);
    print_message("renderer %s\n", tg__gpu_painter_driver(b.gpu));
    const tg_palette *palette = NULL;
    assert_int_equal(tg_palette_find(NULL, &palette), TG_OK);
    for (int step = 0; step < 150; step++) {
        if (random_page_below(25) == 0) {
            fit(&b, 1 + (int)random_page_below(COLUMNS_MAX), 1 + (int)random_page_below(ROWS_MAX));
        }
        if (random_page_below(30) == 0) { /* the device was reset */
            tg__gpu_painter_forget(b.gpu);
            fit(&b, COLUMNS_MAX, ROWS_MAX);
        }
        random_page_change(b.grid, &palette);
        draw_both(&b);
    }
    close_backends(&b);
}

static void put_colored_cell(tg_grid *grid, uint16_t row, uint16_t column, uint32_t number)
{
    const char text[2] = {(char)('0' + number % 10), '\0'};
    const tg_style style = {number * 977 % 0xffffff, number * 131 % 0xffffff, 0};
    tg_grid_put(grid, row, column, style, text);
}

/* More colours than the atlas has places for. The first rows show tiles of the middle of the page
 * before, which then give way to others of the same list. */
static void tiles_that_give_way_are_drawn_before_they_do(void **state)
{
    (void)state;
    enum {
        COLUMNS = 120,
        ROWS = 40,
        KEPT_ROWS = 3,
        CELLS = COLUMNS * ROWS
    };
    backends b;
    open_backends(&b);
    fit(&b, COLUMNS, ROWS);
    assert_true(CELLS > TILES_MAX);
    for (uint32_t pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < CELLS; i++) {
            const bool kept = pass > 0 && i < KEPT_ROWS * COLUMNS;
            const uint32_t number = kept ? (pass - 1) * CELLS + CELLS / 2 + i : pass * CELLS + i;
            put_colored_cell(b.grid, (uint16_t)(i / COLUMNS), (uint16_t)(i % COLUMNS), number);
        }
        tg_grid_forget(b.grid);
        draw_both(&b);
    }
    close_backends(&b);
}

static void another_font_makes_another_atlas(void **state)
{
    (void)state;
    backends b;
    open_backends(&b);
    static const int sizes_px[] = {14, 9, 31, 96, 14};
    for (size_t i = 0; i < sizeof sizes_px / sizeof sizes_px[0]; i++) {
        close_painters(&b);
        open_painters(&b, sizes_px[i]);
        fit(&b, 10, 3);
        const tg_style style = {0xd7dde5, 0x0e1116, TG_CELL_UNDERLINE};
        tg_grid_put(b.grid, 1, 1, style, "61813.00");
        draw_both(&b);
    }
    close_backends(&b);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_changes_look_as_the_reference_has_them),
    cmocka_unit_test(tiles_that_give_way_are_drawn_before_they_do),
    cmocka_unit_test(another_font_makes_another_atlas),
};

static int run_with(const char *video, const char *renderer)
{
    (void)setenv("SDL_VIDEODRIVER", video, 1);
    (void)setenv("SDL_RENDER_DRIVER", renderer, 1);
    return cmocka_run_group_tests_name(renderer, tests, NULL, NULL);
}

static bool has_renderer(const char *name)
{
    bool found = false;
    for (int i = 0; i < SDL_GetNumRenderDrivers(); i++) {
        SDL_RendererInfo info;
        found = found || (SDL_GetRenderDriverInfo(i, &info) == 0 && strcmp(info.name, name) == 0);
    }
    return found;
}

/* Whether the X server gives windows to that driver. */
static bool renderer_works(const char *name)
{
    (void)setenv("SDL_RENDER_DRIVER", name, 1);
    bool works = false;
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) == 0) {
        SDL_Window *window = SDL_CreateWindow("test", 0, 0, 64, 64, 0);
        SDL_Renderer *renderer = window != NULL ? SDL_CreateRenderer(window, -1, 0) : NULL;
        SDL_RendererInfo info = {0};
        works = renderer != NULL && SDL_GetRendererInfo(renderer, &info) == 0 &&
                strcmp(info.name, name) == 0;
        if (renderer != NULL) {
            SDL_DestroyRenderer(renderer);
        }
        if (window != NULL) {
            SDL_DestroyWindow(window);
        }
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
    }
    return works;
}

/* With "opengl": on the drivers of Mesa, whose memory is not ours to judge. */
int main(int argc, char *argv[])
{
    static const char *const names[] = {"opengl", "opengles2"};
    const bool opengl = argc == 2 && strcmp(argv[1], "opengl") == 0;
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    int failed = opengl ? 0 : run_with("dummy", "software");
    int skipped = 0;
    x_server server;
    if (!x_server_start(&server, 1024, 800)) {
        print_message("SKIP: Xvfb is not installed\n");
        skipped = 2;
    } else if (!opengl) {
        failed += run_with("x11", "software");
    } else {
        for (size_t i = 0; i < 2; i++) {
            if (has_renderer(names[i]) && renderer_works(names[i])) {
                failed += run_with("x11", names[i]);
            } else {
                print_message("SKIP: no renderer %s on Xvfb\n", names[i]);
                skipped++;
            }
        }
    }
    x_server_stop(&server);
    return failed == 0 && opengl && skipped == 2 ? 77 : failed;
}
