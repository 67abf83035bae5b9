#include "token_command.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tg_cmocka.h"

#include "../gateway/scratch_folder.h"

#define LONG_MS 60000

static int never[2]; /* a pipe that says nothing */

static int open_pipe(void **state)
{
    (void)state;
    return pipe(never);
}

static char token[SECRET_SIZE];
static char why[300];

static tg_err run(const char *command, const char *folder)
{
    why[0] = '\0';
    return token_command_run(command, folder, LONG_MS, never[0], token, why, sizeof why);
}

static void the_first_line_of_its_output_is_the_token(void **state)
{
    (void)state;
    assert_int_equal(run("echo canary", NULL), TG_OK);
    assert_string_equal(token, "canary");
    assert_int_equal(run("printf '\\n  canary \\r\\nmore\\n'; echo chatter >&2", NULL), TG_OK);
    assert_string_equal(token, "canary");
    assert_int_equal(run("printf canary", NULL), TG_OK);
    assert_string_equal(token, "canary");
}

static void a_shell_runs_it_in_the_folder(void **state)
{
    (void)state;
    scratch_folder folder;
    scratch_folder_open(&folder);
    scratch_write(&folder, "file", "canary", 6);
    assert_int_equal(run("cat file | tr a-z A-Z", folder.path), TG_OK);
    assert_string_equal(token, "CANARY");
    scratch_folder_close(&folder);
    assert_int_equal(run("echo canary", folder.path), TG_ERR_UNAUTHORIZED);
    assert_string_equal(why, "token_command: it ended with status 126");
}

static void a_failure_tells_status_and_the_first_line_of_standard_error(void **state)
{
    (void)state;
    assert_int_equal(run("echo 'no login' >&2; echo more >&2; exit 3", NULL), TG_ERR_UNAUTHORIZED);
    assert_string_equal(why, "token_command: it ended with status 3: no login");
    assert_int_equal(run("true", NULL), TG_ERR_UNAUTHORIZED);
    assert_string_equal(why, "token_command: it printed no token");
    assert_int_equal(run("printf '\\033[31mred' >&2; exit 1", NULL), TG_ERR_UNAUTHORIZED);
    assert_string_equal(why, "token_command: it ended with status 1: ?[31mred");
    assert_int_equal(run("kill -9 $$", NULL), TG_ERR_UNAUTHORIZED);
    assert_string_equal(why, "token_command: it was ended by signal 9");
    assert_int_equal(run("printf 'a\\000b'", NULL), TG_ERR_UNAUTHORIZED);
    assert_int_equal(run("head -c 9000 /dev/zero | tr '\\000' q", NULL), TG_ERR_UNAUTHORIZED);
    assert_null(strstr(why, "qqq"));
}

static void the_token_is_not_told_even_if_the_program_tells_it(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "echo secretcanary; echo got secretcanary >&2; exit 1",
        "echo secretcanary; echo \"token='secretcanary'\" >&2; exit 1",
        "echo '{\"token\": \"secretcanary\"}'; echo {token:secretcanary} >&2; exit 1",
        "set -x; echo secretcanary; exit 1",
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        assert_int_equal(run(commands[i], NULL), TG_ERR_UNAUTHORIZED);
        if (strstr(why, "canary") != NULL) {
            fail_msg("%s: said \"%s\"", commands[i], why);
        }
        assert_int_equal(token[0], 0);
    }
    /* Cut in its middle it is no longer found: it is masked before. */
    static const char long_token[] =
        "t=$(head -c 400 /dev/zero | tr '\\000' c)nary; echo $t; echo $t >&2; exit 1";
    assert_int_equal(run(long_token, NULL), TG_ERR_UNAUTHORIZED);
    assert_null(strstr(why, "ccc"));
}

static void it_has_a_deadline_and_so_has_what_it_started(void **state)
{
    (void)state;
    int gone[2];
    assert_int_equal(pipe(gone), 0);
    /* The child and its child inherit the write end: the read end sees when both are gone. */
    assert_int_equal(token_command_run("(while :; do :; done) & echo half >&2; wait", NULL, 300,
                                       never[0], token, why, sizeof why),
                     TG_ERR_TIMEOUT);
    assert_string_equal(why, "token_command: it did not end in time: half");
    assert_int_equal(close(gone[1]), 0);
    char byte = 0;
    assert_int_equal(read(gone[0], &byte, 1), 0);
    assert_int_equal(close(gone[0]), 0);
}

static void a_program_that_closes_its_output_is_awaited(void **state)
{
    (void)state;
    assert_int_equal(token_command_run("exec >/dev/null 2>&1 </dev/null; while :; do :; done", NULL,
                                       300, never[0], token, why, sizeof why),
                     TG_ERR_TIMEOUT);
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    int cancel[2];
    assert_int_equal(pipe(cancel), 0);
    assert_int_equal(close(cancel[1]), 0);
    assert_int_equal(
        token_command_run("while :; do :; done", NULL, LONG_MS, cancel[0], token, why, sizeof why),
        TG_ERR_CLOSED);
    assert_int_equal(close(cancel[0]), 0);
}

static _Atomic bool is_over;

static void *run_for_ever(void *arg)
{
    *(tg_err *)arg = run("(while :; do :; done) & wait", NULL);
    atomic_store(&is_over, true);
    return NULL;
}

/* By another thread, with all that it started; nothing happens if nothing runs. */
static void it_can_be_abandoned(void **state)
{
    (void)state;
    int gone[2];
    pthread_t thread;
    tg_err err = TG_OK;
    token_command_abandon();
    assert_int_equal(pipe(gone), 0);
    assert_int_equal(pthread_create(&thread, NULL, run_for_ever, &err), 0);
    while (!atomic_load(&is_over)) {
        token_command_abandon();
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    token_command_abandon();
    assert_int_equal(err, TG_ERR_UNAUTHORIZED);
    assert_string_equal(why, "token_command: it was ended by signal 9");
    assert_int_equal(close(gone[1]), 0);
    char byte = 0;
    assert_int_equal(read(gone[0], &byte, 1), 0);
    assert_int_equal(close(gone[0]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_of_its_output_is_the_token),
        cmocka_unit_test(a_shell_runs_it_in_the_folder),
        cmocka_unit_test(a_failure_tells_status_and_the_first_line_of_standard_error),
        cmocka_unit_test(the_token_is_not_told_even_if_the_program_tells_it),
        cmocka_unit_test(it_has_a_deadline_and_so_has_what_it_started),
        cmocka_unit_test(a_program_that_closes_its_output_is_awaited),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(it_can_be_abandoned),
    };
    return cmocka_run_group_tests(tests, open_pipe, NULL);
}
