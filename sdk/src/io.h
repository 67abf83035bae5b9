/*
 * Sockets, TLS and WebSocket for the engine: does what actions say and reports what happened. Holds
 * no policy: it never reconnects, and a deadline is only ever the engine's.
 *
 * Everything runs on the thread that calls tg__io_service(), except tg__io_wake().
 */
#ifndef TG_SDK_IO_H
#define TG_SDK_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/clock.h>
#include <tickglass/err.h>

#include "credential.h"
#include "policy.h"
#include "proxy.h"
#include "tls_identity.h"
#include "tls_pin.h"
#include "url.h"

typedef struct tg__io tg__io;

/* No call comes for a connection after tg__io_close_connection(), tg__io_drop() or on_closed. */
typedef struct tg__io_handler {
    /* The way there is open, through the proxy if there is one: TLS is next. */
    void (*on_dialled)(void *ctx, uint32_t generation);
    /* The token was handed over: the upgrade is asked for. */
    void (*on_requested)(void *ctx, uint32_t generation);
    /* peer: whom it leads to, for people. */
    void (*on_connected)(void *ctx, uint32_t generation, const char *peer);
    /* A whole message; the bytes are valid during the call. received_mono_ns: its last byte. */
    void (*on_message)(void *ctx, uint32_t generation, const uint8_t *bytes, size_t size,
                       int64_t received_mono_ns);
    /* More of a message has come, and not yet all of it: size bytes so far. */
    void (*on_progress)(void *ctx, uint32_t generation, size_t size);
    void (*on_closed)(void *ctx, uint32_t generation, const tg__closed *closed);
    void (*on_timer)(void *ctx);
    void (*on_wake)(void *ctx);
    void *ctx;
} tg__io_handler;

typedef struct tg__io_options {
    const tg__url *urls;    /* copied */
    uint32_t url_count;     /* 1 to TG__ENDPOINTS_MAX */
    const tg__proxy *proxy; /* NULL: none; the caller's, as long as io is open */
    bool plain_anywhere;    /* without TLS to other machines, too, through a proxy for one */
    /* With its terminator; kept by the caller as long as io is open. NULL: no URL is of TLS. */
    const char *ca_pem;
    size_t ca_pem_size;
    const tg__tls_identity *identity; /* NULL: none; used in tg__io_open() only */
    tg__pins pins;
    bool dangerous_disable_verification; /* has no effect without TG_DANGEROUS_TLS */
    tg__credential
        *credential; /* handed over with each upgrade; the caller's, as long as io is open */
    size_t message_size_max;
    const tg_clock *clock; /* copied */
    tg__io_handler handler;
} tg__io_options;

TG_MUST_CHECK tg_err tg__io_open(const tg__io_options *options, tg__io **out);
/* Cuts what is open. NULL is allowed. */
void tg__io_close(tg__io *io);

/* One connection at a time; the one before must have been closed, dropped or reported as closed. */
void tg__io_connect(tg__io *io, uint32_t generation, uint32_t endpoint);
/* TG_ERR_FULL: the peer does not take what was sent before; nothing of this message is sent. */
TG_MUST_CHECK tg_err tg__io_send(tg__io *io, uint32_t generation, const uint8_t *bytes,
                                 size_t size);
/* The same for what must not stay in memory: our copy is wiped when it was written. */
TG_MUST_CHECK tg_err tg__io_send_secret(tg__io *io, uint32_t generation, const uint8_t *bytes,
                                        size_t size);
/* Say good-bye with a close code, within a second. Legal from every handler. */
void tg__io_close_connection(tg__io *io, uint32_t generation, uint16_t code);
/* Legal from every handler. */
void tg__io_drop(tg__io *io, uint32_t generation);

/* on_timer at deadline_ns of the monotonic clock, after what had come by then was handed over;
 * replaces the one before; INT64_MAX: none. */
void tg__io_timer(tg__io *io, int64_t deadline_ns);

/* Wait for something to happen and handle it; with wait false only what is there already. */
void tg__io_service(tg__io *io, bool wait);
/* on_wake will be called soon. Thread: any. */
void tg__io_wake(tg__io *io);

/*
 * For a host's loop: a descriptor that is readable when tg__io_service() has something to do; only
 * what is connected after the first call is in it. TG_ERR_IO: no descriptor is left.
 */
TG_MUST_CHECK tg_err tg__io_fd(tg__io *io, int *fd);
/* When tg__io_service() is to be called at the latest, on the monotonic clock. */
int64_t tg__io_deadline(tg__io *io);

/* Connections that still say good-bye. */
uint32_t tg__io_leaving(const tg__io *io);

/* "4.3.5" */
const char *tg__io_version(void);

#endif
