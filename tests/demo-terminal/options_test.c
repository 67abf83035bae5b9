#include "options.h"

#include <string.h>

#include "tg_cmocka.h"

#define ARGUMENTS_MAX 32

/* Reads "a b c" split at blanks. */
static tg_err read_line(const char *line, terminal_options *out, char *why, size_t why_size)
{
    static char copy[512];
    static char program[] = "tickglass-terminal";
    char *argv[ARGUMENTS_MAX] = {program};
    int argc = 1;
    strcpy(copy, line);
    for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " ")) {
        assert_true(argc < ARGUMENTS_MAX);
        argv[argc++] = at;
    }
    return terminal_options_read(argc, argv, out, why, why_size);
}

static void every_option_is_taken(void **state)
{
    (void)state;
    terminal_options o;
    char why[200] = "";
    assert_int_equal(read_line("--url wss://h:1 --ca c.pem --token-file=t --symbols V:A,V:B "
                               "--screenshot s.png --report=r.json",
                               &o, why, sizeof why),
                     TG_OK);
    assert_string_equal(o.url, "wss://h:1");
    assert_string_equal(o.ca_file, "c.pem");
    assert_string_equal(o.token_file, "t");
    assert_string_equal(o.symbols, "V:A,V:B");
    assert_string_equal(o.screenshot, "s.png");
    assert_string_equal(o.report, "r.json");
    assert_int_equal(o.seconds, 0);
    assert_false(o.headless);
    assert_int_equal(
        read_line("--url=w --record rec --export-hlog h --check-tape t.csv --palette red-up "
                  "--size 1920x1080 --font f.ttf --font-size 20 --seconds 7 --headless",
                  &o, why, sizeof why),
        TG_OK);
    assert_string_equal(o.record, "rec");
    assert_string_equal(o.export_hlog, "h");
    assert_string_equal(o.check_tape, "t.csv");
    assert_string_equal(o.palette, "red-up");
    assert_string_equal(o.font, "f.ttf");
    assert_null(o.symbols);
    assert_string_equal(o.size, "1920x1080");
    assert_string_equal(o.font_size, "20");
    assert_int_equal(o.seconds, 7);
    assert_true(o.headless);
    assert_false(o.check_config);
    assert_false(o.diagnose);
    assert_int_equal(read_line("--redraw rec --at 10:31:07Z --text", &o, why, sizeof why), TG_OK);
    assert_string_equal(o.redraw, "rec");
    assert_string_equal(o.at, "10:31:07Z");
    assert_null(o.pass);
    assert_true(o.text);
    assert_int_equal(read_line("--redraw rec --pass 812", &o, why, sizeof why), TG_OK);
    assert_string_equal(o.pass, "812");
    assert_int_equal(read_line("--profile staging --config=f --client-cert c --client-key k "
                               "--client-key-password-file p --spki-pins s --proxy none --state st",
                               &o, why, sizeof why),
                     TG_OK);
    assert_string_equal(o.profile, "staging");
    assert_string_equal(o.config, "f");
    assert_string_equal(o.client_cert_file, "c");
    assert_string_equal(o.client_key_file, "k");
    assert_string_equal(o.client_key_password_file, "p");
    assert_string_equal(o.spki_pins, "s");
    assert_string_equal(o.proxy, "none");
    assert_string_equal(o.state, "st");
    assert_int_equal(
        read_line("--token-command get --check-config --diagnose", &o, why, sizeof why), TG_OK);
    assert_string_equal(o.token_command, "get");
    assert_true(o.check_config);
    assert_true(o.diagnose);
    assert_null(o.renderer);
    assert_int_equal(read_line("--renderer gpu", &o, why, sizeof why), TG_OK);
    assert_string_equal(o.renderer, "gpu");
    assert_int_equal(read_line("--renderer surface", &o, why, sizeof why), TG_OK);
    assert_string_equal(o.renderer, "surface");
    assert_int_equal(read_line("--renderer opengl", &o, why, sizeof why), TG_ERR_SYNTAX);
}

static void a_run_without_a_display_has_an_end(void **state)
{
    (void)state;
    terminal_options o;
    char why[200] = "";
    assert_int_equal(read_line("--url w --headless", &o, why, sizeof why), TG_OK);
    assert_int_equal(o.seconds, 10);
}

static void help_and_version_need_nothing_else(void **state)
{
    (void)state;
    terminal_options o;
    char why[200] = "";
    assert_int_equal(read_line("--help", &o, why, sizeof why), TG_OK);
    assert_true(o.help);
    assert_int_equal(read_line("--version", &o, why, sizeof why), TG_OK);
    assert_true(o.version);
}

static void the_help_names_every_option(void **state)
{
    (void)state;
    static const char *const names[] = {
        "--url",       "--ca",          "--token-file",   "--symbols",
        "--palette",   "--size",        "--font",         "--font-size",
        "--headless",  "--seconds",     "--screenshot",   "--report",
        "--record",    "--check-tape",  "--help",         "--version",
        "--profile",   "--config",      "--state",        "--token-command",
        "--proxy",     "--client-cert", "--client-key",   "--client-key-password-file",
        "--spki-pins", "--diagnose",    "--check-config", "--export-hlog",
        "--redraw",    "--at",          "--pass",         "--text",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_non_null(strstr(terminal_options_help(), names[i]));
    }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *why;
    } cases[] = {
        {"--config f", "--profile: is needed with --config"},
        {"--token-file f --token-command c", "--token-command: excludes --token-file"},
        {"--url", "--url: a value is missing"},
        {"--urls w", "--urls: not an option"},
        {"w", "w: not an option"},
        {"--url w --headless=yes", "--headless: takes no value"},
        {"--url w --seconds 0", "0: the value cannot be used"},
        {"--url w --seconds -1", "-1: the value cannot be used"},
        {"--url w --seconds 99999999999999999999", "the value cannot be used"},
        {"--url w --size 1280", "1280: the value cannot be used"},
        {"--url w --size 1280x", "1280x: the value cannot be used"},
        {"--url w --size x800", "x800: the value cannot be used"},
        {"--url w --size 1280x800x2", "1280x800x2: the value cannot be used"},
        {"--url w --size 0x0", "0x0: the value cannot be used"},
        {"--url w --size 20000x10", "20000x10: the value cannot be used"},
        {"--url w --font-size 5", "5: the value cannot be used"},
        {"--url w --font-size=97", "--font-size=97: the value cannot be used"},
        {"--redraw f --pass 8a", "8a: the value cannot be used"},
        {"--redraw f --at=", "--at=: the value cannot be used"},
        {"--redraw f --at 10:31:07Z --pass 8", "--at: excludes --pass"},
        {"--at 10:31:07Z", "--redraw: is needed with --at"},
        {"--pass 8", "--redraw: is needed with --at"},
        {"--text", "--redraw: is needed with --at"},
        {"--url w --symbols=", "--symbols=: the value cannot be used"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        terminal_options o;
        char why[200] = "";
        assert_int_equal(read_line(cases[i].line, &o, why, sizeof why), TG_ERR_SYNTAX);
        if (strstr(why, cases[i].why) == NULL) {
            fail_msg("%s: said \"%s\"", cases[i].line, why);
        }
    }
}

static void a_secret_under_an_option_that_does_not_exist_is_not_told(void **state)
{
    (void)state;
    terminal_options o;
    char why[200] = "";
    assert_int_equal(read_line("--token=canary", &o, why, sizeof why), TG_ERR_SYNTAX);
    assert_string_equal(why, "--token: not an option (see --help)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_taken),
        cmocka_unit_test(a_run_without_a_display_has_an_end),
        cmocka_unit_test(help_and_version_need_nothing_else),
        cmocka_unit_test(the_help_names_every_option),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_secret_under_an_option_that_does_not_exist_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
