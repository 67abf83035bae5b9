/* The case jwt: what a token costs is measured inside the gateway's room, by a program of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_settings.h"

bool bench_tokens(const bench_settings *settings, why *reason)
{
    const char *argv[4] = {TG_BENCH_JWT_PROGRAM};
    size_t count = 1;
    if (settings->json) {
        argv[count++] = "--json";
    }
    if (settings->quick) {
        argv[count++] = "--quick";
    }
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child < 0 || status != 0) {
        return why_say(reason, "%s did not end well (status %d)", argv[0], status);
    }
    return true;
}
