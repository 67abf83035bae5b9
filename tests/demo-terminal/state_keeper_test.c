#include "state_keeper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tg_cmocka.h"

#include "../gateway/scratch_folder.h"

static scratch_folder folder;
static complaints wrong;

static settings *plain_settings(const char *symbols)
{
    const terminal_options options = {.url = "ws://127.0.0.1:1", .symbols = symbols};
    settings *from = NULL;
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    return from;
}

static int open_folder(void **state)
{
    (void)state;
    scratch_folder_open(&folder);
    return setenv("XDG_CONFIG_HOME", folder.path, 1);
}

static int close_folder(void **state)
{
    (void)state;
    scratch_folder_close(&folder);
    return 0;
}

static void what_is_saved_is_there_in_the_next_run(void **state)
{
    (void)state;
    const terminal_options options = {.url = NULL};
    settings *from = plain_settings("V:A");
    state_keeper keeper;
    char why[200] = "";
    assert_int_equal(state_keeper_open(&keeper, &options, from, STATE_KEEPER_RUN), TG_OK);
    assert_string_equal(keeper.path, scratch_path(&folder, "tickglass/terminal.state"));
    assert_string_equal(keeper.notice, "");
    const saved_state now = {
        .palette = "green-red", .width_px = 640, .height_px = 480, .font_size_px = 9};
    assert_int_equal(state_keeper_save(&keeper, &now, why, sizeof why), TG_OK);
    assert_int_equal(state_keeper_open(&keeper, &options, from, STATE_KEEPER_RUN), TG_OK);
    assert_string_equal(settings_text(from, SETTING_PALETTE), "green-red");
    assert_string_equal(settings_text(from, SETTING_SIZE), "640x480");
    assert_string_equal(settings_text(from, SETTING_FONT_SIZE), "9");
    assert_string_equal(settings_origin(from, SETTING_PALETTE), "saved state");
    /* Nothing new: the file is not written again. */
    assert_int_equal(unlink(keeper.path), 0);
    assert_int_equal(state_keeper_save(&keeper, &now, why, sizeof why), TG_OK);
    assert_int_equal(access(keeper.path, F_OK), -1);
    /* Another panel is. */
    saved_state other = now;
    other.has_panels = true;
    other.panel[PANEL_LOG] = true;
    assert_int_equal(state_keeper_save(&keeper, &other, why, sizeof why), TG_OK);
    assert_int_equal(access(keeper.path, F_OK), 0);
    settings_close(from);
}

static void a_run_without_a_display_keeps_nothing_unless_it_is_told_where(void **state)
{
    (void)state;
    terminal_options options = {.headless = true};
    settings *from = plain_settings("V:A");
    state_keeper keeper;
    char why[200] = "";
    const saved_state now = {.palette = "green-red"};
    assert_int_equal(state_keeper_open(&keeper, &options, from, STATE_KEEPER_RUN), TG_OK);
    assert_string_equal(keeper.path, "");
    assert_int_equal(state_keeper_save(&keeper, &now, why, sizeof why), TG_OK);
    char path[200];
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "mine"));
    options.state = path;
    assert_int_equal(state_keeper_open(&keeper, &options, from, STATE_KEEPER_RUN), TG_OK);
    assert_int_equal(state_keeper_save(&keeper, &now, why, sizeof why), TG_OK);
    assert_int_equal(access(path, F_OK), 0);
    settings_close(from);
}

static void a_broken_file_is_moved_aside_and_told(void **state)
{
    (void)state;
    char path[200];
    char text[32];
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "b"));
    scratch_write(&folder, "b", "precious", 8);
    const terminal_options options = {.state = path};
    settings *from = plain_settings("V:A");
    state_keeper keeper;
    /* Who only looks changes nothing. */
    assert_int_equal(state_keeper_open(&keeper, &options, from, STATE_KEEPER_LOOK_AT), TG_OK);
    assert_non_null(strstr(keeper.notice, "line 1 is broken; the next run moves it aside"));
    assert_false(keeper.may_write);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(state_keeper_open(&keeper, &options, from, STATE_KEEPER_RUN), TG_OK);
    assert_non_null(strstr(keeper.notice, "line 1 is broken; kept as "));
    assert_non_null(strstr(keeper.notice, "/b.broken-1"));
    assert_true(keeper.may_write);
    scratch_read(&folder, "b.broken-1", text, sizeof text);
    assert_string_equal(text, "precious");
    settings_close(from);
}

static void what_a_later_version_wrote_is_left_alone(void **state)
{
    (void)state;
    static const char later[] = "tickglass-terminal state 99\n";
    char path[200];
    char text[64];
    char why[200] = "";
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "l"));
    scratch_write(&folder, "l", later, sizeof later - 1);
    const terminal_options options = {.state = path};
    settings *from = plain_settings("V:A");
    state_keeper keeper;
    assert_int_equal(state_keeper_open(&keeper, &options, from, STATE_KEEPER_RUN), TG_OK);
    assert_non_null(strstr(keeper.notice, "a later version wrote it; nothing is saved"));
    const saved_state now = {.palette = "green-red"};
    assert_int_equal(state_keeper_save(&keeper, &now, why, sizeof why), TG_OK);
    scratch_read(&folder, "l", text, sizeof text);
    assert_string_equal(text, later);
    settings_close(from);
}

static void what_cannot_be_saved_is_told(void **state)
{
    (void)state;
    char path[200];
    char why[300] = "";
    scratch_write(&folder, "file", "x", 1);
    (void)snprintf(path, sizeof path, "%s/file/s", folder.path);
    const terminal_options options = {.state = path};
    settings *from = plain_settings("V:A");
    state_keeper keeper;
    assert_int_equal(state_keeper_open(&keeper, &options, from, STATE_KEEPER_RUN), TG_OK);
    const saved_state now = {.palette = "green-red"};
    assert_int_equal(state_keeper_save(&keeper, &now, why, sizeof why), TG_ERR_IO);
    assert_non_null(strstr(why, "file/s: Not a directory"));
    settings_close(from);
}

static void the_selected_row_is_found_again(void **state)
{
    (void)state;
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.headless = true;
    tg_window *window = NULL;
    assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_OK);
    settings *from = plain_settings("V:A,V:B");
    feed *rows = NULL;
    char why[300] = "";
    assert_int_equal(feed_open(from, window, NULL, &rows, why, sizeof why), TG_OK);
    state_keeper keeper = {.before = {.venue = "V", .symbol = "B"}};
    size_t index = 0;
    assert_true(state_keeper_find_row(&keeper, rows, &index));
    assert_int_equal(index, 1);
    (void)strcpy(keeper.before.symbol, "C");
    assert_false(state_keeper_find_row(&keeper, rows, &index));
    keeper.before.venue[0] = '\0';
    assert_false(state_keeper_find_row(&keeper, rows, &index));
    feed_close(rows);
    settings_close(from);
    tg_window_close(window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_there_in_the_next_run),
        cmocka_unit_test(a_run_without_a_display_keeps_nothing_unless_it_is_told_where),
        cmocka_unit_test(a_broken_file_is_moved_aside_and_told),
        cmocka_unit_test(what_a_later_version_wrote_is_left_alone),
        cmocka_unit_test(what_cannot_be_saved_is_told),
        cmocka_unit_test(the_selected_row_is_found_again),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
