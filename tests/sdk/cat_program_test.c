/* tickglass-cat as a user runs it, in a pipe. */
#include "child_process.h"
#include "tg_cmocka.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../integration/gateway_process.h"

static gateway_process gateway;
static char token_file[96];

typedef struct run {
    int status;
    unsigned lines;
    char first[4096];
    char errors[8192];
} run;

/* Runs the program and reads at most line_max lines of its output, then hangs up. */
static run run_cat(unsigned line_max, const char *const *arguments)
{
    run r;
    memset(&r, 0, sizeof r);
    const char *argv[24] = {TG_CAT_PROGRAM};
    for (size_t i = 0; arguments[i] != NULL; i++) {
        argv[i + 1] = arguments[i];
    }
    char error_file[] = "tg_cat_errors_XXXXXX";
    const int errors = mkstemp(error_file);
    int output[2];
    assert_true(errors >= 0 && pipe(output) == 0);
    const pid_t parent = getpid();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        child_ends_with_parent(parent);
        (void)dup2(output[1], STDOUT_FILENO);
        (void)dup2(errors, STDERR_FILENO);
        (void)close(output[0]);
        (void)close(output[1]);
        (void)execv(TG_CAT_PROGRAM, (char *const *)argv);
        _exit(127);
    }
    (void)close(output[1]);
    FILE *lines = fdopen(output[0], "r");
    assert_non_null(lines);
    char line[4096];
    while (r.lines < line_max && fgets(line, sizeof line, lines) != NULL) {
        if (r.lines++ == 0) {
            strcpy(r.first, line);
        }
    }
    (void)fclose(lines);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status)); /* not by a signal */
    r.status = WEXITSTATUS(status);
    const ssize_t size = pread(errors, r.errors, sizeof r.errors - 1, 0);
    r.errors[size > 0 ? size : 0] = '\0';
    (void)close(errors);
    (void)unlink(error_file);
    assert_null(strstr(r.errors, gateway.token));
    return r;
}

static void rows_come_as_text_until_the_count(void **state)
{
    (void)state;
    const char *const arguments[] = {"--url",        gateway.url, "--ca",      gateway.ca,
                                     "--token-file", token_file,  "--symbols", "*",
                                     "--count",      "30",        NULL};
    const run r = run_cat(1000, arguments);
    assert_int_equal(r.status, 0);
    assert_int_equal(r.lines, 30);
    assert_non_null(strstr(r.first, "Z "));
    assert_non_null(strstr(r.first, " bid "));
}

static void rows_come_as_json(void **state)
{
    (void)state;
    const char *const arguments[] = {"--url",        gateway.url, "--ca",      gateway.ca,
                                     "--token-file", token_file,  "--symbols", "*",
                                     "--count",      "3",         "--json",    NULL};
    const run r = run_cat(1000, arguments);
    assert_int_equal(r.status, 0);
    assert_int_equal(strncmp(r.first, "{\"venue\":\"", 10), 0);
    assert_string_equal(r.first + strlen(r.first) - 2, "}\n");
}

static void a_reader_that_leaves_ends_it_in_order(void **state)
{
    (void)state;
    const char *const arguments[] = {"--url",    gateway.url, "--ca", gateway.ca, "--token-file",
                                     token_file, "--symbols", "*",    NULL};
    const run r = run_cat(2, arguments);
    assert_int_equal(r.status, 0);
    assert_int_equal(r.lines, 2);
}

static void errors_have_their_own_status_and_one_line(void **state)
{
    (void)state;
    const struct {
        int status;
        const char *why;
        const char *arguments[12];
    } rows[] = {
        {2, "--symbols is missing", {"--url", gateway.url}},
        {2,
         "--symbols: item 1 (position 1): \"nonsense\" is not VENUE:SYMBOL",
         {"--url", gateway.url, "--symbols", "nonsense"}},
        {3, "url is not wss://", {"--url", "http://x", "--symbols", "A:B"}},
        {3, "no-such-file", {"--url", gateway.url, "--symbols", "@no-such-file"}},
        {3,
         "no-such-token",
         {"--url", gateway.url, "--symbols", "A:B", "--token-file", "no-such-token"}},
        {3, "--ca", {"--url", gateway.url, "--symbols", "A:B", "--ca", "no-such-ca"}},
        {4, "401", {"--url", gateway.url, "--symbols", "A:B", "--ca", gateway.ca}},
        {4,
         "NO:SUCH",
         {"--url", gateway.url, "--symbols", "NO:SUCH", "--ca", gateway.ca, "--token-file",
          token_file}},
        {5,
         "Connection refused",
         {"--url", "wss://127.0.0.1:1", "--symbols", "A:B", "--ca", gateway.ca, "--seconds", "1"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const run r = run_cat(1000, rows[i].arguments);
        if (r.status != rows[i].status || strstr(r.errors, rows[i].why) == NULL || r.lines != 0) {
            fail_msg("row %zu: status %d, %u lines, said: %s", i, r.status, r.lines, r.errors);
        }
    }
}

static int start(void **state)
{
    (void)state;
    if (!gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, NULL)) {
        return -1;
    }
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway.folder);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    (void)gateway_process_stop(&gateway);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_as_text_until_the_count),
        cmocka_unit_test(rows_come_as_json),
        cmocka_unit_test(a_reader_that_leaves_ends_it_in_order),
        cmocka_unit_test(errors_have_their_own_status_and_one_line),
    };
    return cmocka_run_group_tests_name("sdk.cat_program", tests, start, stop);
}
