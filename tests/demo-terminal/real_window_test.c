/* The window, with a window manager, without one and on Wayland: typed at, pulled at, hidden. */
#include "desktop.h"

static const char *const nothing_more[] = {NULL};

/* ---- what is shown --------------------------------------------------------------------------- */

static void type_click_pull(bool managed, const char *renderer)
{
    desktop d = {0};
    gateway_process gateway;
    text_file tape;
    desktop_quiet_gateway(&gateway, &tape);
    if (managed) {
        desktop_start_manager(&d);
    }
    const char *const more[] = {"--renderer", renderer, NULL};
    desktop_start_terminal(&d, &gateway, more);
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
    (void)gateway_process_stop(&gateway);
    text_file_remove(&tape);
}

static void without_a_manager_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    type_click_pull(false, "surface");
}

static void with_a_manager_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    if (!desktop_has_program("openbox")) {
        print_message("SKIP: openbox is not installed\n");
        return;
    }
    type_click_pull(true, "surface");
}

static void through_the_gpu_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    if (!desktop_has_program("openbox")) {
        print_message("SKIP: openbox is not installed\n");
        return;
    }
    type_click_pull(true, "gpu");
}

static void on_wayland_the_screen_shows_its_own_picture(void **state)
{
    (void)state;
    desktop d = {0};
    if (!desktop_has_program("weston")) {
        print_message("SKIP: weston is not installed\n");
        return;
    }
    assert_true(desktop_start_compositor(&d, "kiosk-shell.so", 1));
    gateway_process gateway;
    text_file tape;
    desktop_quiet_gateway(&gateway, &tape);
    desktop_start_terminal(&d, &gateway, nothing_more);
    desktop_expect_picture(&d, COMPOSITOR_WIDTH, COMPOSITOR_HEIGHT);
    desktop_expect_key("F1", 5000);
    desktop_expect_picture(&d, COMPOSITOR_WIDTH, COMPOSITOR_HEIGHT);
    desktop_close(&d);
    (void)gateway_process_stop(&gateway);
    text_file_remove(&tape);
}

/* ---- what goes on meanwhile ------------------------------------------------------------------ */

static void hide_and_show(bool managed)
{
    desktop d = {0};
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    if (managed) {
        desktop_start_manager(&d);
    }
    const char *const more[] = {"--record", RECORD, NULL};
    desktop_start_terminal(&d, &gateway, more);
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
    (void)gateway_process_stop(&gateway);
}

/* The manager has the mouse as long as the button is down. */
static void while_it_is_dragged_data_and_drawing_go_on(void **state)
{
    (void)state;
    if (!desktop_has_program("openbox")) {
        print_message("SKIP: openbox is not installed\n");
        return;
    }
    desktop d = {0};
    gateway_process gateway;
    char before[128];
    char after[128];
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, NULL));
    desktop_start_manager(&d);
    const char *const more[] = {"--record", RECORD, NULL};
    desktop_start_terminal(&d, &gateway, more);
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
    (void)gateway_process_stop(&gateway);
}

static void unmapped_it_draws_nothing_and_still_takes_everything(void **state)
{
    (void)state;
    hide_and_show(false);
}

static void minimised_it_draws_nothing_and_still_takes_everything(void **state)
{
    (void)state;
    if (!desktop_has_program("openbox")) {
        print_message("SKIP: openbox is not installed\n");
        return;
    }
    hide_and_show(true);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
