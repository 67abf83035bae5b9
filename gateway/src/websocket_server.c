#include "websocket_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libwebsockets.h>

#include <tickglass/internal/control_flow.h>

#include "log.h"
#include "reach.h"

#define CLIENT_MESSAGE_MAX   TG__MESSAGE_SIZE_MAX
#define SEND_BUFFER_SIZE     16384 /* bytes; what lies in the kernel cannot be conflated any more */
#define MESSAGES_PER_TURN    16u   /* so that one connection does not keep the others waiting */
#define HTTP_HEADER_DATA_MAX 12288u /* a token of 8 KiB and the rest */
#define RECEIVE_BUFFER_SIZE  8192u
#define PING_AFTER_S         20
#define HANG_UP_AFTER_S      60 /* without a pong: longer than a client may stop reading */
#define KEEP_ALIVE_S         5
#define ALARM_RESOLUTION_US  1000
#define SPARE_DESCRIPTORS    64u
#define ADDRESS_SIZE         64

typedef struct session {
    struct lws *wsi;
    tg__peer *peer; /* NULL before and after the WebSocket */
    tg__reach reach;
    uint8_t *partial; /* the message so far, if it came in pieces */
    size_t partial_size;
    size_t partial_capacity;
    char address[ADDRESS_SIZE];
    char end[128]; /* why the connection ends, for the log */
} session;

/* Ends a wait. */
typedef struct alarm_clock {
    lws_sorted_usec_list_t list; /* first, so that its address is that of the whole */
    tg__websocket_server *server;
} alarm_clock;

struct tg__websocket_server {
    tg__websocket_server_options options;
    tg__hub *hub;
    struct lws_context *context;
    struct lws_vhost *vhost;
    alarm_clock alarm;
    tg__token_bucket upgrades;
    bool refuses_new;
    uint32_t visitor_count; /* connections that have not asked for their upgrade yet */
    struct lws_protocols protocols[2];
    lws_retry_bo_t liveness;
    char header[TG__TOKEN_SIZE_MAX + 64];
    uint8_t out[LWS_PRE + TG__MESSAGE_SIZE_MAX];
};

static tg__websocket_server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

static tg__moment moment_of(const tg__websocket_server *server)
{
    const tg__moment now = {tg_clock_mono_ns(&server->options.clock),
                            tg_clock_utc_ns(&server->options.clock)};
    return now;
}

/* ---- upgrades ---- */

static bool has_path(tg__websocket_server *server, struct lws *wsi)
{
    const int length = lws_hdr_copy(wsi, server->header, sizeof server->header, WSI_TOKEN_GET_URI);
    return length > 0 && strcmp(server->header, TG__UPGRADE_PATH) == 0;
}

/* One of the comma-separated names is ours. */
static bool offers_subprotocol(tg__websocket_server *server, struct lws *wsi)
{
    const int length = lws_hdr_copy(wsi, server->header, sizeof server->header, WSI_TOKEN_PROTOCOL);
    const char *at = length > 0 ? server->header : "";
    while (*at != '\0') {
        at += strspn(at, ", \t");
        const size_t name = strcspn(at, ", \t");
        if (name == strlen(TG__SUBPROTOCOL) && memcmp(at, TG__SUBPROTOCOL, name) == 0) {
            return true;
        }
        at += name;
    }
    return false;
}

static bool has_token(tg__websocket_server *server, struct lws *wsi)
{
    static const char scheme[] = "Bearer ";
    const int length =
        lws_hdr_copy(wsi, server->header, sizeof server->header, WSI_TOKEN_HTTP_AUTHORIZATION);
    const size_t skip = sizeof scheme - 1;
    const bool good =
        length > 0 && (size_t)length > skip && strncasecmp(server->header, scheme, skip) == 0 &&
        tg__bearer_matches(server->options.bearer, server->header + skip, (size_t)length - skip);
    memset(server->header, 0, sizeof server->header);
    return good;
}

/* 0: allowed. */
static unsigned judge_upgrade(tg__websocket_server *server, struct lws *wsi,
                              uint32_t *retry_after_s)
{
    *retry_after_s = 0;
    if (!has_path(server, wsi)) {
        return HTTP_STATUS_NOT_FOUND;
    }
    if (!offers_subprotocol(server, wsi)) {
        return HTTP_STATUS_BAD_REQUEST;
    }
    if (server->refuses_new || server->hub->peer_count >= server->options.peers_max ||
        !tg__token_bucket_take(&server->upgrades, moment_of(server).mono_ns)) {
        *retry_after_s = tg__token_bucket_wait_s(&server->upgrades);
        return HTTP_STATUS_SERVICE_UNAVAILABLE;
    }
    return has_token(server, wsi) ? 0 : HTTP_STATUS_UNAUTHORIZED;
}

/* Returns what the callback has to return. */
static int refuse(struct lws *wsi, unsigned status, uint32_t retry_after_s)
{
    uint8_t buffer[LWS_PRE + 512];
    uint8_t *const start = buffer + LWS_PRE;
    uint8_t *const end = buffer + sizeof buffer - 1;
    uint8_t *at = start;
    char seconds[16];
    const int digits = snprintf(seconds, sizeof seconds, "%u", (unsigned)retry_after_s);
    if (lws_add_http_header_status(wsi, status, &at, end) != 0 ||
        lws_add_http_header_content_length(wsi, 0, &at, end) != 0 ||
        (retry_after_s > 0 &&
         lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_RETRY_AFTER, (const uint8_t *)seconds,
                                      digits, &at, end) != 0) ||
        lws_finalize_write_http_header(wsi, start, &at, end) != 0) {
        return -1;
    }
    return 1;
}

static int confirm_upgrade(struct lws *wsi)
{
    tg__websocket_server *server = server_of(wsi);
    uint32_t retry_after_s = 0;
    const unsigned status = judge_upgrade(server, wsi, &retry_after_s);
    if (status == 0) {
        return 0;
    }
    char address[ADDRESS_SIZE] = "?";
    (void)lws_get_peer_simple(wsi, address, sizeof address);
    tg__log("%s: upgrade refused with status %u", address, status);
    return refuse(wsi, status, retry_after_s);
}

/* ---- connections ---- */

static int establish(struct lws *wsi, session *own)
{
    tg__websocket_server *server = server_of(wsi);
    const int size = SEND_BUFFER_SIZE;
    memset(own, 0, sizeof *own);
    own->wsi = wsi;
    (void)snprintf(own->end, sizeof own->end, "connection lost");
    (void)lws_get_peer_simple(wsi, own->address, sizeof own->address);
    if (setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &size, sizeof size) != 0) {
        tg__log("%s: the send buffer could not be capped: %s", own->address, strerror(errno));
    }
    own->peer = tg__hub_connect(server->hub, own, moment_of(server));
    if (own->peer == NULL) {
        tg__log("%s: refused: no room for another connection", own->address);
        return -1;
    }
    tg__log("connection %llu from %s: open, %u in all", (unsigned long long)own->peer->number,
            own->address, (unsigned)server->hub->peer_count);
    return 0;
}

static void end_session(tg__websocket_server *server, session *own)
{
    if (own == NULL || own->peer == NULL) {
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

static void reject(tg__websocket_server *server, session *own, uint16_t code, const char *why)
{
    tg__log("connection %llu from %s: %s", (unsigned long long)own->peer->number, own->address,
            why);
    tg__hub_close_peer(server->hub, own->peer, code, 1000);
}

static bool grow_partial(session *own, size_t needed)
{
    if (needed <= own->partial_capacity) {
        return true;
    }
    size_t capacity = own->partial_capacity == 0 ? RECEIVE_BUFFER_SIZE : own->partial_capacity;
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

static void take_message(tg__websocket_server *server, session *own, const uint8_t *message,
                         size_t size)
{
    tg__cause cause;
    if (tg__hub_receive(server->hub, own->peer, message, size, moment_of(server), &cause) !=
        TG_OK) {
        tg__log("connection %llu from %s: %s", (unsigned long long)own->peer->number, own->address,
                cause.text);
    }
}

/* Never closes: it only marks, and what still comes is thrown away. */
static void receive(struct lws *wsi, session *own, const uint8_t *bytes, size_t size)
{
    tg__websocket_server *server = server_of(wsi);
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

static int close_now(struct lws *wsi, session *own)
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
static int send_ping_if_due(struct lws *wsi, session *own, int64_t mono_ns)
{
    uint8_t ping[LWS_PRE + TG__REACH_MARK_SIZE];
    if (tg__reach_ping(&own->reach, mono_ns, ping + LWS_PRE) &&
        lws_write(wsi, ping + LWS_PRE, TG__REACH_MARK_SIZE, LWS_WRITE_PING) <
            (int)TG__REACH_MARK_SIZE) {
        return -1;
    }
    return 0;
}

static int write_ready(struct lws *wsi, session *own)
{
    tg__websocket_server *server = server_of(wsi);
    if (own->peer == NULL) {
        return 0;
    }
    uint8_t *const message = server->out + LWS_PRE;
    for (unsigned i = 0; i < MESSAGES_PER_TURN; i++) {
        const tg__moment now = moment_of(server);
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

static void take_pong(struct lws *wsi, session *own, const uint8_t *payload, size_t size)
{
    if (own->peer != NULL && tg__reach_pong(&own->reach, payload, size)) {
        (void)lws_callback_on_writable(wsi);
    }
}

static void note_peer_close(session *own, const uint8_t *payload, size_t size)
{
    const unsigned code = size >= 2 ? (unsigned)payload[0] << 8 | payload[1] : 1005u;
    (void)snprintf(own->end, sizeof own->end, "closed by the client with code %u", code);
}

/* A connection that came, until it is upgraded or gone; its own mark tells the two ends apart. */
static void count_visitor(struct lws *wsi)
{
    lws_set_opaque_user_data(wsi, server_of(wsi));
    server_of(wsi)->visitor_count++;
}

static void discount_visitor(struct lws *wsi)
{
    tg__websocket_server *server = lws_get_opaque_user_data(wsi);
    if (server != NULL) {
        lws_set_opaque_user_data(wsi, NULL);
        server->visitor_count--;
    }
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t size)
{
    session *own = user;
    /* libwebsockets has some eighty reasons: those that are not named here need no answer. */
    switch ((int)reason) {
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        count_visitor(wsi);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        discount_visitor(wsi);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(wsi);
    case LWS_CALLBACK_HTTP:
        return refuse(wsi, HTTP_STATUS_NOT_FOUND, 0) < 0 || lws_http_transaction_completed(wsi) != 0
                   ? -1
                   : 0;
    case LWS_CALLBACK_ESTABLISHED:
        discount_visitor(wsi);
        return establish(wsi, own);
    case LWS_CALLBACK_RECEIVE:
        receive(wsi, own, in, size);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return write_ready(wsi, own);
    case LWS_CALLBACK_RECEIVE_PONG:
        take_pong(wsi, own, in, size);
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        note_peer_close(own, in, size);
        return 0;
    case LWS_CALLBACK_CLOSED:
        end_session(server_of(wsi), own);
        return 0;
    default:
        return 0;
    }
}

void tg__websocket_server_wake(void *server, tg__peer *peer)
{
    (void)server;
    const session *own = peer->owner;
    (void)lws_callback_on_writable(own->wsi);
}

/* ---- life ---- */

static void forward_log(int level, const char *line)
{
    (void)level;
    char text[512];
    (void)snprintf(text, sizeof text, "%s", line);
    text[strcspn(text, "\n")] = '\0';
    tg__log("libwebsockets: %s", text);
}

/* One that is due before the wait begins is spent at once, and the wait would have no end: so it
 * sets itself anew, at the resolution of the wait. */
static void repeat_alarm(lws_sorted_usec_list_t *alarm)
{
    tg__websocket_server *server = ((alarm_clock *)alarm)->server;
    lws_sul_schedule(server->context, 0, alarm, repeat_alarm, ALARM_RESOLUTION_US);
}

/* libwebsockets does not say why it could not listen: the system is asked once more. */
static tg_err listen_fault(const tg__websocket_server_options *options, const char *host,
                           tg__cause *cause)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(options->port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(options->port)};
    const bool is_v4 = inet_pton(AF_INET, host, &v4.sin_addr) == 1;
    const bool is_v6 = !is_v4 && inet_pton(AF_INET6, host, &v6.sin6_addr) == 1;
    if (!is_v4 && !is_v6) {
        return tg__cause_set(cause, TG_ERR_LISTEN, "--listen %s: is not an IP address", host);
    }
    const int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM, 0);
    const int one = 1;
    const struct sockaddr *address =
        is_v4 ? (const struct sockaddr *)&v4 : (const struct sockaddr *)&v6;
    const socklen_t size = is_v4 ? sizeof v4 : sizeof v6;
    const char *why = "libwebsockets refused it";
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        bind(fd, address, size) != 0 || listen(fd, 1) != 0) {
        why = strerror(errno);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return tg__cause_set(cause, TG_ERR_LISTEN, "cannot listen on %s port %u: %s", host,
                         (unsigned)options->port, why);
}

static struct lws_context_creation_info creation_info(tg__websocket_server *server,
                                                      const char *host)
{
    const tg__websocket_server_options *options = &server->options;
    const struct lws_context_creation_info info = {
        .port = options->port,
        .iface = strcmp(host, "0.0.0.0") == 0 ? NULL : host,
        .protocols = server->protocols,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT |
                   LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
        .user = server,
        .ssl_cert_filepath = options->certificate_path,
        .ssl_private_key_filepath = options->key_path,
        .max_http_header_data = HTTP_HEADER_DATA_MAX,
        .pt_serv_buf_size = RECEIVE_BUFFER_SIZE,
        .fd_limit_per_thread = options->peers_max + SPARE_DESCRIPTORS,
        .keepalive_timeout = KEEP_ALIVE_S,
        .retry_and_idle_policy = &server->liveness,
        .vhost_name = "tickglass",
    };
    return info;
}

static void fill_protocols(tg__websocket_server *server)
{
    const struct lws_protocols own = {
        .name = TG__SUBPROTOCOL,
        .callback = on_event,
        .per_session_data_size = sizeof(session),
        .rx_buffer_size = RECEIVE_BUFFER_SIZE,
    };
    server->protocols[0] = own; /* the second stays all zero: the end of the list */
    server->liveness.secs_since_valid_ping = PING_AFTER_S;
    server->liveness.secs_since_valid_hangup = HANG_UP_AFTER_S;
}

tg_err tg__websocket_server_open(const tg__websocket_server_options *options,
                                 tg__websocket_server **out, tg__cause *cause)
{
    *out = NULL;
    tg__websocket_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "no memory for the server");
    }
    server->options = *options;
    server->alarm.server = server;
    fill_protocols(server);
    tg__token_bucket_init(&server->upgrades, options->upgrades_per_second, options->upgrade_burst,
                          moment_of(server).mono_ns);
    lws_set_log_level(LLL_ERR, forward_log);
    const char *host = strcmp(options->host, "localhost") == 0 ? "127.0.0.1" : options->host;
    struct lws_context_creation_info info = creation_info(server, host);
    server->context = lws_create_context(&info);
    server->vhost = server->context != NULL ? lws_create_vhost(server->context, &info) : NULL;
    if (server->vhost == NULL) {
        const tg_err err = listen_fault(options, host, cause);
        tg__websocket_server_close(server);
        return err;
    }
    *out = server;
    return TG_OK;
}

void tg__websocket_server_serve(tg__websocket_server *server, tg__hub *hub)
{
    server->hub = hub;
}

uint16_t tg__websocket_server_port(const tg__websocket_server *server)
{
    return (uint16_t)lws_get_vhost_listen_port(server->vhost);
}

void tg__websocket_server_step(tg__websocket_server *server, int64_t wait_ns)
{
    if (wait_ns <= 0) {
        (void)lws_service_tsi(server->context, -1, 0);
        return;
    }
    lws_sul_schedule(server->context, 0, &server->alarm.list, repeat_alarm,
                     (lws_usec_t)((wait_ns + 999) / 1000));
    (void)lws_service(server->context, 0);
}

void tg__websocket_server_refuse_new(tg__websocket_server *server)
{
    server->refuses_new = true;
}

bool tg__websocket_server_has_visitors(const tg__websocket_server *server)
{
    return server->visitor_count > 0;
}

void tg__websocket_server_close(tg__websocket_server *server)
{
    if (server == NULL) {
        return;
    }
    if (server->context != NULL) {
        lws_context_destroy(server->context);
    }
    free(server);
}
