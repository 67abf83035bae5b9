#include "tg_cmocka.h"

#include <string.h>

#include "drain_command.h"

static void nothing_given_means_the_usual_folder_and_no_wait(void **state)
{
    (void)state;
    tg__drain_command command;
    tg__cause cause;
    assert_int_equal(tg__drain_command_parse(&command, 0, NULL, &cause), TG_OK);
    assert_null(command.state_dir);
    assert_false(command.wait);
    assert_false(command.help);
}

static void options_come_in_any_order(void **state)
{
    (void)state;
    char *const arguments[] = {"--wait", "--state-dir", "gw"};
    tg__drain_command command;
    tg__cause cause;
    assert_int_equal(tg__drain_command_parse(&command, 3, arguments, &cause), TG_OK);
    assert_string_equal(command.state_dir, "gw");
    assert_true(command.wait);
}

static void what_is_not_an_option_is_named(void **state)
{
    (void)state;
    char *const word[] = {"gw"};
    char *const no_value[] = {"--wait", "--state-dir"};
    char *const empty[] = {"--state-dir", ""};
    tg__drain_command command;
    tg__cause cause;
    assert_int_equal(tg__drain_command_parse(&command, 1, word, &cause), TG_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(cause.text, "drain gw: there is no such option"));
    assert_int_equal(tg__drain_command_parse(&command, 2, no_value, &cause),
                     TG_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(cause.text, "drain --state-dir: its value is missing"));
    assert_int_equal(tg__drain_command_parse(&command, 2, empty, &cause), TG_OK);
    assert_int_equal(tg__drain_command_run(&command, &cause), TG_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(cause.text, "--state-dir is empty"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_means_the_usual_folder_and_no_wait),
        cmocka_unit_test(options_come_in_any_order),
        cmocka_unit_test(what_is_not_an_option_is_named),
    };
    return cmocka_run_group_tests_name("gateway.drain_command", tests, NULL, NULL);
}
