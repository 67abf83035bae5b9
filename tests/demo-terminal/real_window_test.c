/* The window, with a window manager, without one and on Wayland: typed at, pulled at, hidden. */
#include "desktop.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

static const char *const nothing_more[] = {NULL};

/* ---- what is shown --------------------------------------------------------------------------- */

static void type_click_pull(bool managed, const char *renderer)
{
    desktop d = {0};
    desktop_play_quiet(&d);
    if (managed) {
        desktop_start_manager(&d);
    }
    const char *const more[] = {"--renderer", renderer, NULL};
    desktop_start_terminal(&d, more);
    desktop_expect_picture(&d, WIDTH, HEIGHT);
    desktop_expect_key("F1", 5000);
    desktop_expect_picture(&d, WIDTH, HEIGHT);
    desktop_expect_key("Escape", 5000); /* F1 would show the help's next page */
    desktop_expect_key("Down", 500);
    desktop_pull(&d, "mousemove --window", "200 70 click 1");
    desktop_expect_picture(&d, WIDTH, HEIGHT);
    desktop_pull(&d, "windowsize --sync", "801 503");
    desktop_expect_picture(&d, 801, 503);
    desktop_pull(&d, managed ? "windowminimize --sync" : "windowunmap --sync", "");
    desktop_pull(&d, managed ? "windowactivate --sync" : "windowmap --sync", "");
    desktop_pull(&d, "windowfocus --sync", "");
    desktop_expect_picture(&d, 801, 503);
    desktop_close(&d);
}

static void without_a_manager_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    type_click_pull(false, "surface");
}

static void with_a_manager_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    desktop_need("openbox");
    type_click_pull(true, "surface");
}

static void through_the_gpu_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    desktop_need("openbox");
    type_click_pull(true, "gpu");
}

static void on_wayland_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    desktop d = {0};
    desktop_need("weston");
    assert_true(desktop_start_compositor(&d, "kiosk-shell.so", 1));
    desktop_play_quiet(&d);
    desktop_start_terminal(&d, nothing_more);
    desktop_expect_picture(&d, COMPOSITOR_WIDTH, COMPOSITOR_HEIGHT);
    desktop_expect_key("F1", 5000);
    desktop_expect_picture(&d, COMPOSITOR_WIDTH, COMPOSITOR_HEIGHT);
    desktop_close(&d);
}

/* ---- what goes on meanwhile ------------------------------------------------------------------ */

static void hide_and_show(bool managed)
{
    desktop d = {0};
    desktop_start_gateway(&d, NULL);
    if (managed) {
        desktop_start_manager(&d);
    }
    const char *const more[] = {"--record", RECORD, NULL};
    desktop_start_terminal(&d, more);
    desktop_await_records(&d, 0, 50, "handed off ");
    desktop_pull(&d, managed ? "windowminimize --sync" : "windowunmap --sync", "");
    const int64_t hidden_ns = desktop_now_utc_ns();
    desktop_await_records(&d, hidden_ns, 50, "message ");
    const int64_t until_ns = desktop_now_utc_ns();
    desktop_pull(&d, managed ? "windowactivate --sync" : "windowmap --sync", "");
    desktop_await_records(&d, until_ns, 20, "handed off ");
    /* One pass may have been under way when the window went. */
    assert_in_range(desktop_count_records(&d, hidden_ns, until_ns, "handed off "), 0, 1);
    assert_true(desktop_count_records(&d, hidden_ns, until_ns, "message ") >= 50);
    desktop_close(&d);
}

/* The manager has the mouse as long as the button is down. */
static void while_it_is_dragged_data_and_drawing_go_on(void **state)
{
    (void)state;
    desktop_need("openbox");
    desktop d = {0};
    char before[128];
    char after[128];
    desktop_start_gateway(&d, NULL);
    desktop_start_manager(&d);
    const char *const more[] = {"--record", RECORD, NULL};
    desktop_start_terminal(&d, more);
    desktop_await_records(&d, 0, 50, "handed off ");
    assert_true(desktop_ask(before, sizeof before, "xdotool getwindowgeometry %s", d.window));
    desktop_pull(&d, "mousemove --sync --window", "200 -8 mousedown 1"); /* by its title bar */
    for (int i = 0; i < 8; i++) {
        desktop_do("mousemove_relative -- -12 -9");
        const int64_t held_ns = desktop_now_utc_ns();
        desktop_await_records(&d, held_ns, 8, "message ");
        desktop_await_records(&d, held_ns, 4, "handed off ");
    }
    assert_true(desktop_ask(after, sizeof after, "xdotool getwindowgeometry %s", d.window));
    desktop_do("mouseup 1");
    assert_string_not_equal(after, before); /* it was a drag */
    desktop_close(&d);
}

static void unmapped_it_draws_nothing_and_still_takes_everything(void **state)
{
    (void)state;
    hide_and_show(false);
}

static void minimised_it_draws_nothing_and_still_takes_everything(void **state)
{
    (void)state;
    desktop_need("openbox");
    hide_and_show(true);
}

/* ---- a server that does not answer any more ---------------------------------------------------
 */

/* Wherever the terminal waits for it: the first SIGTERM asks for an orderly end, one more ends it.
 */
static void a_server_that_stalls_does_not_keep_it(void **state)
{
    (void)state;
    desktop d = {0};
    desktop_start_gateway(&d, NULL);
    desktop_start_terminal(&d, nothing_more);
    assert_int_equal(kill(server.pid, SIGSTOP), 0);
    const int64_t until_ns = desktop_deadline();
    bool ended = false;
    while (!ended && !desktop_passed(until_ns)) {
        (void)kill(d.terminal, SIGTERM);
        (void)sched_yield();
        ended = waitpid(d.terminal, NULL, WNOHANG) == d.terminal;
    }
    assert_int_equal(kill(server.pid, SIGCONT), 0);
    assert_true(ended);
    d.terminal = 0;
    desktop_close(&d);
}

#define ON_DESKTOP(test) cmocka_unit_test_setup_teardown(test, desktop_open, desktop_end)

int main(void)
{
    if (!desktop_begin()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        ON_DESKTOP(without_a_manager_the_screen_shows_its_own_picture),
        ON_DESKTOP(with_a_manager_the_screen_shows_its_own_picture),
        ON_DESKTOP(through_the_gpu_the_screen_shows_its_own_picture),
        ON_DESKTOP(on_wayland_the_screen_shows_its_own_picture),
        ON_DESKTOP(while_it_is_dragged_data_and_drawing_go_on),
        ON_DESKTOP(unmapped_it_draws_nothing_and_still_takes_everything),
        ON_DESKTOP(minimised_it_draws_nothing_and_still_takes_everything),
        ON_DESKTOP(a_server_that_stalls_does_not_keep_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
