#include "poll_set.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

void tg__poll_set_init(tg__poll_set *set)
{
    set->epoll_fd = -1;
    atomic_init(&set->wake_fd, -1);
}

static tg_err open_both(tg__poll_set *set)
{
    set->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    TG_ENSURE(set->epoll_fd >= 0, TG_ERR_IO);
    /* 1: what was said before it existed is not lost. */
    const int wake_fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    TG_ENSURE(wake_fd >= 0, TG_ERR_IO);
    /* Release: pairs with the acquire in tg__poll_set_wake(). */
    atomic_store_explicit(&set->wake_fd, wake_fd, memory_order_release);
    struct epoll_event event = {.events = EPOLLIN};
    TG_ENSURE(epoll_ctl(set->epoll_fd, EPOLL_CTL_ADD, wake_fd, &event) == 0, TG_ERR_IO);
    return TG_OK;
}

tg_err tg__poll_set_open(tg__poll_set *set)
{
    if (set->epoll_fd >= 0) {
        return TG_OK;
    }
    const tg_err err = open_both(set);
    if (err != TG_OK) {
        tg__poll_set_close(set);
    }
    return err;
}

void tg__poll_set_close(tg__poll_set *set)
{
    const int wake_fd = atomic_exchange_explicit(&set->wake_fd, -1, memory_order_acq_rel);
    if (wake_fd >= 0) {
        (void)close(wake_fd);
    }
    if (set->epoll_fd >= 0) {
        (void)close(set->epoll_fd);
        set->epoll_fd = -1;
    }
}

void tg__poll_set_put(tg__poll_set *set, int fd, short events)
{
    if (set->epoll_fd < 0) {
        return;
    }
    struct epoll_event event = {0};
    event.events = ((events & POLLIN) != 0 ? (uint32_t)EPOLLIN : 0u) |
                   ((events & POLLOUT) != 0 ? (uint32_t)EPOLLOUT : 0u);
    event.data.fd = fd;
    /* A number that was closed and given out again stands in no set: then it is added. */
    if (epoll_ctl(set->epoll_fd, EPOLL_CTL_MOD, fd, &event) != 0 && errno == ENOENT) {
        (void)epoll_ctl(set->epoll_fd, EPOLL_CTL_ADD, fd, &event);
    }
}

void tg__poll_set_drop(tg__poll_set *set, int fd)
{
    if (set->epoll_fd >= 0) {
        struct epoll_event unused = {0};
        (void)epoll_ctl(set->epoll_fd, EPOLL_CTL_DEL, fd, &unused);
    }
}

void tg__poll_set_wake(tg__poll_set *set)
{
    /* Acquire: pairs with the release in open_both(). */
    const int wake_fd = atomic_load_explicit(&set->wake_fd, memory_order_acquire);
    if (wake_fd >= 0) {
        /* It only fails when the count is full, and then the set is readable. */
        const uint64_t one = 1;
        ssize_t written = write(wake_fd, &one, sizeof one);
        (void)written;
    }
}

void tg__poll_set_drain(tg__poll_set *set)
{
    const int wake_fd = atomic_load_explicit(&set->wake_fd, memory_order_relaxed);
    if (wake_fd >= 0) {
        uint64_t count = 0;
        ssize_t got = read(wake_fd, &count, sizeof count);
        (void)got;
    }
}
