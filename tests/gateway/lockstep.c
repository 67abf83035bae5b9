#include "tg_cmocka.h"

#include "lockstep.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <mbedtls/net_sockets.h>
#include <psa/crypto.h>

#define NS          INT64_C(1000000000)
#define STEP_NS     INT64_C(1000000)
#define PATIENCE_NS (20 * NS) /* of a wait for what must come */
#define IDLE_STEPS  60u       /* of 1 ms, in which nothing must come */

static int64_t mono_ns(void *ctx)
{
    const tg_clock clock = tg_clock_system();
    return tg_clock_mono_ns(&clock) + ((const lockstep *)ctx)->ahead_ns;
}

static int64_t utc_ns(void *ctx)
{
    const tg_clock clock = tg_clock_system();
    return tg_clock_utc_ns(&clock) + ((const lockstep *)ctx)->ahead_ns;
}

int64_t lockstep_utc_s(const lockstep *l)
{
    return utc_ns((void *)(uintptr_t)l) / NS;
}

/* ---- the server ---- */

static void tell(void *ctx)
{
    lockstep *l = ctx;
    tg__websocket_server_interrupt(l->server);
    (void)pthread_mutex_lock(&l->lock);
    l->verdicts++;
    (void)pthread_cond_broadcast(&l->changed);
    while (l->held) {
        (void)pthread_cond_wait(&l->changed, &l->lock);
    }
    (void)pthread_mutex_unlock(&l->lock);
}

void lockstep_hold(lockstep *l, jwt_maker *maker)
{
    char claims[128];
    static unsigned number;
    (void)snprintf(claims, sizeof claims, "{\"exp\":%lld,\"jti\":%u}",
                   (long long)lockstep_utc_s(l) + 1000, number++);
    const char *token = jwt_maker_es256(maker, claims);
    (void)pthread_mutex_lock(&l->lock);
    l->held = true;
    const unsigned before = l->verdicts;
    assert_true(tg__door_ask(l->door, token, strlen(token), utc_ns(l)).ticket != 0);
    while (l->verdicts == before) {
        (void)pthread_cond_wait(&l->changed, &l->lock);
    }
    (void)pthread_mutex_unlock(&l->lock);
}

void lockstep_let_go(lockstep *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->held = false;
    (void)pthread_cond_broadcast(&l->changed);
    (void)pthread_mutex_unlock(&l->lock);
}

static void open_market(lockstep *l)
{
    static const char *const names[][2] = {
        {"ORION", "A"}, {"ORION", "B"}, {"LYRA", "C"}, {"VEGA", "D"}};
    tg__directory_init(&l->directory);
    for (size_t i = 0; i < 4; i++) {
        tg_instrument instrument = {.band_count = 1, .band = {{INT64_MIN, 1}}};
        tg_instrument_id id = 0;
        assert_int_equal(tg__directory_venue(&l->directory, names[i][0], &instrument.venue), TG_OK);
        (void)snprintf(instrument.symbol, sizeof instrument.symbol, "%s", names[i][1]);
        assert_int_equal(tg__directory_add(&l->directory, &instrument, &id), TG_OK);
    }
    assert_int_equal(tg__directory_seal(&l->directory), TG_OK);
    assert_int_equal(tg__sequencer_init(&l->sequencer, &l->directory, 1, 100000), TG_OK);
}

static void open_tls(lockstep *l, const char *keys, const char *ticket_key_file)
{
    tg__cause cause;
    scratch_folder_open(&l->folder);
    scratch_write(&l->folder, "keys.pem", keys, strlen(keys));
    assert_int_equal(tg__state_dir_open(&l->dir, l->folder.path, &cause), TG_OK);
    assert_int_equal(tg__certificate_open(&l->certificate, &l->dir, time(NULL), &cause), TG_OK);
    assert_int_equal(
        tg__tls_context_open(&l->certificate, &l->dir, ticket_key_file, &l->tls, &cause), TG_OK);
    assert_int_equal(tg__jwt_keys_open(scratch_path(&l->folder, "keys.pem"), &l->keys, &cause),
                     TG_OK);
}

void lockstep_open(lockstep *l, const char *keys, const char *ticket_key_file)
{
    tg__cause cause;
    memset(l, 0, sizeof *l);
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_cond_init(&l->changed, NULL);
    l->bearer.size = 10;
    memcpy(l->bearer.token, "own-secret", 10);
    open_market(l);
    open_tls(l, keys, ticket_key_file);
    const tg__websocket_server_options options = {.host = "127.0.0.1",
                                                  .certificate = &l->certificate,
                                                  .tls = l->tls,
                                                  .clock = {mono_ns, utc_ns, l, NULL},
                                                  .seed = 1,
                                                  .peers_max = 64,
                                                  .handshakes_max = LOCKSTEP_HANDSHAKES,
                                                  .upgrades_per_second = 1,
                                                  .upgrade_burst = 20};
    assert_int_equal(tg__websocket_server_open(&options, &l->server, &cause), TG_OK);
    const tg__door_options door = {
        .bearer = &l->bearer, .directory = &l->directory, .keys = l->keys, .wake = tell, .ctx = l};
    assert_int_equal(tg__door_open(&door, &l->door), TG_OK);
    const tg__hub_options hub = {.directory = &l->directory,
                                 .door = l->door,
                                 .instance = 1,
                                 .lineage = 1,
                                 .time_resolution_ns = 100000,
                                 .frame_interval_ms = 40,
                                 .boundaries_per_frame = 4,
                                 .heartbeat_interval_ms = 1000,
                                 .peers_max = 64,
                                 .limits = {16, 8, TG__MESSAGE_SIZE_MAX, 1000, 0},
                                 .wake = tg__websocket_server_wake,
                                 .ctx = l->server};
    assert_int_equal(tg__hub_open(&hub, &l->hub), TG_OK);
    tg__websocket_server_serve(l->server, l->hub);
}

void lockstep_close(lockstep *l)
{
    lockstep_let_go(l);
    tg__door_stop(l->door);
    tg__websocket_server_close(l->server);
    assert_int_equal(l->hub->peer_count, 0);
    tg__hub_close(l->hub);
    tg__door_close(l->door);
    tg__jwt_keys_close(l->keys);
    tg__tls_context_close(l->tls);
    tg__sequencer_deinit(&l->sequencer);
    tg__directory_deinit(&l->directory);
    tg__state_dir_close(&l->dir);
    scratch_folder_close(&l->folder);
    (void)pthread_cond_destroy(&l->changed);
    (void)pthread_mutex_destroy(&l->lock);
}

void lockstep_step(lockstep *l)
{
    tg__websocket_server_step(l->server, STEP_NS);
}

void lockstep_settle(lockstep *l)
{
    for (unsigned i = 0; i < IDLE_STEPS; i++) {
        lockstep_step(l);
    }
}

/* ---- the client ---- */

static int send_bytes(void *ctx, const unsigned char *bytes, size_t size)
{
    const ssize_t sent = send(((step_client *)ctx)->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent >= 0 ? (int)sent : errno == EAGAIN ? MBEDTLS_ERR_SSL_WANT_WRITE : -1;
}

static int receive_bytes(void *ctx, unsigned char *bytes, size_t size)
{
    const ssize_t got = recv(((step_client *)ctx)->fd, bytes, size, MSG_DONTWAIT);
    return got >= 0 ? (int)got : errno == EAGAIN ? MBEDTLS_ERR_SSL_WANT_READ : -1;
}

static int count_certificate(void *ctx, mbedtls_x509_crt *certificate, int depth, uint32_t *flags)
{
    (void)certificate;
    (void)depth;
    (void)flags;
    ((step_client *)ctx)->certificates_seen++;
    return 0;
}

static void start_tls(step_client *c, const char *ca_path, bool tls12)
{
    assert_int_equal(mbedtls_x509_crt_parse_file(&c->ca, ca_path), 0);
    assert_int_equal(mbedtls_ssl_config_defaults(&c->config, MBEDTLS_SSL_IS_CLIENT,
                                                 MBEDTLS_SSL_TRANSPORT_STREAM,
                                                 MBEDTLS_SSL_PRESET_DEFAULT),
                     0);
    mbedtls_ssl_conf_authmode(&c->config, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&c->config, &c->ca, NULL);
    mbedtls_ssl_conf_rng(&c->config, mbedtls_ctr_drbg_random, &c->random);
    mbedtls_ssl_conf_verify(&c->config, count_certificate, c);
    mbedtls_ssl_conf_tls13_enable_signal_new_session_tickets(
        &c->config, MBEDTLS_SSL_TLS1_3_SIGNAL_NEW_SESSION_TICKETS_ENABLED);
    if (tls12) {
        mbedtls_ssl_conf_max_tls_version(&c->config, MBEDTLS_SSL_VERSION_TLS1_2);
    }
    assert_int_equal(mbedtls_ssl_setup(&c->ssl, &c->config), 0);
    assert_int_equal(mbedtls_ssl_set_hostname(&c->ssl, "localhost"), 0);
    mbedtls_ssl_set_bio(&c->ssl, c, send_bytes, receive_bytes, NULL);
}

void step_client_open(step_client *c, lockstep *l, const char *ca_path, bool tls12)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(tg__websocket_server_port(l->server)),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    memset(c, 0, sizeof *c);
    c->server = l;
    mbedtls_entropy_init(&c->entropy);
    mbedtls_ctr_drbg_init(&c->random);
    mbedtls_x509_crt_init(&c->ca);
    mbedtls_ssl_config_init(&c->config);
    mbedtls_ssl_init(&c->ssl);
    mbedtls_ssl_session_init(&c->session);
    assert_int_equal(psa_crypto_init(), PSA_SUCCESS);
    assert_int_equal(mbedtls_ctr_drbg_seed(&c->random, mbedtls_entropy_func, &c->entropy, NULL, 0),
                     0);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(c->fd >= 0);
    assert_int_equal(connect(c->fd, (const struct sockaddr *)&address, sizeof address), 0);
    start_tls(c, ca_path, tls12);
}

void step_client_close(step_client *c)
{
    const struct linger abort_now = {1, 0};
    (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &abort_now, sizeof abort_now);
    (void)close(c->fd);
    mbedtls_ssl_session_free(&c->session);
    mbedtls_ssl_free(&c->ssl);
    mbedtls_ssl_config_free(&c->config);
    mbedtls_x509_crt_free(&c->ca);
    mbedtls_ctr_drbg_free(&c->random);
    mbedtls_entropy_free(&c->entropy);
}

void step_client_resume(step_client *c, const step_client *earlier)
{
    assert_true(earlier->has_session);
    assert_int_equal(mbedtls_ssl_set_session(&c->ssl, &earlier->session), 0);
}

static bool waits(int code)
{
    return code == MBEDTLS_ERR_SSL_WANT_READ || code == MBEDTLS_ERR_SSL_WANT_WRITE;
}

int step_client_try_handshake(step_client *c)
{
    return mbedtls_ssl_handshake(&c->ssl);
}

bool step_client_is_kept_waiting(step_client *c)
{
    int code = step_client_try_handshake(c);
    for (unsigned i = 0; i < IDLE_STEPS && waits(code); i++) {
        lockstep_step(c->server);
        code = step_client_try_handshake(c);
    }
    return waits(code);
}

bool step_client_handshake(step_client *c)
{
    const int64_t deadline_ns = mono_ns(c->server) + PATIENCE_NS;
    int code = step_client_try_handshake(c);
    while (waits(code) && mono_ns(c->server) < deadline_ns) {
        lockstep_step(c->server);
        code = step_client_try_handshake(c);
    }
    if (code == 0 && mbedtls_ssl_get_version_number(&c->ssl) == MBEDTLS_SSL_VERSION_TLS1_2) {
        c->has_session = mbedtls_ssl_get_session(&c->ssl, &c->session) == 0;
    }
    return code == 0;
}

static void write_all(step_client *c, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const int sent = mbedtls_ssl_write(&c->ssl, bytes, size);
        if (waits(sent)) {
            lockstep_step(c->server);
            continue;
        }
        assert_true(sent > 0);
        bytes += sent;
        size -= (size_t)sent;
    }
}

/* More bytes, or false when the connection is over; does not step. */
static bool read_some(step_client *c, bool *over)
{
    assert_true(c->filled < sizeof c->received);
    const int got =
        mbedtls_ssl_read(&c->ssl, c->received + c->filled, sizeof c->received - c->filled);
    if (got == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) {
        if (!c->has_session) {
            assert_int_equal(mbedtls_ssl_get_session(&c->ssl, &c->session), 0);
            c->has_session = true;
        }
        return true;
    }
    *over = got <= 0 && !waits(got);
    c->filled += got > 0 ? (size_t)got : 0;
    return got > 0;
}

static size_t header_size(const step_client *c)
{
    for (size_t i = 4; i <= c->filled; i++) {
        if (memcmp(c->received + i - 4, "\r\n\r\n", 4) == 0) {
            return i;
        }
    }
    return 0;
}

static void drop(step_client *c, size_t size)
{
    memmove(c->received, c->received + size, c->filled - size);
    c->filled -= size;
}

int step_client_upgrade(step_client *c, const char *token, char *answer, size_t size)
{
    static char request[16384];
    int status = 0;
    bool over = false;
    const int length =
        snprintf(request, sizeof request,
                 "GET /tickglass HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: "
                 "Upgrade\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                 "Sec-WebSocket-Protocol: tickglass.1\r\nAuthorization: Bearer %s\r\n\r\n",
                 token);
    write_all(c, (const uint8_t *)request, (size_t)length);
    const int64_t deadline_ns = mono_ns(c->server) + PATIENCE_NS;
    while (header_size(c) == 0 && !over && mono_ns(c->server) < deadline_ns) {
        lockstep_step(c->server);
        (void)read_some(c, &over);
    }
    const size_t header = header_size(c);
    assert_true(header > 0 && header < size);
    memcpy(answer, c->received, header);
    answer[header] = '\0';
    drop(c, header);
    assert_int_equal(sscanf(answer, "HTTP/%*3s %d", &status), 1);
    return status;
}

int step_client_join(step_client *c, lockstep *l, const char *token)
{
    char answer[2048];
    step_client_open(c, l, l->certificate.ca_path, false);
    assert_true(step_client_handshake(c));
    return step_client_upgrade(c, token, answer, sizeof answer);
}

void step_client_send(step_client *c, const uint8_t *message, size_t size)
{
    static uint8_t frame[65536];
    size_t at = 0;
    assert_true(size + 8 < sizeof frame && size <= 0xffff);
    frame[at++] = 0x82;
    if (size < 126) {
        frame[at++] = (uint8_t)(0x80u | size);
    } else {
        frame[at++] = 0x80u | 126u;
        frame[at++] = (uint8_t)(size >> 8);
        frame[at++] = (uint8_t)size;
    }
    memset(frame + at, 0, 4); /* a mask of zeros */
    at += 4;
    memcpy(frame + at, message, size);
    write_all(c, frame, at + size);
}

void step_client_subscribe(step_client *c, const char *const names[][2], size_t count)
{
    static tg__name list[8];
    uint8_t message[1024];
    size_t size = 0;
    const tg__request request = {TG__KIND_SUBSCRIBE, 7, TG__CHANNEL_CONFLATED};
    for (size_t i = 0; i < count; i++) {
        memset(&list[i], 0, sizeof list[i]);
        list[i].id = TG_INSTRUMENT_NONE;
        (void)snprintf(list[i].venue, sizeof list[i].venue, "%s", names[i][0]);
        (void)snprintf(list[i].symbol, sizeof list[i].symbol, "%s", names[i][1]);
    }
    assert_int_equal(tg__request_encode(&request, list, count, message, sizeof message, &size),
                     TG_OK);
    step_client_send(c, message, size);
}

/* Takes a whole frame that has come; its opcode, 0: none. */
static unsigned take_frame(step_client *c, size_t *size)
{
    const size_t extra = c->filled >= 2 && c->received[1] == 126 ? 2 : 0;
    if (c->filled < 2 + extra) {
        return 0;
    }
    assert_true(c->received[1] <= 126);
    *size = extra == 0 ? c->received[1] : (size_t)c->received[2] << 8 | c->received[3];
    if (c->filled < 2 + extra + *size) {
        return 0;
    }
    const unsigned opcode = c->received[0] & 0x0fu;
    memcpy(c->message, c->received + 2 + extra, *size);
    drop(c, 2 + extra + *size);
    return opcode;
}

/* 0: nothing that is whole has come. */
static unsigned take_message(step_client *c, size_t *size, bool *over)
{
    for (;;) {
        const unsigned opcode = take_frame(c, size);
        if (opcode == 2) {
            return c->message[0];
        }
        if (opcode == 8) {
            return *size < 2 ? 1005u : (unsigned)c->message[0] << 8 | c->message[1];
        }
        if (opcode == 0 && !read_some(c, over)) {
            return *over ? 1006u : 0u;
        }
    }
}

unsigned step_client_next(step_client *c, size_t *size)
{
    bool over = false;
    const int64_t deadline_ns = mono_ns(c->server) + PATIENCE_NS;
    unsigned came = take_message(c, size, &over);
    while (came == 0) {
        assert_true(mono_ns(c->server) < deadline_ns);
        lockstep_step(c->server);
        came = take_message(c, size, &over);
    }
    return came;
}

unsigned step_client_drain(step_client *c)
{
    unsigned messages = 0;
    bool over = false;
    for (unsigned quiet = 0; quiet < IDLE_STEPS; quiet++) {
        size_t size = 0;
        const unsigned came = take_message(c, &size, &over);
        assert_true(came < 1000);
        messages += came != 0;
        quiet = came != 0 ? 0 : quiet;
        lockstep_step(c->server);
    }
    return messages;
}

unsigned step_client_end(step_client *c)
{
    size_t size = 0;
    unsigned came = 0;
    do {
        came = step_client_next(c, &size);
    } while (came < 1000);
    return came;
}

size_t step_client_await(step_client *c, unsigned kind)
{
    size_t size = 0;
    unsigned came = 0;
    do {
        came = step_client_next(c, &size);
        if (came >= 1000) {
            fail_msg("waiting for 0x%02x: closed with %u", kind, came);
        }
    } while (came != kind);
    return size;
}
