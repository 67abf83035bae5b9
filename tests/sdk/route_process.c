#include "route_process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child_process.h"
#include "kept_folder.h"

#define PROXY    "/usr/bin/tinyproxy"
#define BALANCER "/usr/sbin/haproxy"
#define LIMIT_S  60

bool route_has_proxy(void)
{
    return access(PROXY, X_OK) == 0;
}

bool route_has_socket(void)
{
    return access(BALANCER, X_OK) == 0;
}

static bool make_folder(route_process *route)
{
    memset(route, 0, sizeof *route);
    (void)snprintf(route->folder, sizeof route->folder, "/tmp/tickglass-test-XXXXXX");
    if (mkdtemp(route->folder) == NULL) {
        return false;
    }
    kept_folder_made(route->folder);
    (void)snprintf(route->configuration, sizeof route->configuration, "%s/conf", route->folder);
    (void)snprintf(route->log, sizeof route->log, "%s/log", route->folder);
    (void)snprintf(route->socket_path, sizeof route->socket_path, "%s/gateway.sock", route->folder);
    return true;
}

/* tinyproxy inherits no socket: the port is free now, and hopefully a moment later. */
static int free_port(void)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool good = fd >= 0 && bind(fd, (const struct sockaddr *)&at, size) == 0 &&
                      getsockname(fd, (struct sockaddr *)&at, &size) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return good ? ntohs(at.sin_port) : 0;
}

static bool accepts(const route_process *route)
{
    struct sockaddr_in four;
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    memset(&four, 0, sizeof four);
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    four.sin_port = htons((uint16_t)route->port);
    (void)snprintf(local.sun_path, sizeof local.sun_path, "%s", route->socket_path);
    const bool tcp = route->port != 0;
    const int fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr *at = tcp ? (const void *)&four : (const void *)&local;
    const bool good =
        fd >= 0 && connect(fd, at, tcp ? (socklen_t)sizeof four : (socklen_t)sizeof local) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return good;
}

static bool start(route_process *route, const char *program, const char *const *arguments)
{
    (void)fflush(NULL);
    const pid_t parent = getpid();
    route->pid = fork();
    if (route->pid == 0) {
        child_ends_with_parent(parent);
        if (freopen(route->log, "w", stderr) == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
            _exit(126);
        }
        (void)execv(program, (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    const time_t until = time(NULL) + LIMIT_S;
    while (route->pid > 0 && time(NULL) < until) {
        if (accepts(route)) {
            return true;
        }
        if (waitpid(route->pid, NULL, WNOHANG) == route->pid) {
            route->pid = 0;
        }
        (void)poll(NULL, 0, 10);
    }
    return false;
}

bool route_start_proxy(route_process *route, const char *user, const char *password)
{
    if (!make_folder(route)) {
        return false;
    }
    route->port = free_port();
    FILE *const out = fopen(route->configuration, "w");
    if (out == NULL || route->port == 0) {
        return false;
    }
    (void)fprintf(out, "Port %d\nListen 127.0.0.1\nTimeout 60\nMaxClients 20\nLogLevel Warning\n",
                  route->port);
    if (user != NULL) {
        (void)fprintf(out, "BasicAuth %s %s\n", user, password);
    }
    if (fclose(out) != 0) {
        return false;
    }
    const char *const arguments[] = {"tinyproxy", "-d", "-c", route->configuration, NULL};
    return start(route, PROXY, arguments);
}

bool route_start_socket(route_process *route, const gateway_process *gateway)
{
    if (!make_folder(route)) {
        return false;
    }
    FILE *const out = fopen(route->configuration, "w");
    if (out == NULL) {
        return false;
    }
    (void)fprintf(out,
                  "defaults\n    mode tcp\n    timeout connect 5s\n    timeout client 90s\n"
                  "    timeout server 90s\nlisten gateway\n    bind \"unix@%s\"\n"
                  "    server one 127.0.0.1:%d ssl ca-file \"%s\" verify required verifyhost "
                  "localhost\n",
                  route->socket_path, gateway->port, gateway->ca);
    if (fclose(out) != 0) {
        return false;
    }
    const char *const arguments[] = {"haproxy", "-db", "-f", route->configuration, NULL};
    return start(route, BALANCER, arguments);
}

void route_stop(route_process *route)
{
    if (route->pid > 0) {
        (void)kill(route->pid, SIGTERM);
        while (waitpid(route->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        route->pid = 0;
    }
    if (route->folder[0] != '\0') {
        (void)unlink(route->configuration);
        (void)unlink(route->log);
        (void)unlink(route->socket_path);
        (void)rmdir(route->folder);
        route->folder[0] = '\0';
    }
}
