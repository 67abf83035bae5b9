#include "reset_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct reset_link {
    pthread_t thread;
    int listener;
    int wake[2]; /* a byte in it tears the link */
    uint16_t port;
    uint16_t gateway_port;
};

static struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static void tear(int fd)
{
    const struct linger now = {1, 0}; /* close() sends an RST instead of a FIN */
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    (void)close(fd);
}

static bool send_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* False: that side has ended. */
static bool pass_on(int from, int to)
{
    char bytes[16384];
    const ssize_t got = recv(from, bytes, sizeof bytes, 0);
    return got > 0 && send_all(to, bytes, (size_t)got);
}

static int connect_to_gateway(const reset_link *link)
{
    const struct sockaddr_in address = loopback(link->gateway_port);
    const int on = 1;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        (void)close(fd);
        return -1;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

/* Until one side ends or the link is torn (true). */
static bool carry(const reset_link *link, int client, int gateway)
{
    for (;;) {
        struct pollfd fds[] = {
            {link->wake[0], POLLIN, 0}, {client, POLLIN, 0}, {gateway, POLLIN, 0}};
        if (poll(fds, 3, -1) < 0 && errno != EINTR) {
            return false;
        }
        if (fds[0].revents != 0) {
            return true;
        }
        if ((fds[1].revents != 0 && !pass_on(client, gateway)) ||
            (fds[2].revents != 0 && !pass_on(gateway, client))) {
            return false;
        }
    }
}

static void *run(void *argument)
{
    const reset_link *const link = argument;
    for (bool torn = false; !torn;) { /* the client may try more than once */
        struct pollfd fds[] = {{link->wake[0], POLLIN, 0}, {link->listener, POLLIN, 0}};
        const int ready = poll(fds, 2, -1);
        torn = fds[0].revents != 0 || (ready < 0 && errno != EINTR);
        if (torn || fds[1].revents == 0) {
            continue;
        }
        const int on = 1;
        const int client = accept(link->listener, NULL, NULL);
        const int gateway = client >= 0 ? connect_to_gateway(link) : -1;
        if (gateway >= 0) {
            (void)setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            torn = carry(link, client, gateway);
            tear(gateway);
        }
        if (client >= 0) {
            tear(client);
        }
    }
    return NULL;
}

static bool listen_somewhere(reset_link *link)
{
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    link->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (link->listener < 0 ||
        bind(link->listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(link->listener, 4) != 0 ||
        getsockname(link->listener, (struct sockaddr *)&address, &size) != 0) {
        return false;
    }
    link->port = ntohs(address.sin_port);
    return true;
}

static void release(reset_link *link)
{
    for (size_t i = 0; i < 2; i++) {
        if (link->wake[i] >= 0) {
            (void)close(link->wake[i]);
        }
    }
    if (link->listener >= 0) {
        (void)close(link->listener);
    }
    free(link);
}

bool reset_link_open(reset_link **out, uint16_t gateway_port, why *reason)
{
    reset_link *const link = calloc(1, sizeof *link);
    *out = NULL;
    if (link == NULL) {
        return why_say(reason, "a link: no memory");
    }
    link->listener = -1;
    link->wake[0] = link->wake[1] = -1;
    link->gateway_port = gateway_port;
    if (pipe(link->wake) != 0 || !listen_somewhere(link) ||
        pthread_create(&link->thread, NULL, run, link) != 0) {
        (void)why_say(reason, "a link: %s", strerror(errno));
        release(link);
        return false;
    }
    *out = link;
    return true;
}

uint16_t reset_link_port(const reset_link *link)
{
    return link->port;
}

void reset_link_close(reset_link *link)
{
    if (link == NULL) {
        return;
    }
    const char byte = 0;
    (void)!write(link->wake[1], &byte, 1); /* an empty pipe has room for it */
    (void)pthread_join(link->thread, NULL);
    release(link);
}
