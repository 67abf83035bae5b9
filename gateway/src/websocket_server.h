/**
 * WebSocket over TLS: carries bytes between sockets and the hub. Only the files
 * websocket_*.c know libwebsockets.
 *
 * It decides about upgrades (path, subprotocol, rate, token) and nothing else. A connection is
 * never closed from within a receive callback: libwebsockets may still hold a part of the frame;
 * it is marked and closed when it can be written to.
 */
#ifndef TG_GATEWAY_WEBSOCKET_SERVER_H
#define TG_GATEWAY_WEBSOCKET_SERVER_H

#include <tickglass/clock.h>

#include "hub.h"
#include "tls_context.h"

#define TG__UPGRADE_PATH "/tickglass"

typedef struct tg__websocket_server_options {
    const char *host;                   /* an IP address, or localhost */
    uint16_t port;                      /* 0: any */
    const tg__certificate *certificate; /* outlives the server, as does tls */
    tg__tls_context *tls;
    tg_clock clock;
    uint64_t seed; /* of the seconds that the refused are told */
    uint32_t peers_max;
    uint32_t
        handshakes_max; /* TLS handshakes under way; beyond, nobody is accepted from the queue */
    uint32_t upgrades_per_second;
    uint32_t upgrade_burst;
} tg__websocket_server_options;

typedef struct tg__websocket_server tg__websocket_server;

/* Listens from now on. TG_ERR_LISTEN: the address cannot be used (cause says why); TG_ERR_TLS. */
TG_MUST_CHECK tg_err tg__websocket_server_open(const tg__websocket_server_options *options,
                                               tg__websocket_server **out, tg__cause *cause);

/* The hub whose options.wake is tg__websocket_server_wake() with this server as ctx; its door's is
 * tg__websocket_server_interrupt(). */
void tg__websocket_server_serve(tg__websocket_server *server, tg__hub *hub);
void tg__websocket_server_wake(void *server, tg__peer *peer);
/* Ends the wait of a step. Any thread, until the server is closed. */
void tg__websocket_server_interrupt(void *server);

/* Reads certificate and ticket key again; see tg__tls_context_reload(). */
TG_MUST_CHECK tg_err tg__websocket_server_reload_certificate(tg__websocket_server *server,
                                                             tg__cause *cause);

uint16_t tg__websocket_server_port(const tg__websocket_server *server);

/* Serves what is ready; waits for at most wait_ns for something, rounded up to a millisecond. */
void tg__websocket_server_step(tg__websocket_server *server, int64_t wait_ns);

/* No new connections from now on; every upgrade is answered with 503. */
void tg__websocket_server_refuse_new(tg__websocket_server *server);

/* True while somebody is connected who has not had an answer to his upgrade or his token yet. */
bool tg__websocket_server_has_visitors(const tg__websocket_server *server);

/* Ends what is left; every connection has been torn down afterwards. The door must have been
 * stopped. */
void tg__websocket_server_close(tg__websocket_server *server);

#endif
