#include "watchlist_export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tg_cmocka.h"

#include "../gateway/scratch_folder.h"
#include "row_text.h"

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

static void a_file_that_is_there_stays_as_it_is(void **state)
{
    (void)state;
    char path[200];
    char text[1024];
    char expected[1024];
    char line[ROW_TEXT_SIZE];
    watchlist_export *to = NULL;
    const watch_view view = {.venue = "V", .symbol = "A", .word = "waiting"};
    assert_int_equal(watchlist_export_open(1, &to), TG_OK);
    watchlist_export_add(to, &view, 0);
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "list.csv"));
    assert_int_equal(watchlist_export_write(to, path), TG_OK);
    row_text_csv(&view, 0, line);
    (void)snprintf(expected, sizeof expected, "%s%s", row_text_csv_names(), line);
    scratch_read(&folder, "list.csv", text, sizeof text);
    assert_string_equal(text, expected);
    scratch_write(&folder, "list.csv", "precious", 8);
    assert_int_equal(watchlist_export_write(to, path), TG_ERR_IO);
    assert_int_equal(errno, EEXIST);
    scratch_read(&folder, "list.csv", text, sizeof text);
    assert_string_equal(text, "precious");
    (void)snprintf(path, sizeof path, "%s/nowhere/list.csv", folder.path);
    assert_int_equal(watchlist_export_write(to, path), TG_ERR_IO);
    assert_int_equal(errno, ENOENT);
    watchlist_export_close(to);
    watchlist_export_close(NULL);
}

static void names_of_files_say_when(void **state)
{
    (void)state;
    char path[WATCHLIST_EXPORT_PATH_SIZE];
    watchlist_export_path(INT64_C(1723161300123456789), path);
    assert_string_equal(path, "tickglass-watchlist-1723161300123.csv");
    watchlist_export_path(INT64_MIN, path);
    assert_non_null(strstr(path, ".csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_there_stays_as_it_is),
        cmocka_unit_test(names_of_files_say_when),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
