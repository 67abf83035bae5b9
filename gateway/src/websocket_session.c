/* A connection from its upgrade to its end: bytes between libwebsockets and the hub. */
#include "websocket_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "tcp_socket.h"

#define MS_PER_S           1000u
#define CLIENT_MESSAGE_MAX TG__MESSAGE_SIZE_MAX
#define MESSAGES_PER_TURN  16u   /* so that one connection does not keep the others waiting */
#define BACKLOG_POLL_US    20000 /* nothing tells when another machine acknowledges */

/* A code in the place of WELCOME; who may come back is told when, as he would be by a 503. */
static void turn_away(tg__websocket_server *server, tg__websocket_session *own, uint16_t code,
                      const char *why)
{
    own->turned_away = code;
    if (code == TG__CLOSE_SERVICE_RESTART || code == TG__CLOSE_TRY_AGAIN_LATER) {
        const int64_t mono_ns = tg__websocket_moment(server).mono_ns;
        own->turned_away_ms = tg__retry_spread_next(&server->retry_spread, mono_ns) * MS_PER_S;
    }
    tg__log("%s: turned away with code %u: %s", own->address, (unsigned)code, why);
    (void)lws_callback_on_writable(own->wsi);
}

/* WELCOME and what follows; if there is no room, the code that says so. */
static void welcome(tg__websocket_server *server, tg__websocket_session *own,
                    const tg__entitlement *entitlement)
{
    if (!server->refuses_new && !server->paused && server->hub != NULL) {
        own->peer = tg__hub_connect(server->hub, own, entitlement, tg__websocket_moment(server));
    }
    if (own->peer == NULL) {
        const bool goes = server->refuses_new;
        turn_away(server, own, goes ? TG__CLOSE_SERVICE_RESTART : TG__CLOSE_TRY_AGAIN_LATER,
                  goes ? "this gateway goes away" : "there is nothing to serve, or no room");
        return;
    }
    tg__log("connection %llu from %s: open, %u in all", (unsigned long long)own->peer->number,
            own->address, (unsigned)server->hub->peer_count);
}

/*
 * The upgrade had to be decided at once, the token's signature takes longer: until its verdict the
 * connection gets nothing, and what it sends stays in its socket. (What came in one piece with the
 * request, which RFC 6455 4.1 forbids, costs the connection: libwebsockets has read it already.)
 */
static void await_verdict(tg__websocket_server *server, tg__websocket_session *own)
{
    own->ticket = server->admitted.ticket;
    tg__door_own(server->door, own->ticket, own);
    server->waiting_count++;
    (void)lws_rx_flow_control(own->wsi, 0);
}

/* 4001 and 4003 stop a client, so that only a verdict about the token itself may say them. */
static uint16_t code_of(tg__token_verdict verdict)
{
    return verdict == TG__TOKEN_BUSY       ? TG__CLOSE_TRY_AGAIN_LATER
           : verdict == TG__TOKEN_NO_VENUE ? TG__CLOSE_FORBIDDEN
                                           : TG__CLOSE_TOKEN_EXPIRED;
}

static void take_first_verdict(tg__websocket_server *server, tg__websocket_session *own,
                               const tg__door_answer *answer)
{
    own->ticket = 0;
    server->waiting_count--;
    (void)lws_rx_flow_control(own->wsi, 1);
    if (answer->verdict == TG__TOKEN_ADMITTED) {
        welcome(server, own, &answer->entitlement);
        return;
    }
    turn_away(server, own, code_of(answer->verdict), tg__token_verdict_text(answer->verdict));
}

void tg__websocket_take_verdict(tg__websocket_server *server, tg__websocket_session *own,
                                const tg__door_answer *answer)
{
    if (own->peer == NULL) {
        take_first_verdict(server, own, answer);
        return;
    }
    own->peer->renewal = 0;
    if (tg__hub_answer_token(server->hub, own->peer, answer, tg__websocket_moment(server)) !=
        TG_OK) {
        tg__log("connection %llu from %s: its answers are not read",
                (unsigned long long)own->peer->number, own->address);
    }
}

int tg__websocket_establish(struct lws *wsi, tg__websocket_session *own)
{
    tg__websocket_server *server = tg__websocket_server_of(wsi);
    const tg__moment now = tg__websocket_moment(server);
    memset(own, 0, sizeof *own);
    own->wsi = wsi;
    own->seen = TG__END_LOST;
    own->heard_mono_ns = now.mono_ns;
    (void)lws_get_peer_simple(wsi, own->address, sizeof own->address);
    if (!tg__tcp_socket_cap(lws_get_socket_fd(wsi))) {
        tg__log("%s: the send buffer could not be capped: %s", own->address, strerror(errno));
    }
    if (server->admitted.ticket != 0) {
        await_verdict(server, own);
    } else {
        welcome(server, own, &server->admitted.entitlement);
    }
    return 0;
}

/*
 * How it ended, if nobody said so. libwebsockets does not tell, so the system is asked: a reset
 * leaves the socket closed, a FIN half-closed. What looks the same and cannot be told apart: a
 * client that resets on purpose, one that died with unread data, and a box between that did it.
 */
static tg__end_reason look_at_end(struct lws *wsi, const tg__websocket_session *own)
{
    if (own->seen != TG__END_LOST) {
        return own->seen;
    }
    if (tg__websocket_server_of(wsi)->stops) {
        return TG__END_SERVER_STOP;
    }
    return tg__tcp_socket_is_closed(lws_get_socket_fd(wsi)) ? TG__END_RESET : own->seen;
}

void tg__websocket_end_session(struct lws *wsi, tg__websocket_session *own)
{
    if (own == NULL) {
        return;
    }
    tg__websocket_server *server = tg__websocket_server_of(wsi);
    if (own->ticket != 0) {
        tg__door_own(server->door, own->ticket, NULL);
        own->ticket = 0;
        server->waiting_count--;
    }
    if (own->peer == NULL) {
        return;
    }
    own->seen = look_at_end(wsi, own);
    tg__log("connection %llu from %s: %s%s; %llu messages, %llu bytes, %llu gaps",
            (unsigned long long)own->peer->number, own->address,
            tg__end_reason_text(tg__end_reason_of(own->peer->close_code, own->seen)), own->end,
            (unsigned long long)own->peer->messages_sent, (unsigned long long)own->peer->bytes_sent,
            (unsigned long long)own->peer->gaps);
    tg__hub_teardown(server->hub, &own->peer, own->seen);
    free(own->partial);
    own->partial = NULL;
}

static void reject(tg__websocket_server *server, tg__websocket_session *own, uint16_t code,
                   const char *why)
{
    tg__log("connection %llu from %s: %s", (unsigned long long)own->peer->number, own->address,
            why);
    tg__hub_close_peer(server->hub, own->peer, code, 1000);
}

static bool grow_partial(tg__websocket_session *own, size_t needed)
{
    if (needed <= own->partial_capacity) {
        return true;
    }
    size_t capacity = own->partial_capacity == 0 ? TG__RECEIVE_BUFFER_SIZE : own->partial_capacity;
    while (capacity < needed) {
        capacity *= 2;
    }
    uint8_t *grown = realloc(own->partial, capacity);
    if (grown == NULL) {
        return false;
    }
    own->partial = grown;
    own->partial_capacity = capacity;
    return true;
}

static void take_message(tg__websocket_server *server, tg__websocket_session *own,
                         const uint8_t *message, size_t size)
{
    tg__cause cause;
    const tg__moment now = tg__websocket_moment(server);
    own->heard_mono_ns = now.mono_ns;
    if (tg__hub_receive(server->hub, own->peer, message, size, now, &cause) != TG_OK) {
        tg__log("connection %llu from %s: %s", (unsigned long long)own->peer->number, own->address,
                cause.text);
    }
}

/* Never closes: it only marks, and what still comes is thrown away. */
void tg__websocket_receive(struct lws *wsi, tg__websocket_session *own, const uint8_t *bytes,
                           size_t size)
{
    tg__websocket_server *server = tg__websocket_server_of(wsi);
    const bool last = lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0;
    if (own->peer == NULL || own->peer->close_code != 0) {
        return;
    }
    if (!lws_frame_is_binary(wsi)) {
        reject(server, own, 1003, "a text message is not of this protocol");
        return;
    }
    if (own->partial_size + size + lws_remaining_packet_payload(wsi) > CLIENT_MESSAGE_MAX) {
        reject(server, own, TG__CLOSE_TOO_BIG, "a message is larger than 1 MiB");
        return;
    }
    if (own->partial_size == 0 && last) {
        take_message(server, own, bytes, size);
        return;
    }
    if (!grow_partial(own, own->partial_size + size)) {
        reject(server, own, TG__CLOSE_TRY_AGAIN_LATER, "memory is exhausted");
        return;
    }
    memcpy(own->partial + own->partial_size, bytes, size);
    own->partial_size += size;
    if (last) {
        const size_t whole = own->partial_size;
        own->partial_size = 0;
        take_message(server, own, own->partial, whole);
    }
}

static int close_with(struct lws *wsi, uint16_t code, uint32_t reconnect_after_ms)
{
    char reason[TG__CLOSE_REASON_MAX];
    size_t size = 0;
    if (tg__close_reason_encode(reconnect_after_ms, reason, sizeof reason, &size) != TG_OK) {
        size = 0;
    }
    lws_close_reason(wsi, (enum lws_close_status)code, (unsigned char *)reason, size);
    return -1;
}

static int close_now(struct lws *wsi, tg__websocket_session *own)
{
    (void)snprintf(own->end, sizeof own->end, ", closed by us with code %u",
                   (unsigned)own->peer->close_code);
    return close_with(wsi, own->peer->close_code, own->peer->reconnect_after_ms);
}

/* 0, or -1 if the connection cannot be used any more. */
static int send_ping_if_due(struct lws *wsi, tg__websocket_session *own, int64_t mono_ns)
{
    uint8_t ping[LWS_PRE + TG__REACH_MARK_SIZE];
    if (tg__reach_ping(&own->reach, mono_ns, ping + LWS_PRE) &&
        lws_write(wsi, ping + LWS_PRE, TG__REACH_MARK_SIZE, LWS_WRITE_PING) <
            (int)TG__REACH_MARK_SIZE) {
        return -1;
    }
    return 0;
}

/* The data that was sent already has not arrived for too long: more would only be late, too. */
static bool is_behind(struct lws *wsi, tg__websocket_session *own, int64_t mono_ns)
{
    if (tg__reach_is_behind(&own->reach, mono_ns)) {
        return true; /* the pong asks to write again */
    }
    /* What TLS and libwebsockets could not give to the socket is at most the last message. */
    const size_t held = lws_partial_buffered(wsi) ? own->last_size : 0;
    const size_t waiting = tg__tcp_socket_waiting(lws_get_socket_fd(wsi)) + held;
    if (!tg__backlog_is_old(&own->backlog, waiting, mono_ns)) {
        return false;
    }
    lws_set_timer_usecs(wsi, BACKLOG_POLL_US);
    return true;
}

int tg__websocket_write_ready(struct lws *wsi, tg__websocket_session *own)
{
    tg__websocket_server *server = tg__websocket_server_of(wsi);
    if (own->turned_away != 0) {
        return close_with(wsi, own->turned_away, own->turned_away_ms);
    }
    if (own->peer == NULL || own->half_open) {
        return 0;
    }
    uint8_t *const message = server->out + LWS_PRE;
    for (unsigned i = 0; i < MESSAGES_PER_TURN; i++) {
        const tg__moment now = tg__websocket_moment(server);
        size_t size = 0;
        if (own->peer->close_code == 0 && is_behind(wsi, own, now.mono_ns)) {
            return 0;
        }
        const tg__next next =
            tg__hub_next(server->hub, own->peer, now, message, TG__MESSAGE_SIZE_MAX, &size);
        if (next == TG__NEXT_LATER) {
            lws_set_timer_usecs(wsi, TG__TICKS_INTERVAL_NS / 1000);
        }
        if (next == TG__NEXT_NOTHING || next == TG__NEXT_LATER) {
            return 0;
        }
        if (next == TG__NEXT_CLOSE) {
            return close_now(wsi, own);
        }
        own->last_size = size;
        tg__backlog_add(&own->backlog, size);
        if (lws_write(wsi, message, size, LWS_WRITE_BINARY) < (int)size ||
            send_ping_if_due(wsi, own, now.mono_ns) != 0) {
            return -1;
        }
        tg__metrics_written(server->hub->options.metrics, own->peer->number,
                            own->peer->sent_queued_mono_ns);
        if (lws_send_pipe_choked(wsi) != 0) {
            break;
        }
    }
    (void)lws_callback_on_writable(wsi);
    return 0;
}

void tg__websocket_inspect(tg__websocket_session *own, int64_t mono_ns, int64_t limit_ns)
{
    if (!own->half_open && own->seen != TG__END_TIMEOUT &&
        mono_ns - own->heard_mono_ns > limit_ns) {
        own->seen = TG__END_TIMEOUT;
        lws_set_timeout(own->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    }
}

void tg__websocket_take_timer(struct lws *wsi, tg__websocket_session *own)
{
    if (own->half_open) {
        tg__websocket_keep_half_open(own);
    } else {
        (void)lws_callback_on_writable(wsi);
    }
}

void tg__websocket_take_pong(struct lws *wsi, tg__websocket_session *own, const uint8_t *payload,
                             size_t size)
{
    own->heard_mono_ns = tg__websocket_moment(tg__websocket_server_of(wsi)).mono_ns;
    if (own->peer != NULL && tg__reach_pong(&own->reach, payload, size)) {
        (void)lws_callback_on_writable(wsi);
    }
}

void tg__websocket_note_peer_close(tg__websocket_session *own, const uint8_t *payload, size_t size)
{
    const unsigned code = size >= 2 ? (unsigned)payload[0] << 8 | payload[1] : 1005u;
    own->seen = TG__END_CLIENT_CLOSE;
    (void)snprintf(own->end, sizeof own->end, " with code %u", code);
}
