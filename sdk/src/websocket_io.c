/*
 * The only file that includes libwebsockets, but for websocket_peer.c.
 *
 * libwebsockets 4.3.5 must not be made to close a connection from inside its receive callback (it
 * frees what it still reads). So nothing here does: closing is noted, and done from the writeable
 * callback or by a timeout.
 */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libwebsockets.h>

#include <tickglass/internal/control.h>
#include <tickglass/internal/control_flow.h>

#include "attempt.h"
#include "dialer.h"
#include "poll_set.h"
#include "tls_trust.h"
#include "websocket_peer.h"

#define CONNECTIONS_MAX 8u /* the current one, and those that still say good-bye */
#define OUT_SIZE        (512u * 1024u)
#define RX_CHUNK_SIZE   (32u * 1024u)
#define LEAVE_SECONDS   1
#define UNSETTLED_NS    INT64_C(20000000) /* see tg__io_deadline() */
#define ATTEMPT_SECONDS 20                /* beyond the engine's own deadline: that one decides */
#define FD_LIMIT        64u
#define TIMER_PATIENCE  128u /* a late timer looks so often whether all was read: 2 MB or more */
#define HEADER_SIZE     64
#define SCHEME          "Bearer "
/* Without an address libwebsockets takes the one in the environment's http_proxy, and the token
 * with it goes through whoever stands there. Port 0 means none; "" would mean so too, with a
 * complaint. */
#define NO_PROXY ":0"

#define TEXT_OF(token)                    #token
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

typedef struct endpoint {
    tg__url url;
    char host_header[TG__HOST_SIZE + 16];
    /* libwebsockets' word for where its socket goes; it is connected before. */
    char address[TG__SOCKET_PATH_SIZE + 1];
} endpoint;

typedef struct connection {
    bool used;
    bool detached; /* the engine has given it up: it hears nothing more of it */
    bool established;
    bool requested; /* TCP and TLS are there: the upgrade was sent */
    bool failed;    /* ended before it was established; closed says why */
    bool dialing;
    bool oversized; /* the rest of its message is thrown away */
    uint16_t close_code;
    uint32_t generation;
    int fd; /* dialled, and not libwebsockets' yet; -1: none */
    tg__io *io;
    const endpoint *to;
    struct lws *wsi;
    tg__closed closed;
    char peer[sizeof((tg__dialed *)NULL)->peer];
} connection;

/* A message in the out buffer: this, LWS_PRE bytes for libwebsockets' header, then the payload. */
typedef struct out_head {
    uint32_t size;
    bool secret; /* wiped when written */
} out_head;

/* libwebsockets hands back the list entry only: it stands first, so that it is found from there. */
typedef struct io_alarm {
    lws_sorted_usec_list_t sul;
    tg__io *io;
} io_alarm;

struct tg__io {
    struct lws_context *context;
    tg__dialer *dialer;
    tg__io_handler handler;
    tg_clock clock;
    endpoint endpoints[TG__ENDPOINTS_MAX];
    const tg__proxy *proxy; /* NULL: none */
    bool plain_anywhere;
    tg__credential *credential;
    tg__pins pins;
    bool unverified;
    size_t message_size_max;
    connection connections[CONNECTIONS_MAX];
    connection *current;         /* NULL: none, or the engine gave it up */
    uint32_t refused_generation; /* found no place in connections; 0: none */
    io_alarm timer;
    io_alarm step;    /* does what must not be done inside a callback */
    int64_t timer_ns; /* when timer rings; INT64_MAX: never */
    bool step_waits;
    tg__poll_set poll_set;
    uint32_t timer_patience;
    uint8_t *in;
    size_t in_used;
    uint8_t *out;
    size_t out_first;
    size_t out_used; /* end of the last message in out */
};

/* --- reporting --- */

static void free_connection(connection *c)
{
    if (c->io->current == c) {
        c->io->current = NULL;
    }
    if (c->fd >= 0) {
        (void)close(c->fd);
        c->fd = -1;
    }
    c->used = false;
}

static void report_closed(connection *c)
{
    if (c->detached) {
        return;
    }
    c->detached = true;
    tg__io *io = c->io;
    if (io->current == c) {
        io->current = NULL;
    }
    io->handler.on_closed(io->handler.ctx, c->generation, &c->closed);
}

static void set_cause(connection *c, tg__cause cause, const char *text)
{
    c->closed.cause = cause;
    (void)snprintf(c->closed.text, sizeof c->closed.text, "%.*s", (int)sizeof c->closed.text - 1,
                   text);
}

static void schedule_step(tg__io *io);

static void fail(connection *c)
{
    c->failed = true;
    schedule_step(c->io);
}

/* --- a failed attempt --- */

static void on_connection_error(connection *c, struct lws *wsi, const char *detail, size_t length)
{
    if (c->failed) {
        return; /* told twice: as a callback and as a result */
    }
    char text[TG__CAUSE_TEXT_SIZE];
    (void)snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text),
                   detail != NULL ? detail : "");
    char retry_after[HEADER_SIZE] = "";
    char date[HEADER_SIZE] = "";
    tg__attempt attempt = {c->to->url.host, c->peer, c->requested, 0, text, "", "", 0};
    if (c->requested) {
        attempt.http_status = lws_http_client_http_response(wsi);
        (void)lws_hdr_copy(wsi, retry_after, sizeof retry_after, WSI_TOKEN_HTTP_RETRY_AFTER);
        (void)lws_hdr_copy(wsi, date, sizeof date, WSI_TOKEN_HTTP_DATE);
        attempt.retry_after = retry_after;
        attempt.date = date;
        attempt.now_utc_ns = tg_clock_utc_ns(&c->io->clock);
    }
    tg__attempt_explain(&attempt, &c->closed);
    fail(c);
}

/* --- connecting --- */

static connection *take_connection(tg__io *io)
{
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (!io->connections[i].used) {
            connection *c = &io->connections[i];
            memset(c, 0, sizeof *c);
            c->used = true;
            c->fd = -1;
            c->closed.cause = TG__CAUSE_LOST; /* unless somebody knows better */
            c->io = io;
            return c;
        }
    }
    return NULL;
}

static int tls_flags(const connection *c)
{
    if (!c->to->url.tls) {
        return 0;
    }
#if TG_DANGEROUS_TLS
    if (c->io->unverified) {
        return LCCSCF_USE_SSL | LCCSCF_ALLOW_INSECURE;
    }
#endif
    return LCCSCF_USE_SSL;
}

/* By itself libwebsockets would ping after five minutes without a sign of life and hang up ten
 * seconds later. Deadlines are the engine's alone; without a time to hang up after there is none.
 */
static const lws_retry_bo_t no_policy = {.secs_since_valid_hangup = 0};

/* libwebsockets makes a socket of its own; on_connecting() puts the dialled one in its place. */
static void give_socket(connection *c)
{
    const endpoint *to = c->to;
    struct lws_client_connect_info info;
    memset(&info, 0, sizeof info);
    info.context = c->io->context;
    info.address = to->address;
    info.port = to->url.port;
    info.path = to->url.path;
    info.host = to->host_header; /* the certificate and SNI are judged by its name */
    info.protocol = TG__SUBPROTOCOL;
    info.local_protocol_name = TG__SUBPROTOCOL;
    info.ssl_connection = tls_flags(c) | LCCSCF_HTTP_NO_FOLLOW_REDIRECT;
    info.opaque_user_data = c;
    info.pwsi = &c->wsi;
    info.retry_and_idle_policy = &no_policy;
    if (lws_client_connect_via_info(&info) == NULL) {
        c->wsi = NULL;
        if (c->used && !c->failed) { /* nobody has told anything yet */
            set_cause(c, TG__CAUSE_CONNECT, "no socket could be made");
            fail(c);
        }
    }
}

/*
 * Who asks Linux for the first time after a connection has come about is told that it came about
 * just now, everybody after that that it is there. libwebsockets must hear the latter: it goes on
 * to TLS at once otherwise, still inside the call that makes the connection, and what fails in
 * there is reported to nobody. False: it is gone already; asking again would make a new connection,
 * to wherever libwebsockets believes that it goes. Unix sockets are there from the first call on,
 * and their peer's name need not be one that anybody can still call.
 */
static bool settle_connected(int fd)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    return getpeername(fd, (struct sockaddr *)&peer, &size) == 0 &&
           (peer.ss_family == AF_UNIX || connect(fd, (const struct sockaddr *)&peer, size) == 0 ||
            errno == EISCONN);
}

/* Non-zero: without its socket the attempt is over. The number stays what it was, so that it can be
 * watched as before; a set that watches what is behind the number has to be told. */
static int on_connecting(connection *c, int number)
{
    if (c->fd < 0 || dup2(c->fd, number) < 0 || fcntl(number, F_SETFD, FD_CLOEXEC) != 0) {
        return -1;
    }
    (void)close(c->fd);
    c->fd = -1;
    if (!settle_connected(number)) {
        set_cause(c, TG__CAUSE_CONNECT, c->peer);
        return -1;
    }
    tg__poll_set_put(&c->io->poll_set, number, POLLIN);
    return 0;
}

static void start_connection(connection *c)
{
    tg__io *io = c->io;
    const tg__url *url = &c->to->url;
    /* What is given to a proxy has left this machine: the caller saw to it that it may. */
    const bool loopback_only = !url->tls && !io->plain_anywhere;
    const tg_err err = tg__dialer_dial(io->dialer, url, io->proxy, loopback_only);
    if (err == TG_ERR_FULL) {
        set_cause(c, TG__CAUSE_RESOLVE, "the system's resolver does not come back");
    } else if (err != TG_OK) {
        set_cause(c, TG__CAUSE_CONNECT, "no memory, or no thread, to dial with");
    }
    if (err != TG_OK) {
        fail(c);
        return;
    }
    c->dialing = true;
}

static void take_dialled(tg__io *io)
{
    connection *c = io->current;
    tg__dialed dialled;
    if (c == NULL || !c->dialing || !tg__dialer_take(io->dialer, &dialled)) {
        return;
    }
    c->dialing = false;
    if (dialled.fd < 0) {
        c->closed = dialled.closed;
        fail(c);
        return;
    }
    memcpy(c->peer, dialled.peer, sizeof c->peer);
    c->fd = dialled.fd;
    io->handler.on_dialled(io->handler.ctx, c->generation);
    give_socket(c);
}

static void handle_failure(connection *c)
{
    c->failed = false;
    report_closed(c);
    if (c->wsi == NULL) {
        free_connection(c);
    }
}

static void on_step(lws_sorted_usec_list_t *sul)
{
    tg__io *io = ((io_alarm *)(void *)sul)->io;
    io->step_waits = false;
    if (io->refused_generation != 0) {
        const tg__closed closed = {TG__CAUSE_CONNECT, 0, 0, "too many connections still close"};
        const uint32_t generation = io->refused_generation;
        io->refused_generation = 0;
        io->handler.on_closed(io->handler.ctx, generation, &closed);
    }
    connection *current = io->current;
    const bool fresh =
        current != NULL && current->wsi == NULL && !current->failed && !current->dialing;
    if (fresh) {
        start_connection(current);
    }
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        connection *c = &io->connections[i];
        if (c->used && c->failed && c->wsi == NULL) {
            handle_failure(c);
        }
    }
}

/* What was not sent is forgotten; a secret may be in it. */
static void clear_out(tg__io *io)
{
    if (io->out_used > io->out_first) {
        tg__wipe(io->out + io->out_first, io->out_used - io->out_first);
    }
    io->out_first = 0;
    io->out_used = 0;
}

static void schedule_step(tg__io *io)
{
    io->step_waits = true;
    lws_sul_schedule(io->context, 0, &io->step.sul, on_step, 1);
}

void tg__io_connect(tg__io *io, uint32_t generation, uint32_t number)
{
    io->in_used = 0;
    clear_out(io);
    connection *c = take_connection(io);
    if (c != NULL) {
        c->generation = generation;
        c->to = &io->endpoints[number];
        io->current = c;
    } else {
        io->refused_generation = generation;
    }
    schedule_step(io);
}

/* --- leaving --- */

static connection *connection_of(tg__io *io, uint32_t generation)
{
    connection *c = io->current;
    return c != NULL && c->generation == generation ? c : NULL;
}

/* Nothing more is heard of c; what is dialled for it is forgotten. */
static void detach(connection *c)
{
    c->detached = true;
    c->io->current = NULL;
    if (c->dialing) {
        tg__dialer_cancel(c->io->dialer);
        c->dialing = false;
    }
    if (c->wsi == NULL && !c->failed) {
        free_connection(c);
    }
}

void tg__io_close_connection(tg__io *io, uint32_t generation, uint16_t code)
{
    connection *c = connection_of(io, generation);
    if (c == NULL) {
        return;
    }
    struct lws *wsi = c->wsi;
    c->close_code = code;
    detach(c);
    if (wsi != NULL) {
        if (c->established) {
            lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LEAVE_SECONDS);
            (void)lws_callback_on_writable(wsi);
        } else {
            lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
        }
    }
}

void tg__io_drop(tg__io *io, uint32_t generation)
{
    connection *c = connection_of(io, generation);
    if (c == NULL) {
        return;
    }
    struct lws *wsi = c->wsi;
    detach(c);
    if (wsi != NULL) {
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
    }
}

uint32_t tg__io_leaving(const tg__io *io)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        count += io->connections[i].used && io->connections[i].detached;
    }
    return count;
}

/* Our own refusal of what the peer sent: reported as its close would be, and said to it. */
static void refuse_message(connection *c, uint16_t code, const char *text)
{
    c->oversized = true;
    c->close_code = code;
    set_cause(c, TG__CAUSE_PEER_FAULT, text);
    struct lws *wsi = c->wsi;
    report_closed(c);
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LEAVE_SECONDS);
    (void)lws_callback_on_writable(wsi);
}

/* --- receiving and sending --- */

static void on_receive(connection *c, struct lws *wsi, const uint8_t *bytes, size_t size)
{
    tg__io *io = c->io;
    if (c->detached || c->oversized) {
        return;
    }
    const size_t announced = lws_remaining_packet_payload(wsi);
    const bool whole = lws_is_final_fragment(wsi) && announced == 0;
    if (!lws_frame_is_binary(wsi)) {
        refuse_message(c, 1003, "a text message came");
        return;
    }
    const size_t room = io->message_size_max - io->in_used;
    if (size > room || announced > room - size) {
        refuse_message(c, TG__CLOSE_TOO_BIG, "a message is over the size limit");
        return;
    }
    const uint8_t *message = bytes;
    size_t message_size = size;
    if (!whole || io->in_used > 0) {
        if (size > 0) {
            memcpy(io->in + io->in_used, bytes, size);
            io->in_used += size;
        }
        message = io->in;
        message_size = io->in_used;
    }
    if (whole) {
        io->in_used = 0;
        io->handler.on_message(io->handler.ctx, c->generation, message, message_size,
                               tg_clock_mono_ns(&io->clock));
    } else {
        io->handler.on_progress(io->handler.ctx, c->generation, io->in_used);
    }
}

static tg_err queue_message(tg__io *io, uint32_t generation, const uint8_t *bytes, size_t size,
                            bool secret)
{
    connection *c = connection_of(io, generation);
    if (c == NULL || !c->established) {
        return TG_OK; /* it went with the connection */
    }
    const size_t need = sizeof(out_head) + LWS_PRE + size;
    if (OUT_SIZE - io->out_used < need && io->out_first > 0) {
        memmove(io->out, io->out + io->out_first, io->out_used - io->out_first);
        tg__wipe(io->out + io->out_used - io->out_first, io->out_first);
        io->out_used -= io->out_first;
        io->out_first = 0;
    }
    TG_ENSURE(OUT_SIZE - io->out_used >= need, TG_ERR_FULL);
    const out_head head = {(uint32_t)size, secret};
    memcpy(io->out + io->out_used, &head, sizeof head);
    memcpy(io->out + io->out_used + sizeof head + LWS_PRE, bytes, size);
    io->out_used += need;
    (void)lws_callback_on_writable(c->wsi);
    return TG_OK;
}

tg_err tg__io_send(tg__io *io, uint32_t generation, const uint8_t *bytes, size_t size)
{
    return queue_message(io, generation, bytes, size, false);
}

tg_err tg__io_send_secret(tg__io *io, uint32_t generation, const uint8_t *bytes, size_t size)
{
    return queue_message(io, generation, bytes, size, true);
}

/* Non-zero: libwebsockets is to close the connection. */
static int on_writeable(connection *c, struct lws *wsi)
{
    tg__io *io = c->io;
    if (c->detached) {
        if (c->close_code != 0) {
            lws_close_reason(wsi, (enum lws_close_status)c->close_code, NULL, 0);
        }
        return -1;
    }
    if (io->out_first == io->out_used) {
        return 0;
    }
    out_head head;
    memcpy(&head, io->out + io->out_first, sizeof head);
    uint8_t *payload = io->out + io->out_first + sizeof head + LWS_PRE;
    io->out_first += sizeof head + LWS_PRE + head.size;
    /* Short writes are kept by libwebsockets, which finishes them before the next callback. */
    const int written = lws_write(wsi, payload, head.size, LWS_WRITE_BINARY);
    if (head.secret) {
        tg__wipe(payload, head.size);
    }
    if (written < (int)head.size) {
        return -1;
    }
    if (io->out_first == io->out_used) {
        io->out_first = 0;
        io->out_used = 0;
    } else {
        (void)lws_callback_on_writable(wsi);
    }
    return 0;
}

static void on_peer_close(connection *c, const uint8_t *bytes, size_t size)
{
    if (c->detached || c->closed.cause == TG__CAUSE_PEER_FAULT) {
        return;
    }
    c->closed.cause = TG__CAUSE_CLOSE_CODE;
    c->closed.code = 1005; /* a close frame without a code */
    if (size < 2) {
        return;
    }
    c->closed.code = (uint16_t)(bytes[0] << 8 | bytes[1]);
    uint32_t floor_ms = 0;
    if (tg__close_reason_decode((const char *)bytes + 2, size - 2, &floor_ms) == TG_OK) {
        c->closed.floor_ms = floor_ms;
    }
}

/* --- libwebsockets' callback --- */

/* False: the connection fails, and says so, before a byte of the request is written. */
static bool check_pins(connection *c, struct lws *wsi)
{
    const tg__pins *pins = &c->io->pins;
    if (pins->count == 0 || tg__peer_is_pinned(wsi, pins)) {
        return true;
    }
    c->closed.cause = TG__CAUSE_CERTIFICATE;
    tg__pins_explain(pins, c->to->url.host, c->closed.text, sizeof c->closed.text);
    fail(c);
    return false;
}

static int append_handshake(connection *c, struct lws *wsi, uint8_t **at, size_t size)
{
    /* Nobody waits for what was given up, and its token is the next one's. */
    if (c->detached || !check_pins(c, wsi)) {
        return -1;
    }
    c->requested = true;
    char value[sizeof SCHEME + TG__TOKEN_SIZE_MAX] = SCHEME;
    const size_t token_size =
        tg__credential_hand_over(c->io->credential, value + sizeof SCHEME - 1);
    int failed = 0;
    if (token_size > 0) {
        failed = lws_add_http_header_by_token(
            wsi, WSI_TOKEN_HTTP_AUTHORIZATION, (const unsigned char *)value,
            (int)(sizeof SCHEME - 1 + token_size), at, *at + size);
    }
    tg__wipe(value, sizeof value);
    c->io->handler.on_requested(c->io->handler.ctx, c->generation);
    return failed;
}

/* Non-zero: no session with this peer. libwebsockets, built without extensions, takes an answer
 * that accepts one all the same, and one that accepts no subprotocol. */
static int judge_upgrade(struct lws *wsi)
{
    return lws_hdr_total_length(wsi, WSI_TOKEN_EXTENSIONS) > 0 ||
           lws_hdr_total_length(wsi, WSI_TOKEN_PROTOCOL) == 0;
}

static void on_gone(connection *c)
{
    c->wsi = NULL;
    if (c->failed) {
        schedule_step(c->io); /* reports it */
        return;
    }
    report_closed(c);
    free_connection(c);
}

static int on_connection(connection *c, struct lws *wsi, enum lws_callback_reasons reason, void *in,
                         size_t size)
{
    /* libwebsockets knows far more reasons than the ones that concern us. */
    if (reason == LWS_CALLBACK_CLIENT_RECEIVE) {
        on_receive(c, wsi, in, size);
    } else if (reason == LWS_CALLBACK_CONNECTING) {
        return on_connecting(c, (int)(intptr_t)in);
    } else if (reason == LWS_CALLBACK_CLIENT_WRITEABLE) {
        return on_writeable(c, wsi);
    } else if (reason == LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER) {
        return append_handshake(c, wsi, in, size);
    } else if (reason == LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH) {
        return judge_upgrade(wsi);
    } else if (reason == LWS_CALLBACK_CLIENT_ESTABLISHED) {
        c->established = true;
        set_cause(c, TG__CAUSE_LOST, "");
        if (c->detached) {
            (void)lws_callback_on_writable(wsi);
        } else {
            c->io->handler.on_connected(c->io->handler.ctx, c->generation, c->peer);
        }
    } else if (reason == LWS_CALLBACK_CLIENT_CONNECTION_ERROR) {
        on_connection_error(c, wsi, in, size);
    } else if (reason == LWS_CALLBACK_WS_PEER_INITIATED_CLOSE) {
        on_peer_close(c, in, size);
    } else if (reason == LWS_CALLBACK_CLIENT_CLOSED) {
        report_closed(c);
    } else if (reason == LWS_CALLBACK_WSI_DESTROY) {
        on_gone(c);
    }
    return 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t size)
{
    (void)user;
    struct lws_context *context = lws_get_context(wsi);
    tg__io *io = context != NULL ? lws_context_user(context) : NULL;
    if (io == NULL || io->context == NULL) {
        return 0; /* the context is being made */
    }
    if (reason == LWS_CALLBACK_EVENT_WAIT_CANCELLED) {
        take_dialled(io);
        io->handler.on_wake(io->handler.ctx);
        return 0;
    }
    if (reason == LWS_CALLBACK_ADD_POLL_FD || reason == LWS_CALLBACK_CHANGE_MODE_POLL_FD) {
        const struct lws_pollargs *poll = in;
        tg__poll_set_put(&io->poll_set, poll->fd, (short)poll->events);
        return 0;
    }
    if (reason == LWS_CALLBACK_DEL_POLL_FD) {
        tg__poll_set_drop(&io->poll_set, ((const struct lws_pollargs *)in)->fd);
        return 0;
    }
    connection *c = lws_get_opaque_user_data(wsi);
    return c != NULL ? on_connection(c, wsi, reason, in, size) : 0;
}

static const struct lws_protocols protocols[] = {
    {TG__SUBPROTOCOL, on_event, 0, RX_CHUNK_SIZE, 0, NULL, 0},
    LWS_PROTOCOL_LIST_TERM,
};

/* --- opening, timers, service --- */

static void say_nothing(int level, const char *line)
{
    (void)level;
    (void)line;
}

static struct lws_context *make_context(tg__io *io, const tg__io_options *options)
{
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.protocols = protocols;
    info.user = io;
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    info.fd_limit_per_thread = FD_LIMIT;
    info.pt_serv_buf_size = RX_CHUNK_SIZE;
    info.connect_timeout_secs = ATTEMPT_SECONDS;
    info.timeout_secs = ATTEMPT_SECONDS;
    info.http_proxy_address = NO_PROXY;
    if (options->ca_pem != NULL) {
        info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
        info.client_ssl_ca_mem = options->ca_pem;
        info.client_ssl_ca_mem_len = (unsigned int)options->ca_pem_size;
        if (options->identity != NULL) {
            info.client_ssl_cert_mem = options->identity->chain_pem;
            info.client_ssl_cert_mem_len = (unsigned int)options->identity->chain_pem_size;
            info.client_ssl_key_mem = options->identity->key_der;
            /* One more than there is: libwebsockets leaves out the last, a terminator in PEM. */
            info.client_ssl_key_mem_len = (unsigned int)options->identity->key_der_size + 1;
        }
    }
    /* A guest keeps quiet and leaves the host's signals as they were; libwebsockets by itself
     * prints to stderr and, where it was not built otherwise, ignores SIGPIPE for everybody. */
    lws_set_log_level(0, say_nothing);
    struct sigaction before;
    const bool known = sigaction(SIGPIPE, NULL, &before) == 0;
    struct lws_context *context = lws_create_context(&info);
    if (known) {
        (void)sigaction(SIGPIPE, &before, NULL);
    }
    return context;
}

static void on_dialled(void *ctx)
{
    tg__io_wake(ctx);
}

static void fill_endpoint(endpoint *to, const tg__url *url)
{
    to->url = *url;
    const bool usual = url->port == (url->tls ? 443 : 80);
    const bool six = strchr(url->host, ':') != NULL;
    if (usual) {
        (void)snprintf(to->host_header, sizeof to->host_header, six ? "[%s]" : "%s", url->host);
    } else {
        (void)snprintf(to->host_header, sizeof to->host_header, six ? "[%s]:%u" : "%s:%u",
                       url->host, (unsigned)url->port);
    }
    const bool is_socket = url->socket_path[0] != '\0';
    (void)snprintf(to->address, sizeof to->address, is_socket ? "+%s" : "127.0.0.1",
                   url->socket_path);
}

static tg_err fill(tg__io *io, const tg__io_options *options)
{
    io->handler = options->handler;
    io->credential = options->credential;
    io->clock = *options->clock;
    io->timer.io = io;
    io->step.io = io;
    io->proxy = options->proxy;
    io->plain_anywhere = options->plain_anywhere;
    io->pins = options->pins;
    io->unverified = options->dangerous_disable_verification;
    for (uint32_t i = 0; i < options->url_count; i++) {
        fill_endpoint(&io->endpoints[i], &options->urls[i]);
    }
    io->message_size_max = options->message_size_max;
    io->in = malloc(io->message_size_max);
    io->out = malloc(OUT_SIZE);
    TG_ENSURE(io->in != NULL && io->out != NULL, TG_ERR_NO_MEMORY);
    TG_TRY(tg__dialer_open(on_dialled, io, &io->dialer));
    io->context = make_context(io, options);
    TG_ENSURE(io->context != NULL, TG_ERR_NO_MEMORY);
    return TG_OK;
}

tg_err tg__io_open(const tg__io_options *options, tg__io **out)
{
    *out = NULL;
    tg__io *io = calloc(1, sizeof *io);
    TG_ENSURE(io != NULL, TG_ERR_NO_MEMORY);
    io->timer_ns = INT64_MAX;
    tg__poll_set_init(&io->poll_set);
    const tg_err err = fill(io, options);
    if (err != TG_OK) {
        tg__io_close(io);
        return err;
    }
    *out = io;
    return TG_OK;
}

void tg__io_close(tg__io *io)
{
    if (io == NULL) {
        return;
    }
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        io->connections[i].detached = true;
    }
    tg__dialer_close(io->dialer); /* first: it wakes the context */
    if (io->context != NULL) {
        lws_sul_cancel(&io->timer.sul);
        lws_sul_cancel(&io->step.sul);
        lws_context_destroy(io->context);
    }
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (io->connections[i].used) {
            free_connection(&io->connections[i]);
        }
    }
    tg__poll_set_close(&io->poll_set);
    if (io->out != NULL) {
        clear_out(io);
    }
    free(io->in);
    free(io->out);
    free(io);
}

static bool is_readable(const tg__io *io)
{
    if (io->current == NULL || io->current->wsi == NULL) {
        return false;
    }
    struct pollfd socket = {lws_get_socket_fd(io->current->wsi), POLLIN, 0};
    return poll(&socket, 1, 0) == 1;
}

/*
 * libwebsockets rings timers before it polls. A deadline such as "nothing came for so long" must
 * not be judged before what came was read: a host that did not call for seconds would lose its
 * session. What is read may set the timer anew, which moves this alarm.
 */
static void on_timer(lws_sorted_usec_list_t *sul)
{
    tg__io *io = ((io_alarm *)(void *)sul)->io;
    if (io->timer_patience > 0 && is_readable(io)) {
        io->timer_patience--;
        lws_sul_schedule(io->context, 0, &io->timer.sul, on_timer, 1);
        return;
    }
    io->timer_ns = INT64_MAX;
    io->handler.on_timer(io->handler.ctx);
}

void tg__io_timer(tg__io *io, int64_t deadline_ns)
{
    io->timer_ns = deadline_ns;
    io->timer_patience = TIMER_PATIENCE;
    if (deadline_ns == INT64_MAX) {
        lws_sul_cancel(&io->timer.sul);
        return;
    }
    const int64_t wait_ns = deadline_ns - tg_clock_mono_ns(&io->clock);
    /* Rounded up, and one more because libwebsockets' own clock counts whole microseconds: a timer
     * that rings too early would only be set again. */
    const lws_usec_t wait_us = wait_ns > 0 ? wait_ns / 1000 + 2 : 1;
    lws_sul_schedule(io->context, 0, &io->timer.sul, on_timer, wait_us);
}

void tg__io_service(tg__io *io, bool wait)
{
    tg__poll_set_drain(&io->poll_set); /* before, so that nothing said meanwhile is lost */
    (void)lws_service(io->context, wait ? 0 : -1);
}

void tg__io_wake(tg__io *io)
{
    lws_cancel_service(io->context);
    tg__poll_set_wake(&io->poll_set);
}

tg_err tg__io_fd(tg__io *io, int *fd)
{
    TG_TRY(tg__poll_set_open(&io->poll_set));
    *fd = io->poll_set.epoll_fd;
    return TG_OK;
}

/*
 * libwebsockets' own timers cannot be asked for. They matter only while a connection comes or goes
 * (a connection that is cut goes by one of them): as long as that lasts we look again shortly.
 */
int64_t tg__io_deadline(tg__io *io)
{
    const int64_t now_ns = tg_clock_mono_ns(&io->clock);
    /* Zero: bytes that TLS or libwebsockets has already taken from a socket wait to be handled. */
    if (io->step_waits || lws_service_adjust_timeout(io->context, 1, 0) == 0) {
        return now_ns;
    }
    int64_t deadline_ns = io->timer_ns;
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        const connection *c = &io->connections[i];
        if (c->used && !c->dialing && (c->detached || !c->established) &&
            deadline_ns - UNSETTLED_NS > now_ns) {
            deadline_ns = now_ns + UNSETTLED_NS;
        }
    }
    return deadline_ns;
}

const char *tg__io_version(void)
{
    return VERSION_TEXT(LWS_LIBRARY_VERSION_MAJOR, LWS_LIBRARY_VERSION_MINOR,
                        LWS_LIBRARY_VERSION_PATCH);
}
