/* A connection from its upgrade to its end: bytes between libwebsockets and the hub. */
#include "websocket_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "log.h"

#define CLIENT_MESSAGE_MAX TG__MESSAGE_SIZE_MAX
#define SEND_BUFFER_SIZE   16384 /* bytes; what lies in the kernel cannot be conflated any more */
#define MESSAGES_PER_TURN  16u   /* so that one connection does not keep the others waiting */

/* WELCOME and what follows; if there is no room, the code that says so. */
static void welcome(tg__websocket_server *server, tg__websocket_session *own,
                    const tg__entitlement *entitlement)
{
    if (!server->refuses_new) {
        own->peer = tg__hub_connect(server->hub, own, entitlement, tg__websocket_moment(server));
    }
    if (own->peer == NULL) {
        own->turned_away =
            server->refuses_new ? TG__CLOSE_SERVICE_RESTART : TG__CLOSE_TRY_AGAIN_LATER;
        tg__log("%s: turned away with code %u", own->address, (unsigned)own->turned_away);
        (void)lws_callback_on_writable(own->wsi);
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
    tg__door_own(server->hub->options.door, own->ticket, own);
    server->waiting_count++;
    (void)lws_rx_flow_control(own->wsi, 0);
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
    own->turned_away =
        answer->verdict == TG__TOKEN_NO_VENUE ? TG__CLOSE_FORBIDDEN : TG__CLOSE_TOKEN_EXPIRED;
    tg__log("%s: turned away with code %u: %s", own->address, (unsigned)own->turned_away,
            tg__token_verdict_text(answer->verdict));
    (void)lws_callback_on_writable(own->wsi);
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
    const int size = SEND_BUFFER_SIZE;
    memset(own, 0, sizeof *own);
    own->wsi = wsi;
    (void)snprintf(own->end, sizeof own->end, "connection lost");
    (void)lws_get_peer_simple(wsi, own->address, sizeof own->address);
    if (setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &size, sizeof size) != 0) {
        tg__log("%s: the send buffer could not be capped: %s", own->address, strerror(errno));
    }
    if (server->admitted.ticket != 0) {
        await_verdict(server, own);
    } else {
        welcome(server, own, &server->admitted.entitlement);
    }
    return 0;
}

void tg__websocket_end_session(tg__websocket_server *server, tg__websocket_session *own)
{
    if (own == NULL) {
        return;
    }
    if (own->ticket != 0) {
        tg__door_own(server->hub->options.door, own->ticket, NULL);
        own->ticket = 0;
        server->waiting_count--;
    }
    if (own->peer == NULL) {
        return;
    }
    tg__log("connection %llu from %s: %s; %llu messages, %llu bytes, %llu gaps",
            (unsigned long long)own->peer->number, own->address, own->end,
            (unsigned long long)own->peer->messages_sent, (unsigned long long)own->peer->bytes_sent,
            (unsigned long long)own->peer->gaps);
    tg__hub_teardown(server->hub, &own->peer);
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
    if (tg__hub_receive(server->hub, own->peer, message, size, tg__websocket_moment(server),
                        &cause) != TG_OK) {
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

static int close_now(struct lws *wsi, tg__websocket_session *own)
{
    char reason[TG__CLOSE_REASON_MAX];
    size_t size = 0;
    if (tg__close_reason_encode(own->peer->reconnect_after_ms, reason, sizeof reason, &size) !=
        TG_OK) {
        size = 0;
    }
    (void)snprintf(own->end, sizeof own->end, "closed by us with code %u",
                   (unsigned)own->peer->close_code);
    lws_close_reason(wsi, (enum lws_close_status)own->peer->close_code, (unsigned char *)reason,
                     size);
    return -1;
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

int tg__websocket_write_ready(struct lws *wsi, tg__websocket_session *own)
{
    tg__websocket_server *server = tg__websocket_server_of(wsi);
    if (own->turned_away != 0) {
        lws_close_reason(wsi, (enum lws_close_status)own->turned_away, NULL, 0);
        return -1;
    }
    if (own->peer == NULL) {
        return 0;
    }
    uint8_t *const message = server->out + LWS_PRE;
    for (unsigned i = 0; i < MESSAGES_PER_TURN; i++) {
        const tg__moment now = tg__websocket_moment(server);
        size_t size = 0;
        if (own->peer->close_code == 0 && tg__reach_is_behind(&own->reach, now.mono_ns)) {
            return 0; /* the pong asks to write again */
        }
        const tg__next next =
            tg__hub_next(server->hub, own->peer, now, message, TG__MESSAGE_SIZE_MAX, &size);
        if (next == TG__NEXT_NOTHING) {
            return 0;
        }
        if (next == TG__NEXT_CLOSE) {
            return close_now(wsi, own);
        }
        if (lws_write(wsi, message, size, LWS_WRITE_BINARY) < (int)size ||
            send_ping_if_due(wsi, own, now.mono_ns) != 0) {
            return -1;
        }
        if (lws_send_pipe_choked(wsi) != 0) {
            break;
        }
    }
    (void)lws_callback_on_writable(wsi);
    return 0;
}

void tg__websocket_take_pong(struct lws *wsi, tg__websocket_session *own, const uint8_t *payload,
                             size_t size)
{
    if (own->peer != NULL && tg__reach_pong(&own->reach, payload, size)) {
        (void)lws_callback_on_writable(wsi);
    }
}

void tg__websocket_note_peer_close(tg__websocket_session *own, const uint8_t *payload, size_t size)
{
    const unsigned code = size >= 2 ? (unsigned)payload[0] << 8 | payload[1] : 1005u;
    (void)snprintf(own->end, sizeof own->end, "closed by the client with code %u", code);
}
