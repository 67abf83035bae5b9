#include "listener.h"

#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void listener_open(listener *l, const char *address, uint16_t port)
{
    memset(l, 0, sizeof *l);
    struct sockaddr_in at;
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    assert_int_equal(inet_pton(AF_INET, address, &at.sin_addr), 1);
    socklen_t size = sizeof at;
    l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(l->fd >= 0);
    assert_int_equal(bind(l->fd, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(l->fd, 0), 0);
    assert_int_equal(getsockname(l->fd, (struct sockaddr *)&at, &size), 0);
    l->port = ntohs(at.sin_port);
}

/* True: it was taken into the queue. */
static bool knock(listener *l)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    assert_int_equal(getsockname(l->fd, (struct sockaddr *)&at, &size), 0);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(fd >= 0);
    (void)connect(fd, (struct sockaddr *)&at, size);
    l->fillers[l->filler_count++] = fd;
    /* On loopback an answer is there at once; the first repetition comes after a second. */
    struct pollfd wait = {fd, POLLOUT, 0};
    return poll(&wait, 1, 100) == 1;
}

void listener_fill(listener *l)
{
    while (knock(l)) {
        assert_true(l->filler_count < LISTENER_FILLERS_MAX);
    }
}

void listener_drain(listener *l)
{
    for (unsigned i = 0; i < l->filler_count; i++) {
        (void)close(l->fillers[i]);
    }
    l->filler_count = 0;
    struct pollfd ready = {l->fd, POLLIN, 0};
    while (poll(&ready, 1, 0) == 1) {
        const int fd = accept(l->fd, NULL, NULL);
        assert_true(fd >= 0);
        (void)close(fd);
    }
}

void listener_close(listener *l)
{
    listener_drain(l);
    (void)close(l->fd);
}
