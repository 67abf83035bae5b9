#include "saved_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tg_cmocka.h"

#include "../gateway/scratch_folder.h"

static scratch_folder folder;

static int open_folder(void **state)
{
    (void)state;
    scratch_folder_open(&folder);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    scratch_folder_close(&folder);
    return 0;
}

static const saved_state full = {.palette = "red-up",
                                 .width_px = 1920,
                                 .height_px = 1080,
                                 .font_size_px = 20,
                                 .venue = "V",
                                 .symbol = "A:B = C",
                                 .sort = "percent",
                                 .descending = true,
                                 .column_off[COLUMN_VENUE] = true,
                                 .column_off[COLUMN_CHANGE] = true,
                                 .has_panels = true,
                                 .panel = {[PANEL_QUOTE] = true, [PANEL_LATENCY] = true},
                                 .filter = "btc \xE5\x8E\x9F ",
                                 .added = {2, {{"V", "A B"}, {"W", "C:D"}}},
                                 .removed = {1, {{"V", "E"}}},
                                 .alert_of = {2, {{"V", "A B"}, {"V", "F"}}},
                                 .alert_price = {{-3770, -2}, {1, -11}}};

static void what_was_written_is_read(void **state)
{
    (void)state;
    char path[200];
    char why[SAVED_STATE_WHY_SIZE] = "";
    /* Folders are made. */
    (void)snprintf(path, sizeof path, "%s/a/b/s.state", folder.path);
    assert_int_equal(saved_state_write(path, &full), TG_OK);
    saved_state back;
    assert_int_equal(saved_state_read(path, &back, why, sizeof why), TG_OK);
    assert_string_equal(back.palette, "red-up");
    assert_int_equal(back.width_px, 1920);
    assert_int_equal(back.height_px, 1080);
    assert_int_equal(back.font_size_px, 20);
    assert_string_equal(back.venue, "V");
    assert_string_equal(back.symbol, "A:B = C");
    assert_string_equal(back.sort, "percent");
    assert_true(back.descending);
    assert_memory_equal(back.column_off, full.column_off, sizeof full.column_off);
    assert_true(back.has_panels);
    assert_memory_equal(back.panel, full.panel, sizeof full.panel);
    assert_string_equal(back.filter, full.filter);
    assert_memory_equal(&back.added, &full.added, sizeof full.added);
    assert_memory_equal(&back.removed, &full.removed, sizeof full.removed);
    assert_memory_equal(&back.alert_of, &full.alert_of, sizeof full.alert_of);
    assert_int_equal(back.alert_price[0].mantissa, -3770);
    assert_int_equal(back.alert_price[1].exponent, -11);
    const saved_state empty = {.width_px = 0};
    assert_int_equal(saved_state_write(path, &empty), TG_OK);
    assert_int_equal(saved_state_read(path, &back, why, sizeof why), TG_OK);
    assert_string_equal(back.palette, "");
    assert_false(back.has_panels);
    const saved_state bare = {.has_panels = true};
    assert_int_equal(saved_state_write(path, &bare), TG_OK);
    assert_int_equal(saved_state_read(path, &back, why, sizeof why), TG_OK);
    assert_true(back.has_panels);
    assert_memory_equal(back.panel, bare.panel, sizeof bare.panel);
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
}

static void where_there_is_no_file_nothing_is_known(void **state)
{
    (void)state;
    saved_state back;
    char why[SAVED_STATE_WHY_SIZE] = "";
    assert_int_equal(saved_state_read(scratch_path(&folder, "none"), &back, why, sizeof why),
                     TG_OK);
    assert_int_equal(back.width_px, 0);
}

/* A prefix is what a crash leaves behind where rename and fsync are forgotten. */
static void every_prefix_of_a_file_is_broken(void **state)
{
    (void)state;
    char bytes[512];
    char why[SAVED_STATE_WHY_SIZE];
    saved_state back;
    assert_int_equal(saved_state_write(scratch_path(&folder, "s"), &full), TG_OK);
    scratch_read(&folder, "s", bytes, sizeof bytes);
    for (size_t size = 0; size < strlen(bytes); size++) {
        scratch_write(&folder, "s", bytes, size);
        assert_int_equal(saved_state_read(scratch_path(&folder, "s"), &back, why, sizeof why),
                         TG_ERR_SYNTAX);
        assert_int_equal(back.width_px, 0);
        assert_string_equal(back.palette, "");
    }
}

static void what_is_broken_is_named_by_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *why;
    } cases[] = {
        {"garbage\n", "line 1 is broken"},
        {"tickglass-terminal state x\nend\n", "line 1 is broken"},
        {"tickglass-terminal state 1\npalette = pink\nend\n", "line 2 is broken"},
        {"tickglass-terminal state 1\nsize = 1x\nend\n", "line 2 is broken"},
        {"tickglass-terminal state 1\nsize = 1x1\nfont_size = 1000\nend\n", "line 3 is broken"},
        {"tickglass-terminal state 1\nselected = VA\nend\n", "line 2 is broken"},
        {"tickglass-terminal state 1\nunknown = 1\nend\n", "line 2 is broken"},
        {"tickglass-terminal state 1\nend\nmore\n", "line 2 is broken"},
        {"tickglass-terminal state 2\nsort = price up\nend\n",
         "line 2 is broken: sort: there is no such column"},
        {"tickglass-terminal state 2\nsort = bid sideways\nend\n",
         "line 2 is broken: sort: up or down is expected"},
        {"tickglass-terminal state 2\ncolumns_off = bid, age\nend\n",
         "line 2 is broken: columns_off: symbol, quality and age are always shown"},
        {"tickglass-terminal state 2\ncolumns_off = bids\nend\n",
         "line 2 is broken: columns_off: there is no such column"},
        {"tickglass-terminal state 2\nfilter = a\x01\nend\n", "line 2 is broken: filter: it is"},
        {"tickglass-terminal state 2\nadded = V\nend\n",
         "line 2 is broken: added: VENUE:SYMBOL is expected"},
        {"tickglass-terminal state 2\nremoved = :A\nend\n", "line 2 is broken: removed: "},
        {"tickglass-terminal state 2\nalert = V:A 1,5\nend\n",
         "line 2 is broken: alert: VENUE:SYMBOL and a price are expected"},
        {"tickglass-terminal state 2\nalert = V:A\nend\n", "line 2 is broken: alert: "},
        {"tickglass-terminal state 3\npanels = quote, ladders\nend\n",
         "line 2 is broken: panels: there is no such panel"},
        {"tickglass-terminal state 2\nunknown = 1\nend\n", "unknown: there is no such key"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        saved_state back;
        char why[SAVED_STATE_WHY_SIZE] = "";
        scratch_write(&folder, "s", cases[i].text, strlen(cases[i].text));
        assert_int_equal(saved_state_read(scratch_path(&folder, "s"), &back, why, sizeof why),
                         TG_ERR_SYNTAX);
        if (strstr(why, cases[i].why) == NULL) {
            fail_msg("\"%s\": said \"%s\"", cases[i].text, why);
        }
    }
}

static void what_a_later_version_wrote_is_told_apart(void **state)
{
    (void)state;
    static const char text[] = "tickglass-terminal state 4\nwhatever\n";
    saved_state back;
    char why[SAVED_STATE_WHY_SIZE] = "";
    scratch_write(&folder, "s", text, sizeof text - 1);
    assert_int_equal(saved_state_read(scratch_path(&folder, "s"), &back, why, sizeof why),
                     TG_ERR_UNSUPPORTED);
    assert_non_null(strstr(why, "a later version wrote it"));
}

static void what_is_set_aside_replaces_nothing(void **state)
{
    (void)state;
    char kept[USER_PATH_SIZE];
    char text[16];
    scratch_write(&folder, "s", "one", 3);
    assert_int_equal(saved_state_set_aside(scratch_path(&folder, "s"), kept), TG_OK);
    assert_string_equal(kept, scratch_path(&folder, "s.broken-1"));
    scratch_write(&folder, "s", "two", 3);
    assert_int_equal(saved_state_set_aside(scratch_path(&folder, "s"), kept), TG_OK);
    assert_string_equal(kept, scratch_path(&folder, "s.broken-2"));
    scratch_read(&folder, "s.broken-1", text, sizeof text);
    assert_string_equal(text, "one");
    scratch_read(&folder, "s.broken-2", text, sizeof text);
    assert_string_equal(text, "two");
    assert_int_equal(access(scratch_path(&folder, "s"), F_OK), -1);
    assert_int_equal(saved_state_set_aside(scratch_path(&folder, "s"), kept), TG_ERR_IO);
    assert_int_equal(errno, ENOENT);
}

static void what_cannot_be_written_leaves_the_old_file(void **state)
{
    (void)state;
    char path[200];
    scratch_write(&folder, "file", "old", 3);
    (void)snprintf(path, sizeof path, "%s/file/s", folder.path);
    assert_int_equal(saved_state_write(path, &full), TG_ERR_IO);
    assert_int_equal(errno, ENOTDIR);
    /* A folder is in the way of the rename; nothing half written stays beside it. */
    (void)snprintf(path, sizeof path, "%s/c", folder.path);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/c/d", folder.path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(saved_state_write(path, &full), TG_ERR_IO);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(rmdir(path), 0);
    (void)snprintf(path, sizeof path, "%s/c", folder.path);
    assert_int_equal(rmdir(path), 0); /* empty */
}

static void each_profile_has_a_file_of_its_own(void **state)
{
    (void)state;
    char path[USER_PATH_SIZE];
    assert_int_equal(setenv("XDG_CONFIG_HOME", "/c", 1), 0);
    assert_int_equal(saved_state_path(NULL, path), TG_OK);
    assert_string_equal(path, "/c/tickglass/terminal.state");
    assert_int_equal(saved_state_path("staging", path), TG_OK);
    assert_string_equal(path, "/c/tickglass/terminal-staging.state");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(where_there_is_no_file_nothing_is_known),
        cmocka_unit_test(every_prefix_of_a_file_is_broken),
        cmocka_unit_test(what_is_broken_is_named_by_its_line),
        cmocka_unit_test(what_a_later_version_wrote_is_told_apart),
        cmocka_unit_test(what_is_set_aside_replaces_nothing),
        cmocka_unit_test(what_cannot_be_written_leaves_the_old_file),
        cmocka_unit_test(each_profile_has_a_file_of_its_own),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
