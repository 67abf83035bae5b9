#include "user_folder.h"

#include <stdlib.h>
#include <string.h>

#include "tg_cmocka.h"

static void the_folder_is_where_the_desktop_wants_it(void **state)
{
    (void)state;
    char path[USER_PATH_SIZE];
    assert_int_equal(setenv("HOME", "/somebody", 1), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", "/elsewhere", 1), 0);
    assert_int_equal(user_folder_path("a.conf", path), TG_OK);
    assert_string_equal(path, "/elsewhere/tickglass/a.conf");
    /* A relative one is to be ignored. */
    assert_int_equal(setenv("XDG_CONFIG_HOME", "elsewhere", 1), 0);
    assert_int_equal(user_folder_path("a.conf", path), TG_OK);
    assert_string_equal(path, "/somebody/.config/tickglass/a.conf");
    assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
    assert_int_equal(user_folder_path("a.conf", path), TG_OK);
    assert_string_equal(path, "/somebody/.config/tickglass/a.conf");
    assert_int_equal(unsetenv("HOME"), 0);
    assert_int_equal(user_folder_path("a.conf", path), TG_ERR_NOT_FOUND);
}

static void a_path_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    static char home[USER_PATH_SIZE];
    char path[USER_PATH_SIZE];
    memset(home, 'x', sizeof home - 1);
    home[0] = '/';
    assert_int_equal(setenv("HOME", home, 1), 0);
    assert_int_equal(user_folder_path("a.conf", path), TG_ERR_BUFFER_TOO_SMALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_folder_is_where_the_desktop_wants_it),
        cmocka_unit_test(a_path_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
