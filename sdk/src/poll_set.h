/*
 * One descriptor for a host's loop: readable when one of the sockets has something to do, or when
 * somebody called tg__poll_set_wake(). Linux: an epoll with an eventfd in it.
 *
 * Thread: the one that steps the client, except tg__poll_set_wake().
 */
#ifndef TG_SDK_POLL_SET_H
#define TG_SDK_POLL_SET_H

#include <stdatomic.h>

#include <tickglass/err.h>

typedef struct tg__poll_set {
    int epoll_fd;        /* -1: not open */
    _Atomic int wake_fd; /* likewise */
} tg__poll_set;

/* Before anything else; opens nothing. */
void tg__poll_set_init(tg__poll_set *set);
/* TG_ERR_IO: no descriptor is left. Idempotent. The set is readable from here on. */
TG_MUST_CHECK tg_err tg__poll_set_open(tg__poll_set *set);
/* Idempotent. */
void tg__poll_set_close(tg__poll_set *set);

/* events as of poll(): POLLIN, POLLOUT. All are harmless on a set that is not open. */
void tg__poll_set_put(tg__poll_set *set, int fd, short events);
void tg__poll_set_drop(tg__poll_set *set, int fd);

/* Readable until tg__poll_set_drain(). Thread: any. */
void tg__poll_set_wake(tg__poll_set *set);
void tg__poll_set_drain(tg__poll_set *set);

#endif
