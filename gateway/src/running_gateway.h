/**
 * The gateway that has a state directory, seen from another process: found by the lock that it
 * holds, so that no number in a file can be an old one.
 *
 * Nothing is ever sent to a stranger. The process is held by a descriptor before the lock is asked
 * a second time: a number that was given to somebody else in between does not hold the lock then,
 * and a descriptor does not go over to him later. And it must catch the signal: whatever else locks
 * that file would die of it.
 */
#ifndef TG_GATEWAY_RUNNING_GATEWAY_H
#define TG_GATEWAY_RUNNING_GATEWAY_H

#include <signal.h>
#include <sys/types.h>

#include "state_dir.h"

/* Begins a drain; unlike SIGTERM it never cuts one short, however often it comes. */
#define TG__DRAIN_SIGNAL SIGUSR1

typedef struct tg__running_gateway {
    pid_t pid;
    int process_fd; /* -1: not found */
} tg__running_gateway;

/*
 * TG_ERR_NOT_FOUND: no gateway has the folder. TG_ERR_STATE: who has it cannot be seen from here,
 * or is no gateway that drains by TG__DRAIN_SIGNAL. TG_ERR_UNSUPPORTED: the system has no
 * descriptors for processes. TG_ERR_IO. Close it whatever comes back.
 */
TG_MUST_CHECK tg_err tg__running_gateway_find(tg__running_gateway *gateway,
                                              const tg__state_dir *dir, tg__cause *cause);
/* TG_ERR_NOT_FOUND: it has ended meanwhile; TG_ERR_IO: not permitted. */
TG_MUST_CHECK tg_err tg__running_gateway_drain(const tg__running_gateway *gateway,
                                               tg__cause *cause);
/* Blocks until it has ended. */
TG_MUST_CHECK tg_err tg__running_gateway_await_end(const tg__running_gateway *gateway,
                                                   tg__cause *cause);
void tg__running_gateway_close(tg__running_gateway *gateway); /* idempotent */

#endif
