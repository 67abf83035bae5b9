#include "terminal_child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <child_process.h>

#define REPORT "report.json"
#define STATE  "state"
#define SAID   "said"
#define RECORD "record.tgrec"

static void file_path(const terminal_child *child, const char *name, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/%s", child->folder, name);
}

static void run_child(const terminal_child *child, const gateway_process *gateway,
                      const terminal_setup *setup)
{
    char token[128];
    char size[32];
    char report[96];
    char state[96];
    char said[96];
    char record[96];
    (void)snprintf(token, sizeof token, "%s/state/token", gateway->folder);
    (void)snprintf(size, sizeof size, "%dx%d", setup->width_px, setup->height_px);
    file_path(child, REPORT, report, sizeof report);
    file_path(child, STATE, state, sizeof state);
    file_path(child, SAID, said, sizeof said);
    file_path(child, RECORD, record, sizeof record);
    if (freopen(said, "w", stderr) == NULL) {
        _exit(126);
    }
    (void)execl(TG_TERMINAL_PROGRAM, TG_TERMINAL_PROGRAM, "--url", gateway->url, "--ca",
                gateway->ca, "--token-file", token, "--size", size, "--report", report, "--state",
                state, setup->records ? "--record" : NULL, record, (char *)NULL);
    _exit(127);
}

bool terminal_child_start(terminal_child *child, const gateway_process *gateway,
                          const terminal_setup *setup)
{
    const char *const base = getenv("TMPDIR");
    *child = (terminal_child){0};
    (void)snprintf(child->folder, sizeof child->folder, "%s/tickglass-bench-XXXXXX",
                   base != NULL && strlen(base) < 32 ? base : "/tmp");
    if (mkdtemp(child->folder) == NULL) {
        perror("mkdtemp");
        child->folder[0] = '\0';
        return false;
    }
    (void)fflush(NULL);
    const pid_t parent = getpid();
    child->pid = fork();
    if (child->pid == 0) {
        child_ends_with_parent(parent);
        run_child(child, gateway, setup);
    }
    return child->pid > 0;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static bool number_after(const char *text, const char *key, double *value)
{
    const char *at = strstr(text, key);
    if (at == NULL) {
        return false;
    }
    *value = strtod(at + strlen(key), NULL);
    return true;
}

bool terminal_child_finish(terminal_child *child, handoff_times *times)
{
    char path[96];
    char text[8192] = "";
    (void)kill(child->pid, SIGTERM);
    const int status = wait_for(child->pid);
    child->pid = 0;
    file_path(child, REPORT, path, sizeof path);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        (void)fclose(file);
    }
    const char *handoff = strstr(text, "\"handoff_us\"");
    double count = 0;
    const bool good = handoff != NULL && number_after(handoff, "\"p50\": ", &times->p50_ms) &&
                      number_after(handoff, "\"p99\": ", &times->p99_ms) &&
                      number_after(handoff, "\"p999\": ", &times->p999_ms) &&
                      number_after(handoff, "\"count\": ", &count) && count > 0;
    if (!good) {
        (void)fprintf(stderr, "bench_terminal: the terminal ended with status %#x and no times\n",
                      (unsigned)status);
        return false;
    }
    times->p50_ms /= 1000;
    times->p99_ms /= 1000;
    times->p999_ms /= 1000;
    times->count = (uint64_t)count;
    return true;
}

void terminal_child_stop(terminal_child *child)
{
    if (child->pid > 0) {
        (void)kill(child->pid, SIGTERM);
        (void)wait_for(child->pid);
        child->pid = 0;
    }
    if (child->folder[0] != '\0') {
        static const char *const names[] = {REPORT, STATE, SAID, RECORD};
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            char path[96];
            file_path(child, names[i], path, sizeof path);
            (void)unlink(path);
        }
        (void)rmdir(child->folder);
        child->folder[0] = '\0';
    }
}

double terminal_child_cpu_s(const terminal_child *child)
{
    clockid_t clock;
    struct timespec spent = {0, 0};
    if (clock_getcpuclockid(child->pid, &clock) != 0 || clock_gettime(clock, &spent) != 0) {
        (void)fprintf(stderr, "bench_terminal: the terminal has ended too early\n");
        exit(1);
    }
    return (double)spent.tv_sec + (double)spent.tv_nsec * 1e-9;
}

double terminal_child_recorded(const terminal_child *child)
{
    char path[96];
    struct stat facts;
    file_path(child, RECORD, path, sizeof path);
    return stat(path, &facts) == 0 ? (double)facts.st_size : 0;
}
