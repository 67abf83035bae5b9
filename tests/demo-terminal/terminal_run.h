/* The terminal as a program, run to its end against a gateway, and its report. */
#ifndef TG_TESTS_TERMINAL_RUN_H
#define TG_TESTS_TERMINAL_RUN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../integration/gateway_process.h"
#include "child_process.h"
#include "report_file.h"
#include "tg_cmocka.h"

/* more: options, NULL at the end. The exit code. */
static inline int run_terminal(const gateway_process *gateway, const char *const *more)
{
    char token_file[128];
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway->folder);
    const char *argv[32] = {TG_TEST_TERMINAL, "--headless", "--url", gateway->url,
                            "--token-file",   token_file,   "--ca",  gateway->ca};
    size_t count = 8;
    for (size_t i = 0; more[i] != NULL && count < 31; i++) {
        argv[count++] = more[i];
    }
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        child_ends_with_parent(parent);
        (void)execv(TG_TEST_TERMINAL, (char *const *)argv);
        _exit(127);
    }
    assert_true(pid > 0);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

#endif
