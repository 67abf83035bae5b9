#include "script_file.h"

#include <stdio.h>
#include <string.h>

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

static tg_err read_script(const char *text, script_file *out, char why[300])
{
    char path[200];
    scratch_write(&folder, "s", text, strlen(text));
    (void)snprintf(path, sizeof path, "%s", scratch_path(&folder, "s"));
    return script_file_open(path, out, why, 300);
}

static void every_kind_of_step_is_read(void **state)
{
    (void)state;
    script_file script;
    char why[300] = "";
    assert_int_equal(read_script("# comment\n"
                                 "\n"
                                 "key Ctrl-Shift-c\n"
                                 "  key F11\n"
                                 "key -\n"
                                 "type b t\xC3\xA4\n"
                                 "click 3 14\n"
                                 "double 4 0\n"
                                 "wheel 5 6 -3\n"
                                 "resize 1280x720\n"
                                 "wait rows 6\n"
                                 "wait text 3 of 6\n"
                                 "wait no-text filter\n"
                                 "screenshot a b.png\n"
                                 "check\n"
                                 "quit",
                                 &script, why),
                     TG_OK);
    assert_string_equal(why, "");
    assert_int_equal(script.count, 14);
    const script_step *step = script.step;
    assert_int_equal(step[0].line, 3);
    assert_int_equal(step[0].input.key, TG_KEY_CHARACTER);
    assert_int_equal(step[0].input.character, 'c');
    assert_true(step[0].input.ctrl && step[0].input.shift && !step[0].input.alt);
    assert_int_equal(step[1].input.key, TG_KEY_F11);
    assert_int_equal(step[2].input.character, '-');
    assert_int_equal(step[3].input.kind, TG_INPUT_TEXT);
    assert_string_equal(step[3].input.text, "b t\xC3\xA4");
    assert_int_equal(step[4].input.row, 3);
    assert_int_equal(step[4].input.column, 14);
    assert_int_equal(step[4].input.clicks, 1);
    assert_int_equal(step[5].input.clicks, 2);
    assert_int_equal(step[6].input.wheel_rows, -3);
    assert_int_equal(step[7].number[1], 720);
    assert_int_equal(step[8].number[0], 6);
    assert_string_equal(step[9].text, "3 of 6");
    assert_int_equal(step[10].kind, SCRIPT_WAIT_NO_TEXT);
    assert_string_equal(step[11].text, "a b.png");
    assert_int_equal(step[12].kind, SCRIPT_CHECK);
    assert_int_equal(step[13].kind, SCRIPT_QUIT);
    script_file_close(&script);
    script_file_close(&script);
}

static void a_wrong_line_is_named_and_nothing_is_played(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "key Hyper-x",   "key F13",
        "key F0",        "key C",
        "key",           "key ab",
        "type",          "click 1",
        "click 1 2 3",   "click -1 2",
        "click 1 x",     "wheel 1 2",
        "wheel 1 2 3 4", "resize 10",
        "wait",          "wait rows",
        "wait rows -1",  "wait text",
        "wait forever",  "screenshot",
        "quit now",      "press Enter",
        "type \x01",     "click 1  2",
        "click 99999 1", "type 12345678901234567890123456789012",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        script_file script;
        char text[200];
        char why[300] = "";
        (void)snprintf(text, sizeof text, "# first\n%s\nquit\n", wrong[i]);
        if (read_script(text, &script, why) != TG_ERR_SYNTAX || strstr(why, "/s:2: ") == NULL) {
            fail_msg("\"%s\": \"%s\"", wrong[i], why);
        }
        assert_int_equal(script.count, 0);
    }
    script_file script;
    char why[300] = "";
    assert_int_equal(script_file_open("nowhere/s", &script, why, sizeof why), TG_ERR_IO);
    assert_non_null(strstr(why, "nowhere/s: No such file"));
}

static void a_line_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char text[700];
    char why[300] = "";
    script_file script;
    memset(text, 'x', sizeof text);
    memcpy(text, "wait text ", 10);
    text[sizeof text - 1] = '\0';
    assert_int_equal(read_script(text, &script, why), TG_ERR_SYNTAX);
    assert_non_null(strstr(why, "/s:1: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_step_is_read),
        cmocka_unit_test(a_wrong_line_is_named_and_nothing_is_played),
        cmocka_unit_test(a_line_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
