#include "tls_front.h"

#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_process.h"

#define ON_SIX "[::1] "

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

bool tls_front_is_possible(void)
{
    if (find_program() == NULL) {
        (void)printf("SKIP: haproxy is not installed\n");
        return false;
    }
    return tls_folder_is_possible();
}

void tls_front_init(tls_front *front)
{
    memset(front, 0, sizeof *front);
    tls_folder_make(&front->folder);
}

static bool is_six(const char *bind)
{
    return strncmp(bind, ON_SIX, sizeof ON_SIX - 1) == 0;
}

/* Inherited by haproxy: nobody else can get the port in between. */
static int listen_on_any_port(bool six, int *port)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address;
    memset(&address, 0, sizeof address);
    if (six) {
        address.six.sin6_family = AF_INET6;
        address.six.sin6_addr = in6addr_loopback;
    } else {
        address.four.sin_family = AF_INET;
        address.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
    socklen_t size = six ? sizeof address.six : sizeof address.four;
    const int fd = socket(address.any.sa_family, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, &address.any, size) != 0 || listen(fd, 32) != 0 ||
        getsockname(fd, &address.any, &size) != 0) {
        *port = 0;
        if (fd >= 0) {
            (void)close(fd);
        }
        return -1;
    }
    *port = ntohs(six ? address.six.sin6_port : address.four.sin_port);
    return fd;
}

static void write_configuration(tls_front *front, const char *const *binds, const int *fds,
                                unsigned count, int backend, bool backend_tls)
{
    FILE *const out = fopen(tls_folder_file(&front->folder, "haproxy.cfg"), "w");
    assert_non_null(out);
    (void)fprintf(out, "global\n log stderr format raw local0\n"
                       "defaults\n mode tcp\n log global\n option logasap\n"
                       " log-format \"port %%fp speaks %%sslv resumed %%[ssl_fc_is_resumed]\"\n "
                       "timeout connect 10s\n timeout client 60s\n"
                       " timeout server 60s\nfrontend clients\n default_backend gateway\n");
    for (unsigned i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            (void)fprintf(out, " bind fd@%d ssl %s\n", fds[i],
                          binds[i] + (is_six(binds[i]) ? sizeof ON_SIX - 1 : 0));
        }
    }
    (void)fprintf(out, "backend gateway\n server one 127.0.0.1:%d%s\n", backend,
                  backend_tls ? " ssl verify none" : "");
    assert_int_equal(fclose(out), 0);
}

static void run_child(const tls_front *front)
{
    if (chdir(front->folder.path) != 0 || freopen("haproxy.log", "w", stderr) == NULL ||
        dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        _exit(126);
    }
    (void)execl(find_program(), "haproxy", "-db", "-f", "haproxy.cfg", (char *)NULL);
    _exit(127);
}

void tls_front_start(tls_front *front, const char *const *binds, unsigned count, int backend,
                     bool backend_tls)
{
    int fds[TLS_FRONT_PORTS];
    assert_true(count <= TLS_FRONT_PORTS);
    for (unsigned i = 0; i < count; i++) {
        fds[i] = listen_on_any_port(is_six(binds[i]), &front->port[i]);
        assert_true(fds[i] >= 0 || is_six(binds[i]));
    }
    write_configuration(front, binds, fds, count, backend, backend_tls);
    (void)fflush(NULL);
    const pid_t parent = getpid();
    front->pid = fork();
    if (front->pid == 0) {
        child_ends_with_parent(parent);
        run_child(front);
    }
    assert_true(front->pid > 0);
    for (unsigned i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            (void)close(fds[i]);
        }
    }
}

bool tls_front_said(tls_front *front, const char *text)
{
    FILE *const log = fopen(tls_folder_file(&front->folder, "haproxy.log"), "r");
    assert_non_null(log);
    char line[512];
    bool said = false;
    while (fgets(line, sizeof line, log) != NULL) {
        said = said || strstr(line, text) != NULL;
    }
    (void)fclose(log);
    return said;
}

void tls_front_end(tls_front *front)
{
    if (front->pid > 0) {
        (void)kill(front->pid, SIGTERM);
        while (waitpid(front->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        front->pid = 0;
    }
}

void tls_front_stop(tls_front *front)
{
    tls_front_end(front);
    tls_folder_remove(&front->folder);
}
