/* What the files of the WebSocket server share: its record of a connection, and itself. */
#ifndef TG_GATEWAY_WEBSOCKET_STATE_H
#define TG_GATEWAY_WEBSOCKET_STATE_H

#include <libwebsockets.h>

#include "backlog.h"
#include "reach.h"
#include "retry_spread.h"
#include "websocket_server.h"

#define TG__ADDRESS_SIZE        64
#define TG__RECEIVE_BUFFER_SIZE 8192u

typedef struct tg__websocket_session {
    struct lws *wsi;
    tg__peer *peer;          /* NULL before WELCOME and after the WebSocket */
    uint64_t ticket;         /* the door's, while its verdict is awaited and nothing is sent */
    uint16_t turned_away;    /* the close code instead of WELCOME */
    uint32_t turned_away_ms; /* for how long */
    tg__reach reach;
    tg__backlog backlog;
    size_t last_size;      /* of the message given to libwebsockets last */
    int64_t heard_mono_ns; /* last sign of life: a message or a pong */
    bool half_open;        /* a fault on request: neither read nor written */
    tg__end_reason seen;   /* how the transport saw it end */
    uint8_t *partial;      /* the message so far, if it came in pieces */
    size_t partial_size;
    size_t partial_capacity;
    char address[TG__ADDRESS_SIZE];
    char end[64]; /* more about the end, for the log */
} tg__websocket_session;

/* A call at a time. */
typedef struct tg__websocket_alarm {
    lws_sorted_usec_list_t list; /* first, so that its address is that of the whole */
    tg__websocket_server *server;
} tg__websocket_alarm;

struct tg__websocket_server {
    tg__websocket_server_options options;
    tg__hub *hub;   /* NULL: there is nothing to serve */
    tg__door *door; /* of the hub, or of the one before */
    struct lws_context *context;
    struct lws_vhost *vhost;
    tg__websocket_alarm alarm;      /* ends a wait */
    tg__websocket_alarm inspection; /* looks for clients without a sign of life */
    struct lws *watch;              /* NULL: nothing is watched */
    tg__token_bucket upgrades;
    tg__upgrade_counts upgrade_counts;
    tg__retry_spread retry_spread;
    tg__door_answer admitted; /* of the upgrade that was allowed last, until it is established */
    uint32_t waiting_count;   /* connections that wait for the door's verdict */
    bool refuses_new;
    bool stops;
    bool paused;
    uint32_t visitor_count; /* connections that have not asked for their upgrade yet */
    struct lws_protocols protocols[2];
    lws_retry_bo_t liveness;
    char header[TG__TOKEN_SIZE_MAX + 64];
    uint8_t out[LWS_PRE + TG__MESSAGE_SIZE_MAX];
};

static inline tg__websocket_server *tg__websocket_server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

static inline tg__moment tg__websocket_moment(const tg__websocket_server *server)
{
    const tg__moment now = {tg_clock_mono_ns(&server->options.clock),
                            tg_clock_utc_ns(&server->options.clock)};
    return now;
}

/* websocket_upgrade.c: what a callback has to return. */
int tg__websocket_confirm_upgrade(struct lws *wsi);
int tg__websocket_answer_http(struct lws *wsi, const char *path);

/* websocket_session.c: a connection from its upgrade to its end. */
int tg__websocket_establish(struct lws *wsi, tg__websocket_session *own);
void tg__websocket_receive(struct lws *wsi, tg__websocket_session *own, const uint8_t *bytes,
                           size_t size);
/* Ends it if there was no sign of life for too long. */
void tg__websocket_inspect(tg__websocket_session *own, int64_t mono_ns, int64_t limit_ns);
int tg__websocket_write_ready(struct lws *wsi, tg__websocket_session *own);
/* The time that write_ready asked for has passed. */
void tg__websocket_take_timer(struct lws *wsi, tg__websocket_session *own);
void tg__websocket_take_pong(struct lws *wsi, tg__websocket_session *own, const uint8_t *payload,
                             size_t size);
void tg__websocket_note_peer_close(tg__websocket_session *own, const uint8_t *payload, size_t size);
void tg__websocket_end_session(struct lws *wsi, tg__websocket_session *own);
/* About the token that the connection came with, or one that it sent since. */
void tg__websocket_take_verdict(tg__websocket_server *server, tg__websocket_session *own,
                                const tg__door_answer *answer);

/* websocket_faults.c */
void tg__websocket_keep_half_open(tg__websocket_session *own);

#endif
