#include "config_file.h"

#include "text_file.h"

static const char *const keys[] = {"endpoints", "palette", "token_command", NULL};

/* Reads a text as a file; wrong is empty before. */
static tg_err read_text(const char *text, size_t size, config_file **out, complaints *wrong)
{
    memset(wrong, 0, sizeof *wrong);
    const text_file file = text_file_write(text, size);
    const tg_err err = config_file_open(file.path, keys, out, wrong);
    text_file_remove(&file);
    return err;
}

static void keys_belong_to_the_profile_above_them(void **state)
{
    (void)state;
    static const char text[] = "# comment\n"
                               "; another\n"
                               "\n"
                               "[profile staging]\r\n"
                               "endpoints = wss://a:1 \r\n"
                               "  token_command=vault read -field=token # = x\n"
                               "\t[ profile x ]\n"
                               "[profile two]\n"
                               "endpoints = b";
    static complaints wrong;
    config_file *file = NULL;
    /* "[ profile x ]" is not of the form; what stands above and below it is. */
    assert_int_equal(read_text(text, sizeof text - 1, &file, &wrong), TG_ERR_SYNTAX);
    assert_int_equal(wrong.count, 1);
    assert_non_null(strstr(wrong.line[0], ":7: a section is [profile NAME]"));
    assert_int_equal(config_file_count(file), 3);
    assert_string_equal(config_file_entry(file, 0)->profile, "staging");
    assert_string_equal(config_file_entry(file, 0)->key, "endpoints");
    assert_string_equal(config_file_entry(file, 0)->value, "wss://a:1");
    assert_int_equal(config_file_entry(file, 0)->line, 5);
    assert_string_equal(config_file_entry(file, 1)->value, "vault read -field=token # = x");
    assert_string_equal(config_file_entry(file, 2)->profile, "two");
    assert_string_equal(config_file_entry(file, 2)->value, "b");
    assert_true(config_file_has_profile(file, "staging"));
    assert_true(config_file_has_profile(file, "two"));
    assert_false(config_file_has_profile(file, "x"));
    config_file_close(file);
}

static void every_mistake_names_file_line_and_key(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *why;
    } cases[] = {
        {"palette = x\n", ":1: palette: stands before the first [profile NAME]"},
        {"[profile a]\npalete = x\n", ":2: palete: there is no such key"},
        {"[profile a]\npalette = x\npalette = y\n", ":3: palette: stands in line 2 already"},
        {"[profile a]\n[profile b]\n[profile a]\n", ":3: profile a stands in line 1 already"},
        {"[profile a]\npalette =  \n", ":2: palette: has no value"},
        {"[profile a]\npalette\n", ":2: neither [profile NAME] nor key = value"},
        {"[profile a b]\n", ":1: a section is [profile NAME]"},
        {"[profile ]\n", ":1: a section is [profile NAME]"},
        {"[a]\n", ":1: a section is [profile NAME]"},
        {"[profile a\n", ":1: a section is [profile NAME]"},
        {"[profile abcdefghijklmnopqrstuvwxyz0123456]\n", ":1: a section is [profile NAME]"},
        {"[profile a]\npalette = x\x01y\n", ":2: a control character"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static complaints wrong;
        config_file *file = NULL;
        assert_int_equal(read_text(cases[i].text, strlen(cases[i].text), &file, &wrong),
                         TG_ERR_SYNTAX);
        assert_int_equal(wrong.count, 1);
        if (strstr(wrong.line[0], cases[i].why) == NULL ||
            strncmp(wrong.line[0], "tickglass-test-", 15) != 0) {
            fail_msg("\"%s\": said \"%s\"", cases[i].text, wrong.line[0]);
        }
        config_file_close(file);
    }
}

static void all_mistakes_are_told_at_once(void **state)
{
    (void)state;
    static const char text[] = "[profile a]\npalete = x\npalette\n[profile b]\nfont = f\n";
    static complaints wrong;
    config_file *file = NULL;
    assert_int_equal(read_text(text, sizeof text - 1, &file, &wrong), TG_ERR_SYNTAX);
    assert_int_equal(wrong.count, 3);
    config_file_close(file);
}

static void zero_bytes_and_endless_lines_are_refused(void **state)
{
    (void)state;
    static complaints wrong;
    static char line[CONFIG_LINE_MAX + 100];
    config_file *file = NULL;
    assert_int_equal(read_text("[profile a]\npal\0ette = x\n", 25, &file, &wrong), TG_ERR_SYNTAX);
    assert_non_null(strstr(wrong.line[0], ":2: a zero byte"));
    config_file_close(file);
    memset(line, 'x', sizeof line);
    assert_int_equal(read_text(line, sizeof line, &file, &wrong), TG_ERR_SYNTAX);
    assert_non_null(strstr(wrong.line[0], ":1: the line is too long"));
    config_file_close(file);
}

/* Somebody pastes a token where it does not belong. */
static void a_token_in_the_wrong_place_is_not_told(void **state)
{
    (void)state;
    static const char text[] = "[profile a]\nSECRETCANARY4711\nSECRETCANARY4711==\n"
                               "secretcanary==\nsecretcanary=\n";
    static complaints wrong;
    config_file *file = NULL;
    assert_int_equal(read_text(text, sizeof text - 1, &file, &wrong), TG_ERR_SYNTAX);
    assert_int_equal(wrong.count, 4);
    for (size_t i = 0; i < wrong.count; i++) {
        assert_null(strstr(wrong.line[i], "CANARY"));
        assert_null(strstr(wrong.line[i], "canary"));
    }
    config_file_close(file);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    static complaints wrong;
    config_file *file = NULL;
    assert_int_equal(config_file_open("nowhere/t.conf", keys, &file, &wrong), TG_ERR_IO);
    assert_null(file);
    assert_string_equal(wrong.line[0], "nowhere/t.conf: No such file or directory");
    config_file_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_belong_to_the_profile_above_them),
        cmocka_unit_test(every_mistake_names_file_line_and_key),
        cmocka_unit_test(all_mistakes_are_told_at_once),
        cmocka_unit_test(zero_bytes_and_endless_lines_are_refused),
        cmocka_unit_test(a_token_in_the_wrong_place_is_not_told),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
