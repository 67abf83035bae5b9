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
#include "token_bucket.h"
#include "upgrade_counts.h"

#define TG__UPGRADE_PATH "/tickglass"
#define TG__READY_PATH   "/ready" /* for balancers: 200 while upgrades are allowed, else 503 */

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
    uint32_t hang_up_after_s; /* without a sign of life, over 1; 0: TG__REACH_HANG_UP_S */
} tg__websocket_server_options;

typedef struct tg__websocket_server tg__websocket_server;

/* Listens from now on. TG_ERR_LISTEN: the address cannot be used (cause says why); TG_ERR_TLS. */
TG_MUST_CHECK tg_err tg__websocket_server_open(const tg__websocket_server_options *options,
                                               tg__websocket_server **out, tg__cause *cause);

/*
 * The hub whose options.wake is tg__websocket_server_wake() with this server as ctx; its door's is
 * tg__websocket_server_interrupt(). NULL, only after every connection was torn down: there is
 * nothing to serve, and upgrades get 503. The door stays the same.
 */
void tg__websocket_server_serve(tg__websocket_server *server, tg__hub *hub);
void tg__websocket_server_wake(void *server, tg__peer *peer);
/* Ends the wait of a step. Any thread, until the server is closed. */
void tg__websocket_server_interrupt(void *server);

/* Reads certificate and ticket key again; see tg__tls_context_reload(). */
TG_MUST_CHECK tg_err tg__websocket_server_reload_certificate(tg__websocket_server *server,
                                                             tg__cause *cause);

uint16_t tg__websocket_server_port(const tg__websocket_server *server);

const tg__upgrade_counts *tg__websocket_server_upgrades(const tg__websocket_server *server);
const tg__tls_counts *tg__websocket_server_tls_counts(const tg__websocket_server *server);

/* Serves what is ready; waits for at most wait_ns for something, rounded up to a millisecond. */
void tg__websocket_server_step(tg__websocket_server *server, int64_t wait_ns);

/* A fault: every connection breaks with a TCP reset, without a close of TLS or WebSocket. */
void tg__websocket_fault_reset_all(tg__websocket_server *server);

/* No new connections from now on; every upgrade is answered with 503. */
void tg__websocket_server_refuse_new(tg__websocket_server *server);

/* The same for a while: there is nothing to serve. */
void tg__websocket_server_pause(tg__websocket_server *server, bool paused);

/* Ends every connection without a word, in the next steps: for those that do not answer a close. */
void tg__websocket_server_cut_off(tg__websocket_server *server);

/* One descriptor that ends a step's wait when it can be read; the caller keeps and reads it. A new
 * one replaces the one before. TG_ERR_IO, TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__websocket_server_watch(tg__websocket_server *server, int fd,
                                                tg__cause *cause);
void tg__websocket_server_unwatch(tg__websocket_server *server);

/* True while somebody is connected who has not had an answer to his upgrade or his token yet. */
bool tg__websocket_server_has_visitors(const tg__websocket_server *server);

/*
 * A fault on request: the connection of that number in the hub, 0 for all, is neither read nor
 * written any more, pings included, and is not ended for it; its client sees silence. False resumes
 * it. Returns how many connections were meant.
 */
uint32_t tg__websocket_fault_half_open(tg__websocket_server *server, uint64_t number, bool on);

/* A fault on request: another certificate under the same CA, for who connects from now on. */
TG_MUST_CHECK tg_err tg__websocket_fault_change_certificate(tg__websocket_server *server,
                                                            tg__cause *cause);

/* Ends what is left; every connection has been torn down afterwards. The door must have been
 * stopped. */
void tg__websocket_server_close(tg__websocket_server *server);

#endif
