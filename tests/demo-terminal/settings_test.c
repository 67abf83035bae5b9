#include "settings.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../gateway/scratch_folder.h"
#include "text_file.h"

static complaints wrong;

/* Nothing of the machine that the test runs on. */
static int forget(void **state)
{
    (void)state;
    static const char *const names[] = {"https_proxy", "HTTPS_PROXY",     "no_proxy",
                                        "NO_PROXY",    "XDG_CONFIG_HOME", "HOME"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(unsetenv(names[i]), 0);
    }
    memset(&wrong, 0, sizeof wrong);
    return 0;
}

static void expect(const settings *from, setting_id id, const char *text, const char *origin)
{
    if (text == NULL) {
        assert_null(settings_text(from, id));
    } else {
        assert_non_null(settings_text(from, id));
        assert_string_equal(settings_text(from, id), text);
    }
    assert_string_equal(settings_origin(from, id), origin);
}

static void without_a_file_there_are_defaults(void **state)
{
    (void)state;
    const terminal_options options = {.url = "wss://a:1"};
    settings *from = NULL;
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    expect(from, SETTING_ENDPOINTS, "wss://a:1", "command line, --url");
    expect(from, SETTING_CA_FILE, NULL, "default");
    expect(from, SETTING_SYMBOLS, "*", "default");
    expect(from, SETTING_PALETTE, "blue-orange", "default");
    expect(from, SETTING_PROXY, "none", "environment, nothing said");
    assert_null(settings_profile(from));
    assert_null(settings_command_folder(from));
    int width = 0;
    int height = 0;
    settings_size(from, &width, &height);
    assert_int_equal(width, 1280);
    assert_int_equal(height, 800);
    assert_int_equal(settings_font_size(from), 14);
    assert_false(settings_wants_gpu(from));
    settings_close(from);
    settings_close(NULL);
}

static void the_command_line_comes_before_the_file_before_what_was_saved(void **state)
{
    (void)state;
    scratch_folder folder;
    scratch_folder_open(&folder);
    static const char text[] = "[profile other]\nendpoints = wss://wrong\nfont = x\n"
                               "[profile staging]\n"
                               "endpoints = wss://a, wss://b\n"
                               "ca_file = certs/ca.pem\n"
                               "client_cert_file = /absolute.pem\n"
                               "symbols = @watch.txt\n"
                               "palette = red-up\n"
                               "renderer = gpu\n"
                               "token_command = ./get-token\n"
                               "proxy = none\n";
    scratch_write(&folder, "t.conf", text, sizeof text - 1);
    char expected[300];
    terminal_options options = {
        .profile = "staging", .config = scratch_path(&folder, "t.conf"), .palette = "green-red"};
    char path[200];
    (void)snprintf(path, sizeof path, "%s", options.config);
    options.config = path;
    settings *from = NULL;
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    (void)snprintf(expected, sizeof expected, "%s:5", path);
    expect(from, SETTING_ENDPOINTS, "wss://a, wss://b", expected);
    assert_string_equal(settings_text(from, SETTING_CA_FILE),
                        scratch_path(&folder, "certs/ca.pem"));
    assert_string_equal(settings_text(from, SETTING_CLIENT_CERT_FILE), "/absolute.pem");
    (void)snprintf(expected, sizeof expected, "@%s", scratch_path(&folder, "watch.txt"));
    assert_string_equal(settings_text(from, SETTING_SYMBOLS), expected);
    expect(from, SETTING_PALETTE, "green-red", "command line, --palette");
    expect(from, SETTING_FONT, NULL, "default");
    assert_true(settings_wants_gpu(from));
    assert_int_equal(settings_take_saved(from, SETTING_PALETTE, "blue-orange"), TG_OK);
    expect(from, SETTING_PALETTE, "green-red", "command line, --palette");
    assert_int_equal(settings_take_saved(from, SETTING_SIZE, "10x20"), TG_OK);
    expect(from, SETTING_SIZE, "10x20", "saved state");
    (void)snprintf(expected, sizeof expected, "%s/", folder.path);
    assert_string_equal(settings_command_folder(from), expected);
    assert_string_equal(settings_profile(from), "staging");
    char url[64] = "";
    assert_true(settings_endpoint(from, 1, url, sizeof url));
    assert_string_equal(url, "wss://b");
    assert_false(settings_endpoint(from, 2, url, sizeof url));
    settings_close(from);
    options.renderer = "surface";
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    expect(from, SETTING_RENDERER, "surface", "command line, --renderer");
    assert_false(settings_wants_gpu(from));
    settings_close(from);
    /* The other source of tokens takes the place of the file's. */
    options.token_file = "t";
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    expect(from, SETTING_TOKEN_FILE, "t", "command line, --token-file");
    expect(from, SETTING_TOKEN_COMMAND, NULL, "default");
    settings_close(from);
    scratch_folder_close(&folder);
}

static void the_file_is_found_in_the_users_folder(void **state)
{
    (void)state;
    scratch_folder folder;
    scratch_folder_open(&folder);
    assert_int_equal(mkdir(scratch_path(&folder, "tickglass"), 0700), 0);
    static const char text[] = "[profile s]\nendpoints = wss://a\n";
    scratch_write(&folder, "tickglass/terminal.conf", text, sizeof text - 1);
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder.path, 1), 0);
    const terminal_options options = {.profile = "s"};
    settings *from = NULL;
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    assert_string_equal(settings_config_path(from),
                        scratch_path(&folder, "tickglass/terminal.conf"));
    settings_close(from);
    scratch_folder_close(&folder);
}

static void expect_wrong(const char *text, const char *profile, const char *why)
{
    memset(&wrong, 0, sizeof wrong);
    const text_file file = text_file_write(text, strlen(text));
    const terminal_options options = {.profile = profile, .config = file.path};
    settings *from = NULL;
    assert_int_equal(settings_open(&options, &from, &wrong), TG_ERR_SYNTAX);
    settings_close(from);
    text_file_remove(&file);
    char all[2 * COMPLAINT_SIZE] = "";
    for (size_t i = 0; i < wrong.count && i < 2; i++) {
        (void)strcat(all, wrong.line[i]);
    }
    if (strstr(all, why) == NULL) {
        fail_msg("\"%s\": said \"%s\"", text, all);
    }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const char good[] = "[profile s]\nendpoints = wss://a\n";
    expect_wrong(good, "t", "has no [profile t]");
    expect_wrong(good, "a/b", "--profile: a name has");
    expect_wrong("[profile s]\npalette = red-up\n", "s", "endpoints in the profile");
    expect_wrong("[profile s]\nendpoints = http://a\n", "s", ":2: endpoints: 1 to 8 of wss://");
    expect_wrong("[profile s]\nendpoints = wss://a\nfont_size = 4\n", "s",
                 ":3: font_size: 6 to 96 is expected");
    /* In a profile that is not used today, too. */
    expect_wrong("[profile s]\nendpoints = wss://a\n[profile t]\npalette = pink\n", "s",
                 ":4: palette: blue-orange");
    expect_wrong("[profile s]\nendpoints = wss://a\ntoken_file = a\ntoken_command = b\n", "s",
                 ":4: token_command: excludes token_file of line 3");
    memset(&wrong, 0, sizeof wrong);
    const terminal_options nothing = {.url = NULL};
    settings *from = NULL;
    assert_int_equal(settings_open(&nothing, &from, &wrong), TG_ERR_SYNTAX);
    assert_string_equal(wrong.line[0], "--url or --profile: is needed (see --help)");
    settings_close(from);
    memset(&wrong, 0, sizeof wrong);
    const terminal_options homeless = {.profile = "s"};
    assert_int_equal(settings_open(&homeless, &from, &wrong), TG_ERR_SYNTAX);
    assert_non_null(strstr(wrong.line[0], "--config FILE does"));
    settings_close(from);
    memset(&wrong, 0, sizeof wrong);
    const terminal_options pink = {.url = "wss://a", .palette = "pink"};
    assert_int_equal(settings_open(&pink, &from, &wrong), TG_ERR_SYNTAX);
    assert_non_null(strstr(wrong.line[0], "--palette: blue-orange"));
    settings_close(from);
}

static void the_proxy_of_the_environment_has_to_suit_every_endpoint(void **state)
{
    (void)state;
    assert_int_equal(setenv("https_proxy", "http://u:canary@p:1", 1), 0);
    terminal_options options = {.url = "wss://a wss://b"};
    settings *from = NULL;
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    expect(from, SETTING_PROXY, "http://u:canary@p:1", "environment, https_proxy");
    settings_close(from);
    assert_int_equal(setenv("no_proxy", "b", 1), 0);
    assert_int_equal(settings_open(&options, &from, &wrong), TG_ERR_SYNTAX);
    assert_non_null(strstr(wrong.line[0], "to some endpoints and not to others"));
    settings_close(from);
    memset(&wrong, 0, sizeof wrong);
    options.proxy = "http://q:2";
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    expect(from, SETTING_PROXY, "http://q:2", "command line, --proxy");
    settings_close(from);
    options.proxy = NULL;
    assert_int_equal(setenv("https_proxy", "socks5://canary:1", 1), 0);
    assert_int_equal(settings_open(&options, &from, &wrong), TG_ERR_SYNTAX);
    assert_non_null(strstr(wrong.line[0], "https_proxy is not http://"));
    assert_null(strstr(wrong.line[0], "canary"));
    settings_close(from);
}

/* The first indented text of the manual that begins with a comment. */
static void the_example_of_the_manual_is_right(void **state)
{
    (void)state;
    char line[512];
    char text[8192] = "";
    bool inside = false;
    FILE *manual = fopen(TG_TEST_MANUAL, "r");
    assert_non_null(manual);
    while (fgets(line, sizeof line, manual) != NULL) {
        inside = strncmp(line, "    #", 5) == 0 ||
                 (inside && (strncmp(line, "    ", 4) == 0 || line[0] == '\n'));
        if (inside) {
            (void)strcat(text, line);
        } else if (text[0] != '\0') {
            break;
        }
    }
    (void)fclose(manual);
    assert_non_null(strstr(text, "[profile staging]"));
    const text_file file = text_file_write(text, strlen(text));
    terminal_options options = {.profile = "staging", .config = file.path};
    settings *from = NULL;
    const tg_err err = settings_open(&options, &from, &wrong);
    if (err != TG_OK) {
        fail_msg("%s", wrong.line[0]);
    }
    for (int id = 0; id < SETTING_COUNT; id++) {
        /* It shows every key. */
        if (id != SETTING_TOKEN_FILE && id != SETTING_PROXY) {
            assert_non_null(strstr(settings_origin(from, (setting_id)id), file.path));
        }
    }
    settings_close(from);
    options.profile = "local";
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    settings_close(from);
    text_file_remove(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_example_of_the_manual_is_right, forget),
        cmocka_unit_test_setup(without_a_file_there_are_defaults, forget),
        cmocka_unit_test_setup(the_command_line_comes_before_the_file_before_what_was_saved,
                               forget),
        cmocka_unit_test_setup(the_file_is_found_in_the_users_folder, forget),
        cmocka_unit_test_setup(what_is_wrong_is_named, forget),
        cmocka_unit_test_setup(the_proxy_of_the_environment_has_to_suit_every_endpoint, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
