#include "balancer_process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_process.h"
#include "kept_folder.h"

static const char *const programs[] = {"/usr/sbin/haproxy", "/usr/local/sbin/haproxy"};

static const char *find_program(void)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (access(programs[i], X_OK) == 0) {
            return programs[i];
        }
    }
    return NULL;
}

bool balancer_is_installed(void)
{
    return find_program() != NULL;
}

static bool append_file(FILE *out, const char *path)
{
    FILE *const in = fopen(path, "rb");
    char bytes[8192];
    if (in == NULL) {
        return false;
    }
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    (void)fclose(in);
    return size > 0 && fwrite(bytes, 1, size, out) == size;
}

static bool write_authorities(const balancer_process *balancer, const gateway_process *a,
                              const gateway_process *b)
{
    FILE *const out = fopen(balancer->ca, "wb");
    if (out == NULL) {
        return false;
    }
    const bool good = append_file(out, a->ca) && append_file(out, b->ca);
    return fclose(out) == 0 && good;
}

/* A listening socket that haproxy inherits: nobody else can get the port in between. */
static int listen_on_any_port(int *port)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, size) != 0 || listen(fd, 128) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

static void set_variable(const char *name, const char *prefix, int number)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%s%d", prefix, number);
    (void)setenv(name, text, 1);
}

static void run_child(const balancer_process *balancer, int listener, const gateway_process *a,
                      const gateway_process *b)
{
    set_variable("TICKGLASS_BIND", "fd@", listener);
    set_variable("TICKGLASS_NODE_A", "127.0.0.1:", a->port);
    set_variable("TICKGLASS_NODE_B", "127.0.0.1:", b->port);
    (void)setenv("TICKGLASS_CA", balancer->ca, 1);
    if (freopen(balancer->log, "w", stderr) == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        _exit(126);
    }
    (void)execl(find_program(), "haproxy", "-db", "-f", TG_BALANCER_CONFIGURATION, (char *)NULL);
    _exit(127);
}

bool balancer_process_start(balancer_process *balancer, const gateway_process *a,
                            const gateway_process *b)
{
    memset(balancer, 0, sizeof *balancer);
    (void)snprintf(balancer->folder, sizeof balancer->folder, "/tmp/tickglass-test-XXXXXX");
    if (mkdtemp(balancer->folder) == NULL) {
        return false;
    }
    kept_folder_made(balancer->folder);
    (void)snprintf(balancer->ca, sizeof balancer->ca, "%s/ca.pem", balancer->folder);
    (void)snprintf(balancer->log, sizeof balancer->log, "%s/log", balancer->folder);
    const int listener = listen_on_any_port(&balancer->port);
    if (listener < 0 || !write_authorities(balancer, a, b)) {
        return false;
    }
    (void)snprintf(balancer->url, sizeof balancer->url, "wss://127.0.0.1:%d/tickglass",
                   balancer->port);
    (void)fflush(NULL);
    const pid_t parent = getpid();
    balancer->pid = fork();
    if (balancer->pid == 0) {
        child_ends_with_parent(parent);
        run_child(balancer, listener, a, b);
    }
    (void)close(listener);
    return balancer->pid > 0;
}

void balancer_process_stop(balancer_process *balancer)
{
    if (balancer->pid > 0) {
        (void)kill(balancer->pid, SIGTERM);
        while (waitpid(balancer->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        balancer->pid = 0;
    }
    if (balancer->folder[0] != '\0') {
        (void)unlink(balancer->ca);
        (void)unlink(balancer->log);
        (void)rmdir(balancer->folder);
        balancer->folder[0] = '\0';
    }
}
