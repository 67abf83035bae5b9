/* An HTTP proxy that leads connections on (CONNECT, RFC 9110 9.3.6). */
#ifndef TG_SDK_PROXY_H
#define TG_SDK_PROXY_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/err.h>

#include "policy.h"
#include "url.h"

#define TG__PROXY_USER_SIZE 256 /* user name and password as they are sent, with the colon */

typedef struct tg__proxy {
    char host[TG__HOST_SIZE];
    uint16_t port;
    char authorization[sizeof "Basic " + 4 * ((TG__PROXY_USER_SIZE + 2) / 3)]; /* "": none */
} tg__proxy;

/*
 * http://[user:password@]host:port, the user's part percent-encoded where it has to be. TG_ERR_URL:
 * anything else; a proxy that is spoken to over TLS is not supported.
 */
TG_MUST_CHECK tg_err tg__proxy_parse(const char *text, tg__proxy *proxy);

/*
 * Has the proxy at the other end of fd, which is non-blocking, connect to host and port. True: what
 * is sent from here on goes there. False: closed says why. Blocks until the proxy has answered, the
 * connection ends or cancel_fd is readable.
 */
bool tg__proxy_tunnel(const tg__proxy *proxy, int fd, const char *host, uint16_t port,
                      int cancel_fd, tg__closed *closed);

#endif
