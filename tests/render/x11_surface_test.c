/* Pixels that a real X server (Xvfb) reads by itself. What is on its screen is read from outside.
 */
#include "x11_surface.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tg_cmocka.h"
#include "x_server.h"

#define SCREEN_WIDTH  320
#define SCREEN_HEIGHT 240
#define WIDTH         200
#define HEIGHT        100

static x_server server;

typedef struct scene {
    SDL_Window *window;
    tg__x11_surface *surface;
    tg__canvas canvas;
} scene;

static SDL_Window *open_window(void)
{
    assert_int_equal(SDL_InitSubSystem(SDL_INIT_VIDEO), 0);
    SDL_Window *window =
        SDL_CreateWindow("pixels", 0, 0, WIDTH, HEIGHT, SDL_WINDOW_BORDERLESS | SDL_WINDOW_SHOWN);
    assert_non_null(window);
    return window;
}

static void close_window(SDL_Window *window)
{
    SDL_DestroyWindow(window);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

static scene opened(void)
{
    scene self = {.window = open_window()};
    assert_int_equal(tg__x11_surface_open(self.window, &self.surface), TG_OK);
    assert_int_equal(tg__x11_surface_fit(self.surface, WIDTH, HEIGHT, &self.canvas), TG_OK);
    assert_int_equal(self.canvas.width, WIDTH);
    assert_int_equal(self.canvas.height, HEIGHT);
    return self;
}

static void closed(scene *self)
{
    tg__x11_surface_close(self->surface);
    close_window(self->window);
}

static void paint_and_present(const scene *self, tg__rect rect, uint32_t rgb)
{
    tg__canvas canvas = self->canvas;
    assert_int_equal(tg__x11_surface_await(self->surface), TG_OK);
    tg__canvas_fill(&canvas, rect, rgb);
    assert_int_equal(tg__x11_surface_present(self->surface, &rect, 1), TG_OK);
}

static uint32_t pixel_on_screen(int x, int y)
{
    uint32_t pixel = 0;
    x_server_read(&server, x, y, 1, 1, &pixel);
    return pixel;
}

static const tg__rect whole = {0, 0, WIDTH, HEIGHT};

/* Whoever has waited sees it on the screen, and nothing that was not handed over. */
static void what_was_presented_is_on_the_screen_when_it_has_been_read(void **state)
{
    (void)state;
    scene self = opened();
    paint_and_present(&self, whole, 0x102030);
    assert_int_equal(tg__x11_surface_await(self.surface), TG_OK);
    assert_int_equal(pixel_on_screen(0, 0), 0x102030);
    assert_int_equal(pixel_on_screen(WIDTH - 1, HEIGHT - 1), 0x102030);
    tg__canvas_fill(&self.canvas, whole, 0x405060);
    static const tg__rect parts[] = {{10, 20, 30, 40}, {100, 50, 1, 1}, {150, 99, 50, 1}};
    assert_int_equal(tg__x11_surface_present(self.surface, parts, 3), TG_OK);
    assert_int_equal(tg__x11_surface_await(self.surface), TG_OK);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            bool handed_over = false;
            for (size_t i = 0; i < 3; i++) {
                handed_over = handed_over || (x >= parts[i].x && x < parts[i].x + parts[i].width &&
                                              y >= parts[i].y && y < parts[i].y + parts[i].height);
            }
            assert_int_equal(pixel_on_screen(x, y), handed_over ? 0x405060 : 0x102030);
        }
    }
    closed(&self);
}

static atomic_bool goes_on;

static void *let_it_go_on(void *ctx)
{
    (void)ctx;
    atomic_store(&goes_on, true);
    assert_int_equal(kill(server.pid, SIGCONT), 0);
    return NULL;
}

static void present_to_a_server_that_stands_still(const scene *self, tg__rect rect, uint32_t rgb)
{
    pthread_t thread;
    atomic_store(&goes_on, false);
    assert_int_equal(kill(server.pid, SIGSTOP), 0);
    paint_and_present(self, rect, rgb);
    assert_int_equal(pthread_create(&thread, NULL, let_it_go_on, NULL), 0);
    assert_int_equal(tg__x11_surface_await(self->surface), TG_OK);
    assert_true(atomic_load(&goes_on));
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* Who presents does not wait for a server that does nothing; who paints again does. */
static void a_server_that_stands_still_holds_up_the_next_picture_and_not_this_one(void **state)
{
    (void)state;
    scene self = opened();
    paint_and_present(&self, whole, 0x111111);
    assert_int_equal(tg__x11_surface_await(self.surface), TG_OK);
    present_to_a_server_that_stands_still(&self, whole, 0x222222);
    assert_int_equal(pixel_on_screen(WIDTH / 2, HEIGHT / 2), 0x222222);
    closed(&self);
}

static void another_size_has_pixels_of_its_own(void **state)
{
    (void)state;
    scene self = opened();
    paint_and_present(&self, whole, 0x333333);
    tg__canvas same;
    assert_int_equal(tg__x11_surface_fit(self.surface, WIDTH, HEIGHT, &same), TG_OK);
    assert_ptr_equal(same.pixels, self.canvas.pixels);
    SDL_SetWindowSize(self.window, WIDTH + 50, HEIGHT + 60);
    /* What was presented before is not waited for, and that it was read says nothing of these. */
    assert_int_equal(tg__x11_surface_fit(self.surface, WIDTH + 50, HEIGHT + 60, &self.canvas),
                     TG_OK);
    assert_int_equal(self.canvas.stride, WIDTH + 50);
    present_to_a_server_that_stands_still(&self, (tg__rect){0, 0, WIDTH + 50, HEIGHT + 60},
                                          0x444444);
    assert_int_equal(pixel_on_screen(WIDTH + 49, HEIGHT + 59), 0x444444);
    tg__canvas none;
    assert_int_equal(tg__x11_surface_fit(self.surface, 0, HEIGHT, &none), TG_ERR_INVALID_ARGUMENT);
    closed(&self);
}

/* Its window may go before the picture: nobody waits for ever, and nobody dies of it. */
static void a_window_that_is_gone_ends_the_wait(void **state)
{
    (void)state;
    scene self = opened();
    paint_and_present(&self, whole, 0x555555);
    assert_int_equal(tg__x11_surface_await(self.surface), TG_OK);
    close_window(self.window);
    static const tg__rect parts[] = {{0, 0, 10, 10}, {20, 20, 10, 10}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tg__x11_surface_present(self.surface, parts, 2), TG_OK);
        assert_int_equal(tg__x11_surface_await(self.surface), TG_OK);
    }
    tg__x11_surface_close(self.surface);
}

static void expect_refusal(void)
{
    tg__x11_surface *surface = NULL;
    SDL_Window *window = open_window();
    assert_int_equal(tg__x11_surface_open(window, &surface), TG_ERR_NOT_FOUND);
    assert_null(surface);
    tg__x11_surface_close(surface);
    close_window(window);
}

static void other_drivers_are_left_to_sdl(void **state)
{
    (void)state;
    SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, "dummy", SDL_HINT_OVERRIDE);
    expect_refusal();
    SDL_ResetHint(SDL_HINT_VIDEODRIVER);
}

static void a_server_that_reads_no_memory_is_left_to_sdl(void **state)
{
    (void)state;
    x_server poor = {0};
    assert_true(x_server_start_without(&poor, SCREEN_WIDTH, SCREEN_HEIGHT, "MIT-SHM"));
    expect_refusal();
    x_server_stop(&poor);
    assert_int_equal(setenv("DISPLAY", server.display, true), 0);
}

/* Xlib ends a process whose server is gone: here that is one of its own. */
static void a_server_that_is_gone_is_told(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        scene self = opened();
        const tg__rect rect = whole;
        bool told = false;
        (void)kill(server.pid, SIGKILL);
        for (int i = 0; i < 1000 && !told; i++) {
            told = tg__x11_surface_present(self.surface, &rect, 1) == TG_ERR_WINDOW ||
                   tg__x11_surface_await(self.surface) == TG_ERR_WINDOW;
        }
        told = told && tg__x11_surface_await(self.surface) == TG_ERR_WINDOW;
        tg__x11_surface_close(self.surface);
        _exit(told ? 0 : 1);
    }
    int status = 0;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const bool running = x_server_start(&server, SCREEN_WIDTH, SCREEN_HEIGHT);
    if (!running) {
        x_server_stop(&server);
        (void)fprintf(stderr, "skipped: no Xvfb here\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_presented_is_on_the_screen_when_it_has_been_read),
        cmocka_unit_test(a_server_that_stands_still_holds_up_the_next_picture_and_not_this_one),
        cmocka_unit_test(another_size_has_pixels_of_its_own),
        cmocka_unit_test(a_window_that_is_gone_ends_the_wait),
        cmocka_unit_test(other_drivers_are_left_to_sdl),
        cmocka_unit_test(a_server_that_reads_no_memory_is_left_to_sdl),
        cmocka_unit_test(a_server_that_is_gone_is_told), /* the last: it takes the server along */
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    x_server_stop(&server);
    return failed;
}
