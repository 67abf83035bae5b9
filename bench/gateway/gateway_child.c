#include "gateway_child.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HELP_SIZE       16384u
#define ARGUMENTS_MAX   16u
#define SIM_TICKS_PER_S 20000u /* of the simulated market at its own pace */

/* What "PROGRAM --help" prints, cut to HELP_SIZE. */
static bool read_help(const char *program, char *help, why *reason)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return why_say(reason, "%s", strerror(errno));
    }
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execl(program, program, "--help", (char *)NULL);
        _exit(127);
    }
    (void)close(ends[1]);
    size_t length = 0;
    ssize_t got = 1;
    while (got > 0 && length < HELP_SIZE - 1) {
        got = read(ends[0], help + length, HELP_SIZE - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    }
    help[length] = '\0';
    (void)close(ends[0]);
    int status = -1;
    (void)(child > 0 && waitpid(child, &status, 0));
    return status == 0 || why_say(reason, "%s --help does not work", program);
}

/* Free at this moment: nobody else on the machine should take it, and if so the start fails. */
static uint16_t free_port(void)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool good = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
                      getsockname(fd, (struct sockaddr *)&address, &size) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return good ? ntohs(address.sin_port) : 0;
}

typedef struct arguments {
    const char *at[ARGUMENTS_MAX + 1];
    size_t count;
    char speed[24];
    char rate[24];
    char metrics[32];
    char seed[24];
} arguments;

static void add(arguments *a, const char *name, const char *value)
{
    a->at[a->count++] = name;
    a->at[a->count++] = value;
    a->at[a->count] = NULL;
}

/* A gateway that can be told the market's rate is told; else the market's pace is raised. */
static void add_market(arguments *a, const gateway_child_options *o, const char *help)
{
    (void)snprintf(a->seed, sizeof a->seed, "%llu", (unsigned long long)o->seed);
    add(a, "--seed", a->seed);
    if (strstr(help, "--sim-rate") != NULL) {
        (void)snprintf(a->rate, sizeof a->rate, "%u", (unsigned)o->ticks_per_s);
        add(a, "--sim-rate", a->rate);
    } else {
        const unsigned milli = (unsigned)((uint64_t)o->ticks_per_s * 1000 / SIM_TICKS_PER_S);
        (void)snprintf(a->speed, sizeof a->speed, "%u.%03u", milli / 1000, milli % 1000);
        add(a, "--speed", a->speed);
    }
    if (strstr(help, "--sim-release-s") != NULL) {
        add(a, "--sim-release-s", "never"); /* a steady market: the rate is the row's */
    }
}

static bool make_folder(gateway_child *g, why *reason)
{
    const char *const base = getenv("TMPDIR");
    (void)snprintf(g->folder, sizeof g->folder, "%s/tickglass-bench-XXXXXX",
                   base != NULL && strlen(base) < 32 ? base : "/tmp");
    if (mkdtemp(g->folder) == NULL) {
        (void)why_say(reason, "%s: %s", g->folder, strerror(errno));
        g->folder[0] = '\0';
        return false;
    }
    (void)snprintf(g->tick_log, sizeof g->tick_log, "%s/ticks", g->folder);
    return true;
}

bool gateway_child_start(gateway_child *g, const gateway_child_options *options, why *reason)
{
    static char help[HELP_SIZE];
    arguments a;
    memset(g, 0, sizeof *g);
    memset(&a, 0, sizeof a);
    if (!read_help(options->program, help, reason)) {
        return false;
    }
    if (strstr(help, "--tick-log") == NULL) {
        return why_say(reason, "%s has no --tick-log: the oldest covered tick is not known",
                       options->program);
    }
    if (!make_folder(g, reason)) {
        return false;
    }
    add(&a, "--tick-log", g->tick_log);
    add_market(&a, options, help);
    if (strstr(help, "--metrics-listen") != NULL) {
        g->metrics_port = free_port();
        (void)snprintf(a.metrics, sizeof a.metrics, "127.0.0.1:%u", (unsigned)g->metrics_port);
        add(&a, "--metrics-listen", a.metrics);
    }
    if (!gateway_process_start(&g->process, options->program, a.at)) {
        gateway_child_close(g);
        return why_say(reason, "%s did not start", options->program);
    }
    g->address = (gateway_address){g->process.url, g->process.ca, g->process.token};
    return true;
}

int gateway_child_drain(gateway_child *g, double *seconds)
{
    struct timespec begin;
    struct timespec end;
    int status = -1;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    (void)kill(g->process.pid, SIGTERM);
    while (waitpid(g->process.pid, &status, 0) < 0 && errno == EINTR) {
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    g->process.pid = 0;
    *seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void gateway_child_stop(gateway_child *g)
{
    (void)gateway_process_stop(&g->process);
}

void gateway_child_close(gateway_child *g)
{
    gateway_child_stop(g);
    if (g->folder[0] != '\0') {
        (void)unlink(g->tick_log);
        (void)rmdir(g->folder);
        g->folder[0] = '\0';
    }
}
