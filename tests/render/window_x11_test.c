/* A real window on an X server of its own (Xvfb): the picture is also read from outside. */
#include <errno.h>
#include <tickglass/window.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/cell_grid.h>
#include <tickglass/clock.h>

#include "tg_cmocka.h"
#include "x_server.h"

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_FAILURE_STRINGS
#include <stb/stb_image.h>

#define WIDTH      640
#define HEIGHT     400
#define S          INT64_C(1000000000)
#define DEADLINE_S 30

static x_server server;

/* The picture that the program takes of itself. */
static void read_screenshot(const tg_window *window, uint32_t *pixels)
{
    char path[96];
    (void)snprintf(path, sizeof path, "%s/shot.png", server.folder);
    assert_int_equal(tg_window_screenshot(window, path), TG_OK);
    int width = 0;
    int height = 0;
    int channels = 0;
    uint8_t *rgb = stbi_load(path, &width, &height, &channels, 3);
    assert_non_null(rgb);
    assert_int_equal(width, WIDTH);
    assert_int_equal(height, HEIGHT);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        pixels[i] = (uint32_t)rgb[3 * i] << 16 | (uint32_t)rgb[3 * i + 1] << 8 | rgb[3 * i + 2];
    }
    stbi_image_free(rgb);
    assert_int_equal(unlink(path), 0);
}

static void expect_shot_width(const tg_window *window, int expected)
{
    char path[96];
    int width = 0;
    int height = 0;
    int channels = 0;
    (void)snprintf(path, sizeof path, "%s/shot.png", server.folder);
    assert_int_equal(tg_window_screenshot(window, path), TG_OK);
    assert_int_equal(stbi_info(path, &width, &height, &channels), 1);
    assert_int_equal(width, expected);
    assert_int_equal(unlink(path), 0);
}

static void redraw(tg_window *window, tg_grid *grid)
{
    assert_int_equal(tg_window_draw(window, tg_grid_damage(grid)), TG_OK);
    assert_int_equal(tg_window_present(window), TG_OK);
}

/* Answers expose events until what is on the screen is what the program believes. */
static void expect_screen_equals_screenshot(tg_window *window, tg_grid *grid)
{
    static uint32_t outside[WIDTH * HEIGHT];
    static uint32_t inside[WIDTH * HEIGHT];
    const tg_clock clock = tg_clock_system();
    const int64_t deadline_ns = tg_clock_mono_ns(&clock) + DEADLINE_S * S;
    do {
        tg_input input;
        if (tg_window_wait(window, S / 100, &input) == TG_OK &&
            (input.kind == TG_INPUT_EXPOSED || input.kind == TG_INPUT_RESIZED)) {
            tg_grid_forget(grid);
            redraw(window, grid);
        }
        read_screenshot(window, inside);
        x_server_read(&server, 0, 0, WIDTH, HEIGHT, outside);
        if (memcmp(inside, outside, sizeof inside) == 0) {
            return;
        }
    } while (tg_clock_mono_ns(&clock) < deadline_ns);
    fail_msg("the screen does not show what was drawn");
}

static void write_page(tg_grid *grid, unsigned number)
{
    const tg_style style = {0xd7dde5, 0x0e1116, 0};
    tg_grid_clear(grid, style);
    for (uint16_t row = 0; row < tg_grid_rows(grid); row++) {
        const tg_style each = {0xd7dde5 - row * 0x050301u, 0x0e1116 + row * 0x010203u, row % 4};
        char text[64];
        (void)snprintf(text, sizeof text, "\xE2\x96\xB2 %u.%02u \xE2\x96\xBC", number * (row + 1),
                       row * 7u % 100);
        tg_grid_put(grid, row, (uint16_t)(row % 5), each, text);
    }
}

static void expect_screen_to_show_what_the_program_draws(void)
{
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.width_px = WIDTH;
    opt.height_px = HEIGHT;
    tg_window *window = NULL;
    char why[256];
    if (tg_window_open(&opt, &window, why, sizeof why) != TG_OK) {
        fail_msg("%s", why);
    }
    char text[200];
    tg_window_describe(window, text, sizeof text);
    assert_non_null(strstr(text, "video driver x11"));
    tg_grid *grid = NULL;
    assert_int_equal(tg_grid_open(tg_window_columns(window), tg_window_rows(window), &grid), TG_OK);
    write_page(grid, 61813);
    redraw(window, grid);
    expect_screen_equals_screenshot(window, grid);
    /* From here on only what changes is handed over. */
    for (unsigned i = 0; i < 5; i++) {
        write_page(grid, 61814 + i * 991);
        redraw(window, grid);
        expect_screen_equals_screenshot(window, grid);
    }
    tg_grid_close(grid);
    tg_window_close(window);
}

static void the_screen_shows_what_the_program_drew(void **state)
{
    (void)state;
    expect_screen_to_show_what_the_program_draws();
}

/* As on a server of another machine: pictures go through the connection. */
static void so_it_does_on_a_server_that_reads_no_memory(void **state)
{
    (void)state;
    const x_server usual = server;
    assert_true(x_server_start_without(&server, WIDTH, HEIGHT, "MIT-SHM"));
    expect_screen_to_show_what_the_program_draws();
    x_server_stop(&server);
    server = usual;
    assert_int_equal(setenv("DISPLAY", server.display, true), 0);
}

/* A line of the server's resources, by xrdb. False: there is no xrdb. */
static bool set_resource(const char *line)
{
    char command[128];
    (void)snprintf(command, sizeof command,
                   "command -v xrdb >/dev/null && echo '%s' | xrdb -nocpp -load -", line);
    (void)fflush(NULL);
    const int status = system(command);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void expect_scale(int asked_percent, int percent, int font_size_px, int width_px)
{
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.width_px = 320;
    opt.height_px = 200;
    opt.scale_percent = asked_percent;
    tg_window *window = NULL;
    int width = 0;
    int height = 0;
    assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_OK);
    assert_int_equal(tg_window_scale_percent(window), percent);
    assert_int_equal(tg_window_font_size(window), font_size_px);
    tg_window_size_px(window, &width, &height);
    assert_int_equal(width, 320);
    assert_int_equal(height, 200);
    expect_shot_width(window, width_px);
    tg_window_close(window);
}

static void the_servers_resources_say_how_large_letters_are(void **state)
{
    (void)state;
    if (!set_resource("Xft.antialias: 1")) {
        print_message("SKIP: xrdb is not installed\n");
        skip();
    }
    expect_scale(0, 100, 14, 320);
    assert_true(set_resource("Xft.dpi: 144"));
    expect_scale(0, 150, 14, 480);
    expect_scale(200, 200, 14, 640);
    assert_true(set_resource("Xft.dpi: 192"));
    expect_scale(0, 200, 14, 640);
    assert_true(set_resource("Xft.dpi: 9600")); /* nobody means that */
    expect_scale(0, 100, 14, 320);
    assert_true(set_resource("Xft.antialias: 1"));
}

/* Somebody else's hands: keys and mouse as the server has them. False: there is no xdotool. */
static bool xdotool(const char *const *words)
{
    const char *argv[16] = {"xdotool"};
    for (size_t i = 0; words[i] != NULL && i + 2 < sizeof argv / sizeof argv[0]; i++) {
        argv[i + 1] = words[i];
    }
    const pid_t pid = fork();
    if (pid == 0) {
        (void)execvp("xdotool", (char *const *)argv);
        _exit(127);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The next input of that kind; others are passed over. */
static tg_input expect_input(tg_window *window, tg_input_kind kind)
{
    const tg_clock clock = tg_clock_system();
    const int64_t deadline_ns = tg_clock_mono_ns(&clock) + DEADLINE_S * S;
    tg_input input;
    do {
        if (tg_window_wait(window, S / 100, &input) == TG_OK && input.kind == kind) {
            return input;
        }
    } while (tg_clock_mono_ns(&clock) < deadline_ns);
    fail_msg("no input of kind %d came", (int)kind);
    return input;
}

static void keys_text_and_mouse_come_as_cells_and_utf_8(void **state)
{
    (void)state;
    static const char *const search[] = {"version", NULL};
    if (!xdotool(search)) {
        print_message("SKIP: xdotool is not installed\n");
        skip();
    }
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.width_px = WIDTH;
    opt.height_px = HEIGHT;
    opt.scale_percent = 100;
    tg_window *window = NULL;
    tg_grid *grid = NULL;
    assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_OK);
    assert_int_equal(tg_grid_open(tg_window_columns(window), tg_window_rows(window), &grid), TG_OK);
    write_page(grid, 1);
    redraw(window, grid);
    expect_screen_equals_screenshot(window, grid);
    const int cell_width = WIDTH / tg_window_columns(window);
    char x[16];
    char y[16];
    (void)snprintf(x, sizeof x, "%d", 7 * cell_width + 1);
    (void)snprintf(y, sizeof y, "%d", 1);
    const char *const click[] = {"mousemove", x, y, "click", "1", NULL};
    assert_true(xdotool(click));
    tg_input input = expect_input(window, TG_INPUT_CLICK);
    assert_int_equal(input.column, 7);
    assert_int_equal(input.row, 0);
    assert_int_equal(input.clicks, 1);
    const char *const again[] = {"click", "1", NULL};
    assert_true(xdotool(again));
    assert_int_equal(expect_input(window, TG_INPUT_CLICK).clicks, 2);
    const char *const wheel[] = {"mousemove", "639", "399", "click", "5", NULL};
    assert_true(xdotool(wheel));
    input = expect_input(window, TG_INPUT_WHEEL);
    assert_true(input.wheel_rows < 0);
    assert_int_equal(input.column, tg_window_columns(window) - 1);
    assert_int_equal(input.row, tg_window_rows(window) - 1);
    static const char *const key[] = {"key", "ctrl+shift+c", NULL};
    assert_true(xdotool(key));
    do {
        input = expect_input(window, TG_INPUT_KEY);
    } while (input.character != 'c');
    assert_true(input.ctrl && input.shift && !input.alt);
    static const char *const word[] = {"type", "b7", NULL};
    assert_true(xdotool(word));
    assert_string_equal(expect_input(window, TG_INPUT_TEXT).text, "b");
    assert_string_equal(expect_input(window, TG_INPUT_TEXT).text, "7");
    tg_grid_close(grid);
    tg_window_close(window);
}

static void *wake_once(void *ctx)
{
    tg_window_wake(ctx);
    return NULL;
}

static void another_thread_wakes_a_real_window(void **state)
{
    (void)state;
    tg_window_options opt;
    tg_window_options_init(&opt);
    tg_window *window = NULL;
    assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_OK);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, wake_once, window), 0);
        tg_input input;
        do {
            assert_int_equal(tg_window_wait(window, DEADLINE_S * S, &input), TG_OK);
        } while (input.kind != TG_INPUT_WAKE);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    tg_window_close(window);
}

int main(void)
{
    if (!x_server_start(&server, WIDTH, HEIGHT)) {
        x_server_stop(&server);
        print_message("SKIP: Xvfb is not installed\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_screen_shows_what_the_program_drew),
        cmocka_unit_test(so_it_does_on_a_server_that_reads_no_memory),
        cmocka_unit_test(keys_text_and_mouse_come_as_cells_and_utf_8),
        cmocka_unit_test(another_thread_wakes_a_real_window),
        cmocka_unit_test(the_servers_resources_say_how_large_letters_are),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    x_server_stop(&server);
    return failed;
}
