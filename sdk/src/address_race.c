#include "address_race.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define STAGGER_NS INT64_C(250000000) /* RFC 8305 8 */
#define NS_PER_MS  INT64_C(1000000)

typedef struct race {
    const tg__addresses *addresses;
    uint16_t port;
    uint32_t next; /* address that has not been tried */
    int64_t next_at_ns;
    uint32_t open; /* attempts under way: the first entries of fds, behind cancel_fd */
    struct pollfd fds[TG__ADDRESSES_MAX + 1];
    uint32_t index[TG__ADDRESSES_MAX + 1];
    tg__race_result *result;
} race;

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* A socket whose connect() is under way or done; -1 with errno. */
static int start_connect(const char *address, uint16_t port)
{
    char service[8];
    (void)snprintf(service, sizeof service, "%u", (unsigned)port);
    struct addrinfo hints;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    struct addrinfo *info = NULL;
    if (getaddrinfo(address, service, &hints, &info) != 0) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    const int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int failure = fd < 0 ? errno : 0;
    if (fd >= 0) {
        const int on = 1;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (connect(fd, info->ai_addr, info->ai_addrlen) != 0 && errno != EINPROGRESS) {
            failure = errno;
            (void)close(fd);
        }
    }
    freeaddrinfo(info);
    errno = failure;
    return failure == 0 ? fd : -1;
}

/* The next address may be tried at once. */
static void note_failure(race *r, uint32_t index, int failure)
{
    r->result->index = index;
    r->result->failure = failure;
    r->next_at_ns = 0;
}

static void start_next(race *r, int64_t now)
{
    const uint32_t index = r->next++;
    const int fd = start_connect(r->addresses->text[index], r->port);
    if (fd < 0) {
        note_failure(r, index, errno);
        return;
    }
    r->next_at_ns = now + STAGGER_NS;
    r->open++;
    r->fds[r->open] = (struct pollfd){fd, POLLOUT, 0};
    r->index[r->open] = index;
}

static void forget(race *r, uint32_t entry)
{
    r->fds[entry] = r->fds[r->open];
    r->index[entry] = r->index[r->open];
    r->open--;
}

/* True: there is a winner. */
static bool look_at(race *r, uint32_t entry)
{
    const int fd = r->fds[entry].fd;
    int failure = 0;
    socklen_t size = sizeof failure;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) != 0) {
        failure = errno;
    }
    const uint32_t index = r->index[entry];
    forget(r, entry);
    if (failure != 0) {
        (void)close(fd);
        note_failure(r, index, failure);
        return false;
    }
    *r->result = (tg__race_result){fd, index, 0};
    return true;
}

static int timeout_ms(const race *r, int64_t now)
{
    if (r->next == r->addresses->count) {
        return -1;
    }
    const int64_t wait_ns = r->next_at_ns - now;
    return wait_ns <= 0 ? 0 : (int)((wait_ns + NS_PER_MS - 1) / NS_PER_MS);
}

/* True: it is decided. */
static bool run_once(race *r)
{
    const int64_t now = now_ns();
    while (r->next < r->addresses->count && (r->open == 0 || now >= r->next_at_ns)) {
        start_next(r, now);
    }
    if (r->open == 0) {
        return true;
    }
    if (poll(r->fds, r->open + 1, timeout_ms(r, now)) <= 0) {
        return false; /* the next one's turn, or a signal */
    }
    if (r->fds[0].revents != 0) {
        r->result->failure = ECANCELED;
        return true;
    }
    for (uint32_t entry = r->open; entry > 0; entry--) {
        if (r->fds[entry].revents != 0 && look_at(r, entry)) {
            return true;
        }
    }
    return false;
}

void tg__address_race(const tg__addresses *addresses, uint16_t port, int cancel_fd,
                      tg__race_result *result)
{
    *result = (tg__race_result){-1, 0, 0};
    race r = {.addresses = addresses, .port = port, .result = result};
    r.fds[0] = (struct pollfd){cancel_fd, POLLIN, 0};
    while (!run_once(&r)) {
    }
    while (r.open > 0) {
        (void)close(r.fds[r.open].fd);
        r.open--;
    }
}
