/* The program from its command line: profiles, --check-config, --diagnose, what is kept from run to
 * run. Nothing that it prints or writes holds a secret. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tg_cmocka.h"

#include "../gateway/scratch_folder.h"
#include "../integration/gateway_process.h"
#include "../sdk/route_process.h"
#include "child_process.h"

#define SAID_SIZE     16384
#define ARGUMENTS_MAX 24

static gateway_process gateway;
static scratch_folder folder;
static char said[SAID_SIZE]; /* both outputs of the latest run */

static void read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail_msg("%s is not there", path);
    }
    text[fread(text, 1, size - 1, file)] = '\0';
    (void)fclose(file);
}

static void expect_no_secret(const char *text)
{
    assert_null(strstr(text, gateway.token));
    assert_null(strstr(text, "canary"));
}

/* The exit code; the user's folder is the scratch folder. */
static int run(const char *const *arguments)
{
    const char *argv[ARGUMENTS_MAX + 1] = {TG_TEST_TERMINAL};
    size_t count = 1;
    for (size_t i = 0; arguments[i] != NULL && count < ARGUMENTS_MAX; i++) {
        argv[count++] = arguments[i];
    }
    const char *output = scratch_path(&folder, "said");
    (void)fflush(NULL);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        child_ends_with_parent(parent);
        const int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        (void)dup2(fd, STDOUT_FILENO);
        (void)dup2(fd, STDERR_FILENO);
        (void)setenv("XDG_CONFIG_HOME", folder.path, 1);
        (void)execv(TG_TEST_TERMINAL, (char *const *)argv);
        _exit(127);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    assert_true(WIFEXITED(status));
    read_file(scratch_path(&folder, "said"), said, sizeof said);
    expect_no_secret(said);
    return WEXITSTATUS(status);
}

static void expect_said(const char *part)
{
    if (strstr(said, part) == NULL) {
        fail_msg("it said \"%s\", not \"%s\"", said, part);
    }
}

/* [profile staging] in the user's folder, with names of files relative to it. */
static void write_config(const char *more)
{
    char text[1024];
    const int size = snprintf(text, sizeof text,
                              "[profile staging]\n"
                              "endpoints = %s\n"
                              "ca_file = ca.pem\n"
                              "%s",
                              gateway.url, more);
    scratch_write(&folder, "tickglass/terminal.conf", text, (size_t)size);
}

static void copy(const char *from, const char *name)
{
    char bytes[8192];
    read_file(from, bytes, sizeof bytes);
    scratch_write(&folder, name, bytes, strlen(bytes));
}

static void a_profile_of_the_users_folder_runs(void **state)
{
    (void)state;
    write_config("token_command = cat token\n");
    const char *report = "main_test.json";
    const char *const arguments[] = {"--profile", "staging",  "--headless", "--seconds",
                                     "2",         "--report", report,       NULL};
    assert_int_equal(run(arguments), 0);
    assert_string_equal(said, "");
    char text[8192];
    read_file(report, text, sizeof text);
    assert_non_null(strstr(text, "\"connects\": 1"));
    expect_no_secret(text);
    (void)unlink(report);
}

static void what_is_in_effect_is_printed(void **state)
{
    (void)state;
    write_config("token_file = token\nproxy = http://user:canary@127.0.0.1:1\n");
    const char *const arguments[] = {"--profile", "staging", "--check-config", NULL};
    assert_int_equal(run(arguments), 0);
    expect_said("http://***@127.0.0.1:1");
    expect_said("terminal.conf:5)");
    write_config("token_file = nowhere\nfont_size = 1000\n");
    assert_int_equal(run(arguments), 2);
    expect_said("terminal.conf:5: font_size: 6 to 96 is expected");
    /* The same mistake keeps it from running. */
    const char *const started[] = {"--profile", "staging", "--headless", NULL};
    assert_int_equal(run(started), 2);
    expect_said("terminal.conf:5: font_size: 6 to 96 is expected");
    const char *const unknown[] = {"--profile", "production", "--headless", NULL};
    write_config("");
    assert_int_equal(run(unknown), 2);
    expect_said("has no [profile production]");
}

static void each_step_of_the_way_has_its_exit_code(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        const char *option;
        const char *value;
        int code;
    } cases[] = {
        {"token_file = token\n", "--symbols", "ORION:BTC-USD", 0},
        {"token_file = token\n", "--url", "wss://no-such-name.invalid", 10},
        {"token_file = token\n", "--proxy", "http://user:canary@127.0.0.1:1", 11},
        {"token_file = token\n", "--url", "wss://127.0.0.1:1", 12},
        {"token_command = echo canary >&2; echo canary; exit 1\n", "--seconds", "60", 13},
        {"token_file = token\n", "--spki-pins",
         "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", 14},
        {"token_file = wrong\n", "--seconds", "60", 15},
        {"token_file = token\n", "--symbols", "NO:SUCH", 17},
        {"token_file = token\n", "--ca", "nowhere", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_config(cases[i].config);
        const char *const arguments[] = {"--profile",     "staging",      "--diagnose",
                                         cases[i].option, cases[i].value, NULL};
        const int code = run(arguments);
        if (code != cases[i].code) {
            fail_msg("%s %s: %d, and it said:\n%s", cases[i].option, cases[i].value, code, said);
        }
    }
}

static void a_proxy_is_walked_through(void **state)
{
    (void)state;
    if (!route_has_proxy()) {
        skip();
    }
    route_process proxy;
    assert_true(route_start_proxy(&proxy, "user", "canary"));
    char more[160];
    (void)snprintf(more, sizeof more,
                   "token_file = token\nproxy = http://user:canary@127.0.0.1:%d\n", proxy.port);
    write_config(more);
    const char *const arguments[] = {"--profile", "staging", "--diagnose", NULL};
    assert_int_equal(run(arguments), 0);
    expect_said("by the proxy");
    const char *const running[] = {"--profile", "staging", "--headless", "--seconds", "2", NULL};
    assert_int_equal(run(running), 0);
    route_stop(&proxy);
}

static void window_palette_and_selection_are_kept(void **state)
{
    (void)state;
    char kept[160];
    char text[512];
    write_config("token_file = token\nsymbols = ORION:BTC-USD\n");
    (void)snprintf(kept, sizeof kept, "%s/kept", folder.path);
    const char *const first[] = {"--profile", "staging",   "--headless", "--seconds",
                                 "1",         "--state",   kept,         "--size",
                                 "640x480",   "--palette", "red-up",     NULL};
    assert_int_equal(run(first), 0);
    read_file(kept, text, sizeof text);
    assert_string_equal(text, "tickglass-terminal state 3\npalette = red-up\nsize = 640x480\n"
                              "font_size = 14\nselected = ORION:BTC-USD\n"
                              "panels = quote, ladder, trades, chart\nend\n");
    const char *const look[] = {"--profile", "staging", "--check-config", "--state", kept, NULL};
    assert_int_equal(run(look), 0);
    expect_said("640x480  (saved state)");
    expect_said("red-up  (saved state)");
    const char *const second[] = {"--profile", "staging", "--headless", "--seconds",
                                  "1",         "--state", kept,         NULL};
    assert_int_equal(run(second), 0);
    read_file(kept, text, sizeof text);
    assert_non_null(strstr(text, "size = 640x480"));
    /* Broken: told, kept, and a good one is written. */
    scratch_write(&folder, "kept", "precious", 8);
    assert_int_equal(run(second), 0);
    expect_said("line 1 is broken; kept as ");
    read_file(scratch_path(&folder, "kept.broken-1"), text, sizeof text);
    assert_string_equal(text, "precious");
    read_file(kept, text, sizeof text);
    assert_non_null(strstr(text, "size = 1280x800"));
}

static void what_cannot_be_kept_is_told(void **state)
{
    (void)state;
    char kept[160];
    write_config("token_file = token\n");
    scratch_write(&folder, "file", "x", 1);
    (void)snprintf(kept, sizeof kept, "%s/file/kept", folder.path);
    const char *const arguments[] = {"--profile", "staging", "--headless", "--seconds",
                                     "2",         "--state", kept,         NULL};
    assert_int_equal(run(arguments), 4);
    expect_said("file/kept: Not a directory");
}

static int start(void **state)
{
    (void)state;
    static const char *const simulation[] = {"--sim", NULL};
    static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)unsetenv(names[i]);
    }
    scratch_folder_open(&folder);
    if (!gateway_process_start(&gateway, TG_TEST_GATEWAY, simulation)) {
        return -1;
    }
    assert_int_equal(mkdir(scratch_path(&folder, "tickglass"), 0700), 0);
    copy(gateway.ca, "tickglass/ca.pem");
    scratch_write(&folder, "tickglass/token", gateway.token, strlen(gateway.token));
    scratch_write(&folder, "tickglass/wrong", "canary\n", 7);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    (void)gateway_process_stop(&gateway);
    scratch_folder_close(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_of_the_users_folder_runs),
        cmocka_unit_test(what_is_in_effect_is_printed),
        cmocka_unit_test(each_step_of_the_way_has_its_exit_code),
        cmocka_unit_test(a_proxy_is_walked_through),
        cmocka_unit_test(window_palette_and_selection_are_kept),
        cmocka_unit_test(what_cannot_be_kept_is_told),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
