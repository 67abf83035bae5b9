#include "gateway_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child_process.h"
#include "kept_folder.h"

#define ARGUMENTS_MAX  32
#define START_LIMIT_MS 60000

static long now_ms(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool read_line(const char *folder, const char *name, char *out, size_t size)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    const bool good = fgets(out, (int)size, file) != NULL;
    (void)fclose(file);
    out[good ? strcspn(out, "\r\n") : 0] = '\0';
    return good && out[0] != '\0';
}

static void print_log(const gateway_process *gateway)
{
    FILE *const file = fopen(gateway->log, "r");
    if (file != NULL) {
        char line[512];
        while (fgets(line, sizeof line, file) != NULL) {
            (void)fputs(line, stderr);
        }
        (void)fclose(file);
    }
}

static void run_child(const gateway_process *gateway, const char *program,
                      const char *const *arguments)
{
    char port_file[96];
    char state_dir[96];
    (void)snprintf(port_file, sizeof port_file, "%s/port", gateway->folder);
    (void)snprintf(state_dir, sizeof state_dir, "%s/state", gateway->folder);
    const char *argv[ARGUMENTS_MAX + 1] = {program,   "--listen",    "127.0.0.1:0", "--port-file",
                                           port_file, "--state-dir", state_dir};
    size_t count = 7;
    for (size_t i = 0; arguments != NULL && arguments[i] != NULL && count < ARGUMENTS_MAX; i++) {
        argv[count++] = arguments[i];
    }
    if (freopen(gateway->log, "a", stderr) == NULL) {
        _exit(126);
    }
    (void)execv(program, (char *const *)argv);
    (void)fprintf(stderr, "%s: %s\n", program, strerror(errno));
    _exit(127);
}

/* The port file appears by a rename: the folder's watch wakes us, no polling on time. */
static bool await_port(gateway_process *gateway)
{
    const long deadline = now_ms() + START_LIMIT_MS;
    char text[16];
    while (!read_line(gateway->folder, "port", text, sizeof text)) {
        struct pollfd event = {gateway->watch, POLLIN, 0};
        char drained[4096];
        const long left = deadline - now_ms();
        /* Also wake up now and then to see whether the child has given up. */
        if (left <= 0 || waitpid(gateway->pid, NULL, WNOHANG) == gateway->pid) {
            return false;
        }
        if (poll(&event, 1, left < 200 ? (int)left : 200) > 0 &&
            read(gateway->watch, drained, sizeof drained) < 0) {
            return false;
        }
    }
    gateway->port = atoi(text);
    return gateway->port > 0;
}

static bool make_folder(gateway_process *gateway)
{
    memset(gateway, 0, sizeof *gateway);
    const char *const base = getenv("TMPDIR");
    (void)snprintf(gateway->folder, sizeof gateway->folder, "%s/tickglass-test-XXXXXX",
                   base != NULL && strlen(base) < 32 ? base : "/tmp");
    if (mkdtemp(gateway->folder) == NULL) {
        perror("mkdtemp");
        return false;
    }
    kept_folder_made(gateway->folder);
    (void)snprintf(gateway->log, sizeof gateway->log, "%s/log", gateway->folder);
    (void)snprintf(gateway->ca, sizeof gateway->ca, "%s/state/ca.pem", gateway->folder);
    return true;
}

/* In its folder, on a port that it chooses. */
static bool launch(gateway_process *gateway, const char *program, const char *const *arguments)
{
    char port_file[96];
    (void)snprintf(port_file, sizeof port_file, "%s/port", gateway->folder);
    (void)unlink(port_file); /* of the process before */
    gateway->watch = inotify_init1(IN_CLOEXEC);
    if (gateway->watch < 0 ||
        inotify_add_watch(gateway->watch, gateway->folder, IN_MOVED_TO | IN_CLOSE_WRITE) < 0) {
        perror("inotify");
        (void)gateway_process_stop(gateway);
        return false;
    }
    (void)fflush(NULL);
    const pid_t parent = getpid();
    gateway->pid = fork();
    if (gateway->pid == 0) {
        child_ends_with_parent(parent);
        run_child(gateway, program, arguments);
    }
    return gateway->pid > 0;
}

bool gateway_process_begin(gateway_process *gateway, const char *program,
                           const char *const *arguments)
{
    return make_folder(gateway) && launch(gateway, program, arguments);
}

bool gateway_process_await(gateway_process *gateway)
{
    char state_dir[96];
    (void)snprintf(state_dir, sizeof state_dir, "%s/state", gateway->folder);
    const bool good = await_port(gateway);
    (void)read_line(state_dir, "token", gateway->token, sizeof gateway->token);
    (void)close(gateway->watch);
    if (!good) {
        (void)fprintf(stderr, "the gateway did not start; it said:\n");
        print_log(gateway);
        (void)gateway_process_stop(gateway);
        return false;
    }
    (void)snprintf(gateway->url, sizeof gateway->url, "wss://127.0.0.1:%d/tickglass",
                   gateway->port);
    return true;
}

bool gateway_process_start(gateway_process *gateway, const char *program,
                           const char *const *arguments)
{
    return gateway_process_begin(gateway, program, arguments) && gateway_process_await(gateway);
}

bool gateway_process_resume(gateway_process *gateway, const char *program,
                            const char *const *arguments)
{
    return launch(gateway, program, arguments) && gateway_process_await(gateway);
}

bool gateway_process_restart(gateway_process *gateway, const char *program)
{
    (void)kill(gateway->pid, SIGTERM);
    while (waitpid(gateway->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    char listen_at[32];
    (void)snprintf(listen_at, sizeof listen_at, "127.0.0.1:%d", gateway->port);
    const char *const arguments[] = {"--listen", listen_at, NULL};
    (void)fflush(NULL);
    const pid_t parent = getpid();
    gateway->pid = fork();
    if (gateway->pid == 0) {
        child_ends_with_parent(parent);
        run_child(gateway, program, arguments);
    }
    return gateway->pid > 0;
}

void gateway_process_kill(gateway_process *gateway)
{
    (void)kill(gateway->pid, SIGKILL);
    while (waitpid(gateway->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    gateway->pid = 0;
}

static void remove_folder(const char *folder)
{
    const pid_t child = fork();
    if (child == 0) {
        (void)execlp("rm", "rm", "-rf", "--", folder, (char *)NULL);
        _exit(127);
    }
    if (child > 0) {
        (void)waitpid(child, NULL, 0);
    }
}

int gateway_process_stop(gateway_process *gateway)
{
    int status = 0;
    if (gateway->pid > 0) {
        (void)kill(gateway->pid, SIGTERM);
        while (waitpid(gateway->pid, &status, 0) < 0 && errno == EINTR) {
        }
        gateway->pid = 0;
    }
    if (gateway->folder[0] != '\0') {
        remove_folder(gateway->folder);
        gateway->folder[0] = '\0';
    }
    return status;
}
