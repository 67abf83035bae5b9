/* Over the loopback: what the system does with the options, and what it tells. */
#define _DEFAULT_SOURCE

#include "tg_cmocka.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tcp_socket.h"

#define PATIENCE_S   30
#define SEND_BUFFER  16384
#define UNSENT       8192
#define PEER_BUFFER  65536 /* as it is asked for: Linux doubles it, too */
#define SEND_TRY     (16u << 20)
#define SEND_AT_ONCE 1000
#define SETTLE_MS    100

typedef struct pair {
    int ours;
    int peer;
} pair;

static int set_up(void **state)
{
    static pair p;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int room = PEER_BUFFER;
    const int on = 1;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    p.peer = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(setsockopt(p.peer, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), 0);
    assert_int_equal(connect(p.peer, (const struct sockaddr *)&address, sizeof address), 0);
    p.ours = accept(listener, NULL, NULL);
    assert_true(p.ours >= 0);
    /* As libwebsockets has it: small writes do not wait for each other. */
    assert_int_equal(setsockopt(p.ours, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    assert_int_equal(close(listener), 0);
    *state = &p;
    return 0;
}

static int tear_down(void **state)
{
    pair *p = *state;
    (void)close(p->ours);
    if (p->peer >= 0) {
        (void)close(p->peer);
    }
    return 0;
}

static int option_of(int fd, int level, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    assert_int_equal(getsockopt(fd, level, name, &value, &size), 0);
    return value;
}

/* As the gateway does: only while the system calls the socket writable, for longer than an
 * acknowledgement is delayed. */
static size_t send_all_that_fits(int fd)
{
    static const char bytes[SEND_AT_ONCE];
    size_t total = 0;
    struct pollfd writable = {fd, POLLOUT, 0};
    while (total < SEND_TRY && poll(&writable, 1, SETTLE_MS) == 1) {
        const ssize_t sent = send(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent <= 0) {
            assert_int_equal(errno, EAGAIN);
            break;
        }
        total += (size_t)sent;
    }
    return total;
}

static size_t unread_by(int fd)
{
    int unread = 0;
    assert_int_equal(ioctl(fd, FIONREAD, &unread), 0);
    return (size_t)unread;
}

/* Acknowledgements may be delayed: waits until that much waits. */
static void await_waiting(const pair *p, size_t total)
{
    const time_t deadline = time(NULL) + PATIENCE_S;
    while (tg__tcp_socket_waiting(p->ours) + unread_by(p->peer) != total) {
        if (time(NULL) > deadline) {
            fail_msg("of %zu bytes %zu wait and %zu came", total, tg__tcp_socket_waiting(p->ours),
                     unread_by(p->peer));
        }
    }
}

static void await_event(int fd, short events)
{
    struct pollfd wanted = {fd, events, 0};
    assert_int_equal(poll(&wanted, 1, PATIENCE_S * 1000), 1);
}

static void the_cap_is_set_with_the_system(void **state)
{
    pair *p = *state;
    assert_true(tg__tcp_socket_cap(p->ours));
    assert_int_equal(option_of(p->ours, SOL_SOCKET, SO_SNDBUF), 2 * SEND_BUFFER);
    assert_int_equal(option_of(p->ours, IPPROTO_TCP, TCP_NOTSENT_LOWAT), UNSENT);
    assert_false(tg__tcp_socket_cap(-1));
    assert_int_equal(errno, EBADF);
}

static void who_does_not_read_takes_no_more_than_the_two_buffers(void **state)
{
    pair *p = *state;
    assert_true(tg__tcp_socket_cap(p->ours));
    const int peer_room = option_of(p->peer, SOL_SOCKET, SO_RCVBUF);
    const size_t total = send_all_that_fits(p->ours);
    assert_in_range(total, SEND_AT_ONCE, (size_t)(2 * SEND_BUFFER + peer_room));
    /* What has not left the machine is less than the mark and the one write that crossed it. */
    await_waiting(p, total);
    assert_in_range(tg__tcp_socket_waiting(p->ours), 1, 2 * SEND_BUFFER);
}

static void what_is_not_acknowledged_waits(void **state)
{
    pair *p = *state;
    char bytes[4096];
    assert_true(tg__tcp_socket_cap(p->ours));
    assert_int_equal(tg__tcp_socket_waiting(p->ours), 0);
    size_t total = send_all_that_fits(p->ours);
    await_waiting(p, total);
    while (total > 0) {
        const ssize_t got = recv(p->peer, bytes, sizeof bytes, 0);
        assert_true(got > 0);
        total -= (size_t)got;
    }
    await_waiting(p, 0);
    assert_int_equal(tg__tcp_socket_waiting(p->ours), 0);
    assert_int_equal(tg__tcp_socket_waiting(-1), 0);
}

static void a_reset_closes_both_directions_and_a_fin_does_not(void **state)
{
    pair *p = *state;
    char byte = 0;
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    assert_false(tg__tcp_socket_is_closed(p->ours));
    assert_int_equal(shutdown(p->peer, SHUT_WR), 0);
    await_event(p->ours, POLLIN);
    assert_int_equal(recv(p->ours, &byte, 1, 0), 0);
    assert_false(tg__tcp_socket_is_closed(p->ours));
    assert_int_equal(send(p->ours, "x", 1, MSG_NOSIGNAL), 1); /* its own direction is still there */
    assert_int_equal(recv(p->peer, &byte, 1, 0), 1);
    assert_int_equal(setsockopt(p->peer, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    assert_int_equal(close(p->peer), 0);
    p->peer = -1;
    await_event(p->ours, POLLERR | POLLHUP);
    assert_true(tg__tcp_socket_is_closed(p->ours));
    assert_false(tg__tcp_socket_is_closed(-1));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_cap_is_set_with_the_system),
        CASE(who_does_not_read_takes_no_more_than_the_two_buffers),
        CASE(what_is_not_acknowledged_waits),
        CASE(a_reset_closes_both_directions_and_a_fin_does_not),
    };
    return cmocka_run_group_tests_name("gateway.tcp_socket", tests, NULL, NULL);
}
