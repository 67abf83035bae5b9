/* The program before it runs: SIGTERM ends it wherever it waits for somebody who never answers. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/clock.h>

#include "tg_cmocka.h"

#include "../gateway/scratch_folder.h"
#include "child_process.h"

#define LIMIT_MS      60000
#define ARGUMENTS_MAX 24
#define X_PORT        6000 /* of display 0 */

static scratch_folder folder;

/* The terminal; its outputs are the other end of said. */
typedef struct program {
    pid_t pid;
    int said;
} program;

/* In the scratch folder, which is the user's, too. */
static program start(const char *const *arguments)
{
    const char *argv[ARGUMENTS_MAX + 1] = {TG_TEST_TERMINAL};
    size_t count = 1;
    for (size_t i = 0; arguments[i] != NULL && count < ARGUMENTS_MAX; i++) {
        argv[count++] = arguments[i];
    }
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t parent = getpid();
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        child_ends_with_parent(parent);
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)setenv("XDG_CONFIG_HOME", folder.path, 1);
        if (chdir(folder.path) == 0) {
            (void)execv(TG_TEST_TERMINAL, (char *const *)argv);
        }
        _exit(127);
    }
    assert_true(pid > 0);
    (void)close(ends[1]);
    return (program){pid, ends[0]};
}

static void await(int fd, short events)
{
    struct pollfd one = {fd, events, 0};
    int ready = 0;
    while ((ready = poll(&one, 1, LIMIT_MS)) < 0 && errno == EINTR) {
    }
    assert_int_equal(ready, 1);
}

/* SIGTERM, and it ends by it. */
static void expect_end(program *of)
{
    char said[2048] = "";
    size_t used = 0;
    ssize_t n = 1;
    assert_int_equal(kill(of->pid, SIGTERM), 0);
    while (n > 0 && used < sizeof said - 1) {
        await(of->said, POLLIN);
        n = read(of->said, said + used, sizeof said - 1 - used);
        used += n > 0 ? (size_t)n : 0;
    }
    (void)close(of->said);
    int status = 0;
    while (waitpid(of->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM) {
        fail_msg("status %#x; it said: %s", (unsigned)status, said);
    }
}

static void make_pipe(const char *name)
{
    (void)unlink(scratch_path(&folder, name));
    assert_int_equal(mkfifo(scratch_path(&folder, name), 0600), 0);
}

/* Once somebody reads it. He waits for what is never written. */
static int open_pipe(const char *name)
{
    const tg_clock clock = tg_clock_system();
    const int64_t until_ns = tg_clock_mono_ns(&clock) + LIMIT_MS * INT64_C(1000000);
    int fd = -1;
    while ((fd = open(scratch_path(&folder, name), O_WRONLY | O_NONBLOCK)) < 0) {
        assert_int_equal(errno, ENXIO);
        assert_true(tg_clock_mono_ns(&clock) < until_ns);
    }
    return fd;
}

static void expect_record_is_closed(void)
{
    char command[512];
    char said[512];
    (void)snprintf(command, sizeof command, TG_TEST_LOG " verify %s",
                   scratch_path(&folder, "record.tgrec"));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
    if (strstr(said, "closed in order") == NULL) {
        fail_msg("the record: %s", said);
    }
    assert_int_equal(unlink(scratch_path(&folder, "record.tgrec")), 0);
}

/* ---- what it waits for ------------------------------------------------------------------------
 */

static int listener;
static int port;

static int accept_one(void)
{
    await(listener, POLLIN);
    const int fd = accept(listener, NULL, NULL);
    assert_true(fd >= 0);
    return fd;
}

static void an_x_server_that_never_answers(void **state)
{
    (void)state;
    char display[32];
    (void)snprintf(display, sizeof display, "127.0.0.1:%d", port - X_PORT);
    (void)setenv("DISPLAY", display, 1);
    (void)setenv("SDL_VIDEODRIVER", "x11", 1);
    const char *const arguments[] = {"--url", "wss://127.0.0.1:1", "--record", "record.tgrec",
                                     NULL};
    program terminal = start(arguments);
    const int fd = accept_one();
    await(fd, POLLIN); /* it asks for a connection */
    expect_end(&terminal);
    expect_record_is_closed();
    (void)close(fd);
}

static void a_file_that_is_a_pipe(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        const char *value;
        const char *more;
    } cases[] = {
        {"--script", "pipe", "--headless"},       {"--check-tape", "pipe", "--headless"},
        {"--token-file", "pipe", "--headless"},   {"--symbols", "@pipe", "--headless"},
        {"--symbols", "@pipe", "--check-config"}, {"--token-file", "pipe", "--check-config"},
        {"--token-file", "pipe", "--diagnose"},   {"--state", "pipe", "--headless"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char url[64];
        (void)snprintf(url, sizeof url, "wss://127.0.0.1:%d", port);
        const char *const arguments[] = {"--url",        url,           cases[i].option,
                                         cases[i].value, cases[i].more, NULL};
        make_pipe("pipe");
        program terminal = start(arguments);
        const int fd = open_pipe("pipe");
        expect_end(&terminal);
        (void)close(fd);
    }
}

/* The record has begun by then. */
static void a_token_that_is_a_pipe_while_it_records(void **state)
{
    (void)state;
    const char *const arguments[] = {"--headless", "--url",    "wss://127.0.0.1:1", "--token-file",
                                     "pipe",       "--record", "record.tgrec",      NULL};
    make_pipe("pipe");
    program terminal = start(arguments);
    const int fd = open_pipe("pipe");
    expect_end(&terminal);
    expect_record_is_closed();
    (void)close(fd);
}

/* The command ends with it. */
static void a_command_for_tokens(void **state)
{
    (void)state;
    char url[64];
    (void)snprintf(url, sizeof url, "wss://127.0.0.1:%d", port);
    const char *const arguments[] = {"--url",          url,          "--token-command",
                                     "cat pipe | cat", "--diagnose", NULL};
    make_pipe("pipe");
    program terminal = start(arguments);
    const int fd = open_pipe("pipe");
    expect_end(&terminal);
    await(fd, 0); /* nobody reads any more: an error, which is always waited for */
    (void)close(fd);
}

static void a_gateway_that_never_answers(void **state)
{
    (void)state;
    char url[64];
    (void)snprintf(url, sizeof url, "wss://127.0.0.1:%d", port);
    const char *const arguments[] = {"--url", url, "--diagnose", NULL};
    program terminal = start(arguments);
    const int route = accept_one(); /* the step TCP, on a connection of its own */
    const int session = accept_one();
    await(session, POLLIN);
    expect_end(&terminal);
    (void)close(route);
    (void)close(session);
}

static int open_all(void **state)
{
    (void)state;
    static const char *const names[] = {"https_proxy", "HTTPS_PROXY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)unsetenv(names[i]);
    }
    scratch_folder_open(&folder);
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 16), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    port = ntohs(address.sin_port);
    assert_true(port >= X_PORT);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    (void)close(listener);
    scratch_folder_close(&folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_x_server_that_never_answers),
        cmocka_unit_test(a_file_that_is_a_pipe),
        cmocka_unit_test(a_token_that_is_a_pipe_while_it_records),
        cmocka_unit_test(a_command_for_tokens),
        cmocka_unit_test(a_gateway_that_never_answers),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
