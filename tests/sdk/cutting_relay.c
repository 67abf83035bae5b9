#include "cutting_relay.h"

#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in loopback(unsigned port)
{
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)port);
    return address;
}

static void hurry(int fd)
{
    const int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static bool pass_on(int from, int to, uint64_t limit, uint64_t *passed)
{
    uint8_t bytes[16384];
    const size_t wanted = limit - *passed < sizeof bytes ? limit - *passed : sizeof bytes;
    const ssize_t n = recv(from, bytes, wanted, 0);
    if (n <= 0) {
        return false;
    }
    *passed += (uint64_t)n;
    for (ssize_t used = 0; used < n;) {
        const ssize_t sent = send(to, bytes + used, (size_t)(n - used), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        used += sent;
    }
    return true;
}

static bool is_due(cutting_relay *relay, uint64_t to_client)
{
    return atomic_load(&relay->cut_wanted) || to_client >= atomic_load(&relay->cut_after);
}

/* Until one side ends, or it is to be cut. */
static void pass(cutting_relay *relay, int client, int gateway)
{
    uint64_t to_client = 0;
    uint64_t to_gateway = 0;
    bool good = true;
    while (good && !is_due(relay, to_client) && !atomic_load(&relay->over)) {
        struct pollfd events[] = {
            {client, POLLIN, 0}, {gateway, POLLIN, 0}, {relay->wake[0], POLLIN, 0}};
        uint8_t byte = 0;
        good = poll(events, 3, -1) > 0;
        if (good && events[0].revents != 0) {
            good = pass_on(client, gateway, UINT64_MAX, &to_gateway);
        }
        if (good && events[1].revents != 0) {
            good = pass_on(gateway, client, atomic_load(&relay->cut_after), &to_client);
        }
        if (events[2].revents != 0) {
            (void)!read(relay->wake[0], &byte, 1);
        }
    }
    if (is_due(relay, to_client)) {
        const struct linger now = {1, 0};
        (void)setsockopt(client, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        atomic_store(&relay->cut_after, CUTTING_RELAY_NEVER);
        (void)close(client);
        (void)atomic_fetch_add(&relay->cuts, 1);
        atomic_store(&relay->cut_wanted, false);
        return;
    }
    (void)close(client);
}

static void *run(void *argument)
{
    cutting_relay *relay = argument;
    const struct sockaddr_in address = loopback(relay->gateway_port);
    while (!atomic_load(&relay->over)) {
        const int client = accept(relay->listener, NULL, NULL);
        if (client < 0) {
            continue; /* it was shut down */
        }
        const int gateway = socket(AF_INET, SOCK_STREAM, 0);
        hurry(client);
        hurry(gateway);
        atomic_store(&relay->connected, true);
        if (connect(gateway, (const struct sockaddr *)&address, sizeof address) == 0) {
            pass(relay, client, gateway);
        } else {
            (void)close(client);
        }
        atomic_store(&relay->connected, false);
        (void)close(gateway);
    }
    return NULL;
}

void cutting_relay_start(cutting_relay *relay, int gateway_port)
{
    memset(relay, 0, sizeof *relay);
    atomic_store(&relay->cut_after, CUTTING_RELAY_NEVER);
    relay->gateway_port = (uint16_t)gateway_port;
    relay->listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    assert_int_equal(bind(relay->listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(relay->listener, 8), 0);
    assert_int_equal(getsockname(relay->listener, (struct sockaddr *)&address, &size), 0);
    relay->port = ntohs(address.sin_port);
    assert_int_equal(pipe(relay->wake), 0);
    assert_int_equal(pthread_create(&relay->thread, NULL, run, relay), 0);
}

static void wake(cutting_relay *relay)
{
    (void)!write(relay->wake[1], "", 1);
}

void cutting_relay_stop(cutting_relay *relay)
{
    atomic_store(&relay->over, true);
    (void)shutdown(relay->listener, SHUT_RDWR);
    wake(relay);
    assert_int_equal(pthread_join(relay->thread, NULL), 0);
    (void)close(relay->listener);
    (void)close(relay->wake[0]);
    (void)close(relay->wake[1]);
}

void cutting_relay_cut(cutting_relay *relay)
{
    atomic_store(&relay->cut_wanted, true);
    wake(relay);
    while (atomic_load(&relay->cut_wanted) && atomic_load(&relay->connected)) {
        (void)sched_yield();
    }
}
