/**
 * How long the oldest bytes have waited that were given to the socket and that the other machine
 * has not acknowledged: they are a part of the queue, the part that cannot be conflated any more.
 * Without I/O: the caller asks the system (TIOCOUTQ) and adds what TLS and libwebsockets hold.
 *
 * What a kernel acknowledged is not read yet; that is seen by reach.
 */
#ifndef TG_GATEWAY_BACKLOG_H
#define TG_GATEWAY_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TG__BACKLOG_AGE_NS INT64_C(1000000000) /* as old as a late pong may be: see reach.h */

typedef struct tg__backlog {
    bool marked;
    int64_t mark_mono_ns;
    uint64_t since_mark; /* bytes given to the socket after the mark */
} tg__backlog;

/* Bytes were given to the socket. All zero is a fresh backlog. */
void tg__backlog_add(tg__backlog *backlog, size_t bytes);

/*
 * True: bytes given before mono_ns - TG__BACKLOG_AGE_NS still wait; give it no more. Bytes may be
 * counted without the overhead of TLS: the age is then found a little later, never too early.
 */
bool tg__backlog_is_old(tg__backlog *backlog, size_t waiting, int64_t mono_ns);

#endif
