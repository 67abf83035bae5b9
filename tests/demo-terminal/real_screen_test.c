/* The whole screen, screens of other scales, machines of other settings, and what a row that gets
 * old looks like there. */
#include "desktop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the letters that are opened unless others are asked for. */
#define CELL_HEIGHT 19
#define COLOUR_BAD  0xf0766du

/* ---- full screen and back -------------------------------------------------------------------- */

/* By each of its keys, into it and out again. */
static void fill_and_come_back(desktop *d, const char *renderer, int width, int height)
{
    static const char *const names[] = {"F11", "alt+Return"};
    desktop_play_quiet(d);
    const char *const more[] = {"--renderer", renderer, NULL};
    desktop_start_terminal(d, more);
    desktop_expect_picture(d, WIDTH, HEIGHT);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        desktop_expect_key(names[i], 5000);
        desktop_expect_picture(d, width, height);
        /* What is drawn there is drawn for that size. */
        desktop_expect_key("F1", 5000);
        desktop_expect_picture(d, width, height);
        desktop_expect_key("F1", 5000);
        desktop_expect_key(names[1 - i], 5000);
        desktop_expect_picture(d, WIDTH, HEIGHT);
    }
    desktop_close(d);
}

static void fill_with_a_manager(const char *renderer)
{
    desktop_need("openbox");
    desktop d = {0};
    desktop_start_manager(&d);
    fill_and_come_back(&d, renderer, SCREEN_WIDTH, SCREEN_HEIGHT);
}

static void with_a_manager_it_fills_the_screen_and_comes_back(void **state)
{
    (void)state;
    fill_with_a_manager("surface");
}

static void through_the_gpu_it_fills_the_screen_and_comes_back(void **state)
{
    (void)state;
    fill_with_a_manager("gpu");
}

static void on_wayland_it_fills_the_screen_and_comes_back(void **state)
{
    (void)state;
    desktop d = {0};
    desktop_need("weston");
    assert_true(desktop_start_compositor(&d, "desktop-shell.so", 1));
    fill_and_come_back(&d, "surface", COMPOSITOR_WIDTH, COMPOSITOR_HEIGHT);
}

/* ---- a row that is not current any more ------------------------------------------------------ */

/* Pixels of a colour. */
static size_t count_colour(const picture *own, uint32_t colour)
{
    size_t count = 0;
    for (size_t i = 0; i < (size_t)own->width * (size_t)own->height; i++) {
        count += own->pixels[i] == colour ? 1 : 0;
    }
    return count;
}

/* The picture that the script takes, once it is there. */
static picture await_picture(const desktop *d, const char *name)
{
    char path[64];
    picture own = {0};
    (void)snprintf(path, sizeof path, "%s/%s", d->folder, name);
    const int64_t until_ns = desktop_deadline();
    while (!picture_read(path, &own)) {
        if (waitpid(d->terminal, NULL, WNOHANG) != 0 || desktop_passed(until_ns)) {
            fail_msg("the script did not come to %s", name);
        }
    }
    return own;
}

/* The lowest line of cells of that picture stands on the screen; how much of it is in the colour of
 * what is bad. */
static size_t bad_in_last_line_on_screen(const desktop *d, const char *name)
{
    static uint32_t screen[SCREEN_PIXELS];
    const picture own = await_picture(d, name);
    const int first = (own.height / CELL_HEIGHT - 1) * CELL_HEIGHT;
    const picture line = {own.pixels + (size_t)first * (size_t)own.width, own.width, CELL_HEIGHT};
    const int64_t until_ns = desktop_deadline();
    do {
        assert_false(desktop_passed(until_ns));
        x_server_read(&server, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, screen);
    } while (!picture_stands_on(&line, screen));
    const size_t count = count_colour(&line, COLOUR_BAD);
    free(own.pixels);
    return count;
}

/*
 * One of two venues stops while the session goes on. The script reads the draw list, the screen is
 * looked at from outside: the alert stands in the last line, in the colour of what is bad, until
 * somebody confirms it; the rows of the other venue stay as they are.
 */
static void stop_a_venue(desktop *d)
{
    static const char rows[] = "1700000000000000000,DEAD,ONE,bid,100.00,1,1\n"
                               "1700000000000000000,DEAD,ONE,ask,100.01,1,1\n"
                               "1700000000000000000,DEAD,TWO,bid,-37.63,1,1\n"
                               "1700000000000000000,WELL,ONE,bid,5.25,1,1\n"
                               "1700000000000000000,WELL,ONE,ask,5.50,1,1\n";
    static const char stops[] = "3000 freeze-venue DEAD\n";
    static const char steps[] = "wait rows 3\n"
                                "wait no-text STALE\n"
                                "screenshot current.shot\n"
                                "wait text DEAD:ONE is STALE, and 1 more are not current\n"
                                "wait text LIVE\n"
                                "check\n"
                                "screenshot stale.shot\n"
                                "wait no-text more are not current\n"
                                "wait text STALE\n"
                                "screenshot confirmed.shot\n";
    const text_file faults = text_file_write(stops, sizeof stops - 1);
    const text_file script = text_file_write(steps, sizeof steps - 1);
    char beside[80];
    (void)snprintf(beside, sizeof beside, "../%s", script.path);
    desktop_play(d, rows, faults.path);
    const char *const more[] = {"--script", beside, NULL};
    desktop_start_terminal(d, more);
    picture current = await_picture(d, "current.shot");
    assert_int_equal(count_colour(&current, COLOUR_BAD), 0);
    free(current.pixels);
    assert_true(bad_in_last_line_on_screen(d, "stale.shot") > 100);
    desktop_do("key Escape");
    assert_int_equal(bad_in_last_line_on_screen(d, "confirmed.shot"), 0);
    desktop_close(d);
    text_file_remove(&faults);
    text_file_remove(&script);
}

static void with_a_manager_a_venue_that_stops_is_told(void **state)
{
    (void)state;
    desktop_need("openbox");
    desktop d = {0};
    desktop_start_manager(&d);
    stop_a_venue(&d);
}

static void on_wayland_a_venue_that_stops_is_told(void **state)
{
    (void)state;
    desktop d = {0};
    desktop_need("weston");
    assert_true(desktop_start_compositor(&d, "kiosk-shell.so", 1));
    stop_a_venue(&d);
}

/* ---- whatever the machine is set to ---------------------------------------------------------- */

/* Two pixels for each unit of the display: letters have them, too. */
static void where_a_unit_has_two_pixels_letters_have_them(void **state)
{
    (void)state;
    desktop d = {0};
    desktop_need("weston");
    assert_true(desktop_start_compositor(&d, "kiosk-shell.so", 2));
    desktop_play_quiet(&d);
    const char *const more[] = {"--record", RECORD, NULL};
    desktop_start_terminal(&d, more);
    desktop_expect_picture(&d, COMPOSITOR_WIDTH, COMPOSITOR_HEIGHT);
    desktop_await_records(&d, 0, 1, "scale 200 ");
    desktop_close(&d);
}

/* X11 has no units: what its resources say makes the window and its letters larger. */
static void where_the_resources_say_so_letters_are_larger(void **state)
{
    (void)state;
    desktop d = {0};
    char said[64];
    desktop_need("xrdb");
    assert_true(desktop_ask(said, sizeof said, "echo Xft.dpi: 120 | xrdb -nocpp -merge - 2>&1"));
    desktop_play_quiet(&d);
    const char *const more[] = {"--record", RECORD, NULL};
    desktop_start_terminal(&d, more);
    desktop_expect_picture(&d, WIDTH * 120 / 96, HEIGHT * 120 / 96);
    desktop_await_records(&d, 0, 1, "scale 125 ");
    desktop_close(&d);
}

/* In the folder of the X server. */
static bool make_comma_locale(void)
{
    char said[8];
    return desktop_ask(said, sizeof said,
                       "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", server.folder);
}

static void remove_comma_locale(void)
{
    char said[8];
    assert_true(desktop_ask(said, sizeof said, "rm -r %s/de_DE.UTF-8", server.folder));
}

static void expect_in(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" lacks \"%s\"", text, part);
    }
}

/* What SDL loads may set the locale of the process: a decimal comma is nowhere to be seen. */
static void with_decimal_commas_and_in_another_zone_the_same_is_shown(void **state)
{
    (void)state;
    static const char rows[] = "1700000000000000000,TEST,BIG,bid,9999999997,1.25,1\n"
                               "1700000000000000000,TEST,SMALL,bid,0.00000000001,1,1\n"
                               "1700000000000000000,TEST,BELOW,bid,-37.63,1,1\n"
                               "1700000000000000000,TEST,USUAL,trade,61813.25,1,1\n";
    static const char steps[] = "wait rows 4\n"
                                "wait text 9999999997\n"
                                "wait text 0.00000000001\n"
                                "wait text -37.63\n"
                                "wait text 61813.25\n"
                                "wait text UTC\n"
                                "key Ctrl-e\n"
                                "wait text .csv\n"
                                "screenshot exported.shot\n";
    desktop d = {0};
    char text[2048];
    if (!make_comma_locale()) {
        print_message("SKIP: no locale with decimal commas can be made here\n");
        skip();
    }
    const text_file script = text_file_write(steps, sizeof steps - 1);
    char beside[80];
    (void)snprintf(beside, sizeof beside, "../%s", script.path);
    desktop_play(&d, rows, NULL);
    (void)setenv("LOCPATH", server.folder, 1);
    (void)setenv("LC_ALL", "de_DE.UTF-8", 1);
    (void)setenv("TZ", "Australia/Lord_Howe", 1);
    const char *const more[] = {"--script", beside, NULL};
    desktop_start_terminal(&d, more);
    (void)unsetenv("LOCPATH");
    (void)unsetenv("LC_ALL");
    (void)unsetenv("TZ");
    const picture own = await_picture(&d, "exported.shot");
    free(own.pixels);
    assert_true(desktop_ask(text, sizeof text, "cat %s/tickglass-watchlist-*.csv", d.folder));
    expect_in(text, "\nTEST,BIG,1.25,9999999997,,,,");
    expect_in(text, "\nTEST,SMALL,1,0.00000000001,,,,");
    expect_in(text, "\nTEST,BELOW,1,-37.63,,,,");
    expect_in(text, "\nTEST,USUAL,,,,,61813.25,");
    expect_in(text, " UTC\n");
    desktop_close(&d);
    text_file_remove(&script);
    remove_comma_locale();
}

#define ON_DESKTOP(test) cmocka_unit_test_setup_teardown(test, desktop_open, desktop_end)

int main(void)
{
    if (!desktop_begin()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        ON_DESKTOP(with_a_manager_it_fills_the_screen_and_comes_back),
        ON_DESKTOP(through_the_gpu_it_fills_the_screen_and_comes_back),
        ON_DESKTOP(on_wayland_it_fills_the_screen_and_comes_back),
        ON_DESKTOP(with_a_manager_a_venue_that_stops_is_told),
        ON_DESKTOP(on_wayland_a_venue_that_stops_is_told),
        ON_DESKTOP(where_a_unit_has_two_pixels_letters_have_them),
        ON_DESKTOP(where_the_resources_say_so_letters_are_larger),
        ON_DESKTOP(with_decimal_commas_and_in_another_zone_the_same_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
