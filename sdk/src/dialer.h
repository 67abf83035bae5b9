/*
 * A connected socket without blocking the caller: name look-up, the race between addresses and the
 * way through a proxy run in a thread of their own.
 *
 * One at a time. What is given up ends by itself: at once, except while the system's resolver is
 * asked, because nothing portable can end that; its thread, which has no descriptor then, frees
 * what is left and touches nothing else.
 */
#ifndef TG_SDK_DIALER_H
#define TG_SDK_DIALER_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/err.h>

#include "policy.h"
#include "proxy.h"
#include "resolver.h"
#include "url.h"

typedef struct tg__dialer tg__dialer;

typedef struct tg__dialed {
    int fd; /* connected, non-blocking, closed on exec, the taker's; -1: closed says why */
    /* Whom it leads to, for people: "10.0.0.1 port 9443", "gw.example.com through 10.0.0.2 port
     * 3128", "/run/gateway.sock". */
    char peer[TG__HOST_SIZE + TG__SOCKET_PATH_SIZE + TG__ADDRESS_TEXT_SIZE];
    tg__closed closed;
} tg__dialed;

/* on_ready is called from the dialer's thread and must only wake somebody up. */
TG_MUST_CHECK tg_err tg__dialer_open(void (*on_ready)(void *ctx), void *ctx, tg__dialer **out);
/* After it returns on_ready is not called and no descriptor of it is open. NULL is allowed. */
void tg__dialer_close(tg__dialer *dialer);

/*
 * Dial url; what was dialled before is forgotten. Both are copied. proxy NULL: the direct way,
 * which a Unix socket takes in any case. loopback_only: a name must not lead to another machine,
 * whatever the resolver says. TG_ERR_NO_MEMORY, TG_ERR_FULL: the system's resolver does not come
 * back.
 */
TG_MUST_CHECK tg_err tg__dialer_dial(tg__dialer *dialer, const tg__url *url, const tg__proxy *proxy,
                                     bool loopback_only);
/* Forget what was dialled. */
void tg__dialer_cancel(tg__dialer *dialer);
/* True once for each tg__dialer_dial(). */
bool tg__dialer_take(tg__dialer *dialer, tg__dialed *out);

#endif
