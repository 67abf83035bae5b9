#include "websocket_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tickglass/internal/control_flow.h>

#include "ip_address.h"
#include "log.h"

#define HTTP_HEADER_DATA_MAX 12288u /* a token of 8 KiB and the rest */
#define PINGS_PER_HANG_UP    3u
#define INSPECTION_US        500000
#define NS_PER_S             INT64_C(1000000000)
#define KEEP_ALIVE_S         5
#define HANDSHAKE_S          5 /* the places for handshakes are few: who is silent has his no longer */
#define ALARM_RESOLUTION_US  1000
#define SPARE_DESCRIPTORS    64u

/* A connection that came, until it is upgraded or gone; its own mark tells the two ends apart. */
static void count_visitor(struct lws *wsi)
{
    lws_set_opaque_user_data(wsi, tg__websocket_server_of(wsi));
    tg__websocket_server_of(wsi)->visitor_count++;
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
    tg__websocket_session *own = user;
    /* libwebsockets has some eighty reasons: those that are not named here need no answer. */
    switch ((int)reason) {
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        count_visitor(wsi);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        discount_visitor(wsi);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return tg__websocket_confirm_upgrade(wsi);
    case LWS_CALLBACK_HTTP:
        return tg__websocket_answer_http(wsi, in);
    case LWS_CALLBACK_ESTABLISHED:
        discount_visitor(wsi);
        return tg__websocket_establish(wsi, own);
    case LWS_CALLBACK_RECEIVE:
        tg__websocket_receive(wsi, own, in, size);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return tg__websocket_write_ready(wsi, own);
    case LWS_CALLBACK_TIMER:
        tg__websocket_take_timer(wsi, own);
        return 0;
    case LWS_CALLBACK_RECEIVE_PONG:
        tg__websocket_take_pong(wsi, own, in, size);
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        tg__websocket_note_peer_close(own, in, size);
        return 0;
    case LWS_CALLBACK_CLOSED:
        tg__websocket_end_session(wsi, own);
        return 0;
    case LWS_CALLBACK_RAW_CLOSE_FILE:
        tg__websocket_server_of(wsi)->watch = NULL;
        return 0;
    default:
        return 0;
    }
}

void tg__websocket_server_wake(void *server, tg__peer *peer)
{
    (void)server;
    const tg__websocket_session *own = peer->owner;
    (void)lws_callback_on_writable(own->wsi);
}

void tg__websocket_server_interrupt(void *server)
{
    const tg__websocket_server *own = server;
    lws_cancel_service(own->context); /* its only function that another thread may call */
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
    tg__websocket_server *server = ((tg__websocket_alarm *)alarm)->server;
    lws_sul_schedule(server->context, 0, alarm, repeat_alarm, ALARM_RESOLUTION_US);
}

static void inspect_all(lws_sorted_usec_list_t *inspection)
{
    tg__websocket_server *server = ((tg__websocket_alarm *)inspection)->server;
    const int64_t mono_ns = tg__websocket_moment(server).mono_ns;
    const int64_t limit_ns = (int64_t)server->options.hang_up_after_s * NS_PER_S;
    for (const tg__peer *peer = server->hub->first_peer; peer != NULL; peer = peer->next) {
        tg__websocket_inspect(peer->owner, mono_ns, limit_ns);
    }
    lws_sul_schedule(server->context, 0, inspection, inspect_all, INSPECTION_US);
}

static tg_err listen_fault(const tg__websocket_server_options *options, const char *why,
                           tg__cause *cause)
{
    return tg__cause_set(cause, TG_ERR_LISTEN, "cannot listen on %s port %u: %s", options->host,
                         (unsigned)options->port, why);
}

/* The system is asked first: libwebsockets does not say why it cannot listen, and tries for ever to
 * bind an address that is not this machine's. */
static tg_err try_to_listen(const tg__websocket_server_options *options, tg__cause *cause)
{
    tg__ip_address address;
    if (!tg__ip_address_of(options->host, options->port, &address)) {
        return tg__cause_set(cause, TG_ERR_LISTEN, "--listen %s: is not an IP address",
                             options->host);
    }
    const int fd = socket(address.storage.ss_family, SOCK_STREAM, 0);
    const int one = 1;
    tg_err err = TG_OK;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        bind(fd, (const struct sockaddr *)&address.storage, address.size) != 0 ||
        listen(fd, 1) != 0) {
        err = listen_fault(options, strerror(errno), cause);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return err;
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
        .ssl_cert_filepath = options->certificate->certificate_path,
        .ssl_private_key_filepath = options->certificate->key_path,
        .simultaneous_ssl_handshake_restriction = (int)options->handshakes_max,
        .timeout_secs = HANDSHAKE_S,
        .max_http_header_data = HTTP_HEADER_DATA_MAX,
        .pt_serv_buf_size = TG__RECEIVE_BUFFER_SIZE,
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
        .per_session_data_size = sizeof(tg__websocket_session),
        .rx_buffer_size = TG__RECEIVE_BUFFER_SIZE,
    };
    server->protocols[0] = own; /* the second stays all zero: the end of the list */
    /* It pings, but we hang up: it would first wait for the answer of a client that is dead. */
    const uint32_t hang_up_after_s = server->options.hang_up_after_s;
    server->liveness.secs_since_valid_ping =
        (uint16_t)((hang_up_after_s + PINGS_PER_HANG_UP - 1) / PINGS_PER_HANG_UP);
    server->liveness.secs_since_valid_hangup = (uint16_t)(2 * hang_up_after_s);
}

tg_err tg__websocket_server_open(const tg__websocket_server_options *options,
                                 tg__websocket_server **out, tg__cause *cause)
{
    *out = NULL;
    TG_TRY(try_to_listen(options, cause));
    tg__websocket_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "no memory for the server");
    }
    server->options = *options;
    if (options->hang_up_after_s == 0) {
        server->options.hang_up_after_s = TG__REACH_HANG_UP_S;
    }
    server->alarm.server = server;
    server->inspection.server = server;
    fill_protocols(server);
    tg__token_bucket_init(&server->upgrades, options->upgrades_per_second, options->upgrade_burst,
                          tg__websocket_moment(server).mono_ns);
    tg__retry_spread_init(&server->retry_spread, options->upgrades_per_second, options->seed,
                          tg__websocket_moment(server).mono_ns);
    lws_set_log_level(LLL_ERR, forward_log);
    const char *host = strcmp(options->host, "localhost") == 0 ? "127.0.0.1" : options->host;
    struct lws_context_creation_info info = creation_info(server, host);
    server->context = lws_create_context(&info);
    server->vhost = server->context != NULL ? lws_create_vhost(server->context, &info) : NULL;
    if (server->vhost == NULL) {
        const tg_err err = listen_fault(options, "libwebsockets refused it", cause);
        tg__websocket_server_close(server);
        return err;
    }
    *out = server;
    return TG_OK;
}

void tg__websocket_server_serve(tg__websocket_server *server, tg__hub *hub)
{
    server->hub = hub;
    if (hub != NULL) {
        server->door = hub->options.door;
    }
    lws_sul_schedule(server->context, 0, &server->inspection.list, inspect_all,
                     hub != NULL ? INSPECTION_US : LWS_SET_TIMER_USEC_CANCEL);
}

uint16_t tg__websocket_server_port(const tg__websocket_server *server)
{
    return (uint16_t)lws_get_vhost_listen_port(server->vhost);
}

const tg__upgrade_counts *tg__websocket_server_upgrades(const tg__websocket_server *server)
{
    return &server->upgrade_counts;
}

const tg__tls_counts *tg__websocket_server_tls_counts(const tg__websocket_server *server)
{
    return tg__tls_context_counts(server->options.tls);
}

static void serve_sockets(tg__websocket_server *server, int64_t wait_ns)
{
    if (wait_ns <= 0) {
        (void)lws_service_tsi(server->context, -1, 0);
        return;
    }
    lws_sul_schedule(server->context, 0, &server->alarm.list, repeat_alarm,
                     (lws_usec_t)((wait_ns + 999) / 1000));
    (void)lws_service(server->context, 0);
}

static void take_verdicts(tg__websocket_server *server)
{
    void *owner = NULL;
    tg__door_answer answer;
    while (server->door != NULL &&
           tg__door_next(server->door, tg__websocket_moment(server).utc_ns, &owner, &answer)) {
        if (owner != NULL) {
            tg__websocket_take_verdict(server, owner, &answer);
        }
    }
}

void tg__websocket_server_step(tg__websocket_server *server, int64_t wait_ns)
{
    tg__tls_context_enter(server->options.tls, tg__websocket_moment(server).utc_ns);
    serve_sockets(server, wait_ns);
    tg__tls_context_leave();
    take_verdicts(server);
    if (server->hub != NULL) {
        tg__hub_expire(server->hub, tg__websocket_moment(server));
    }
}

tg_err tg__websocket_server_reload_certificate(tg__websocket_server *server, tg__cause *cause)
{
    return tg__tls_context_reload(server->options.tls, tg__websocket_moment(server).mono_ns, cause);
}

void tg__websocket_server_refuse_new(tg__websocket_server *server)
{
    server->refuses_new = true;
}

void tg__websocket_server_pause(tg__websocket_server *server, bool paused)
{
    server->paused = paused;
}

void tg__websocket_server_cut_off(tg__websocket_server *server)
{
    for (tg__peer *peer = server->hub->first_peer; peer != NULL; peer = peer->next) {
        const tg__websocket_session *own = peer->owner;
        lws_wsi_close(own->wsi, LWS_TO_KILL_ASYNC);
    }
}

bool tg__websocket_server_has_visitors(const tg__websocket_server *server)
{
    return server->visitor_count + server->waiting_count > 0;
}

void tg__websocket_server_close(tg__websocket_server *server)
{
    if (server == NULL) {
        return;
    }
    server->stops = true;
    if (server->context != NULL) {
        lws_sul_cancel(&server->inspection.list);
        lws_sul_cancel(&server->alarm.list);
        lws_context_destroy(server->context);
    }
    free(server);
}
