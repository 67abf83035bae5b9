/* Against texts that stand beside the files that they come from: golden/config/NAME.conf, .txt. */
#include "effective_config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tg_cmocka.h"

static complaints wrong;

static int forget(void **state)
{
    (void)state;
    static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(unsetenv(names[i]), 0);
    }
    memset(&wrong, 0, sizeof wrong);
    return chdir(TG_TEST_GOLDEN "/config"); /* so that no path of this machine is in the texts */
}

static void read_all(FILE *from, char *text, size_t size)
{
    text[fread(text, 1, size - 1, from)] = '\0';
    (void)fclose(from);
}

/* The printed settings, then what is wrong with them. */
static void expect_golden(const terminal_options *options, const char *golden)
{
    char printed[8192];
    char expected[8192];
    settings *from = NULL;
    FILE *to = tmpfile();
    assert_non_null(to);
    const tg_err err = settings_open(options, &from, &wrong);
    assert_non_null(from);
    if (err == TG_OK) {
        effective_config_check(from, &wrong);
    }
    effective_config_print(from, to);
    settings_close(from);
    for (size_t i = 0; i < wrong.count; i++) {
        (void)fprintf(to, "%s\n", wrong.line[i]);
    }
    rewind(to);
    read_all(to, printed, sizeof printed);
    FILE *file = fopen(golden, "r");
    assert_non_null(file);
    read_all(file, expected, sizeof expected);
    if (strcmp(printed, expected) != 0) {
        fail_msg("%s is not what was printed:\n%s", golden, printed);
    }
    assert_null(strstr(printed, "canary"));
}

static void a_whole_profile_is_shown_with_its_sources(void **state)
{
    (void)state;
    assert_int_equal(setenv("HTTPS_PROXY", "http://user:canary@proxy.example:3128", 1), 0);
    const terminal_options options = {
        .profile = "staging", .config = "staging.conf", .palette = "green-red"};
    expect_golden(&options, "staging.txt");
    assert_int_equal(wrong.count, 0);
}

static void defaults_are_shown_as_such(void **state)
{
    (void)state;
    const terminal_options options = {.url = "wss://localhost"};
    expect_golden(&options, "defaults.txt");
    assert_int_equal(wrong.count, 0);
}

static void files_that_cannot_be_used_are_named(void **state)
{
    (void)state;
    const terminal_options options = {.profile = "files", .config = "files.conf"};
    expect_golden(&options, "files.txt");
}

static void mistakes_are_named_beside_what_was_understood(void **state)
{
    (void)state;
    const terminal_options options = {.profile = "mistakes", .config = "mistakes.conf"};
    expect_golden(&options, "mistakes.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_whole_profile_is_shown_with_its_sources, forget),
        cmocka_unit_test_setup(defaults_are_shown_as_such, forget),
        cmocka_unit_test_setup(files_that_cannot_be_used_are_named, forget),
        cmocka_unit_test_setup(mistakes_are_named_beside_what_was_understood, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
