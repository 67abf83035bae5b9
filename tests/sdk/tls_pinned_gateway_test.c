/*
 * Pinned keys, by the public header: what is not pinned gets no byte of the request, so no token.
 * The far end is a server that keeps what it reads, behind haproxy with openssl's certificates.
 */
#include "tg_cmocka.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <tickglass/client.h>

#include "client_rig.h"
#include "raw_server.h"
#include "tls_front.h"

#define TOKEN "a-token-that-is-for-one-key-only"

enum {
    TLS_1_2,
    TLS_1_3,
    OF_STRANGER,
    PORTS
};

static const char *const binds[PORTS] = {
    [TLS_1_2] = "crt chain.pem ssl-max-ver TLSv1.2",
    [TLS_1_3] = "crt chain.pem ssl-min-ver TLSv1.3",
    [OF_STRANGER] = "crt of_stranger.pem", /* the same key */
};

static const char other_pin[] = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

static raw_server server;
static tls_front front;
static char good_pin[64];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool heard; /* a connection was read to its end, or to the end of a request */

static void refuse_after_reading(raw_server *raw, int fd)
{
    static const char answer[] = "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n";
    if (raw->request[0] == '\0' && raw_read_request(raw, fd)) {
        (void)raw_write(fd, answer, sizeof answer - 1);
    }
    (void)pthread_mutex_lock(&lock);
    heard = true;
    (void)pthread_cond_signal(&changed);
    (void)pthread_mutex_unlock(&lock);
}

/* The client tries again and again: some attempt gets through to the server's side of haproxy. */
static void await_the_server(void)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    int failed = 0;
    (void)pthread_mutex_lock(&lock);
    while (!heard && failed == 0) {
        failed = pthread_cond_timedwait(&changed, &lock, &until);
    }
    heard = false;
    (void)pthread_mutex_unlock(&lock);
    assert_int_equal(failed, 0);
}

static bool has_tried_again(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    return tg_client_counters_get(rig->client, &counters) == TG_OK && counters.attempts >= 5 &&
           rig->state == TG_SESSION_WAITING;
}

/* What the first attempt ended with; server.request may be read then. With tls_holds the server has
 * read all that came through the handshake. */
static tg_event attempt(unsigned port, const char *const *pins, uint32_t count, bool tls_holds)
{
    char url[64];
    char ca[96];
    raw_server_start(&server, refuse_after_reading);
    tls_front_start(&front, binds, PORTS, server.port, false);
    (void)snprintf(url, sizeof url, "wss://localhost:%d", front.port[port]);
    (void)snprintf(ca, sizeof ca, "%s", tls_folder_file(&front.folder, "root.pem"));
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = url;
    opt.ca_file = ca;
    opt.token = TOKEN;
    opt.backoff_first_ms = 20;
    opt.backoff_cap_ms = 50;
    opt.spki_pins = pins;
    opt.spki_pin_count = count;
    client_rig rig;
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, client_rig_has_error);
    const tg_event last = client_rig_last(&rig);
    if (tls_holds) {
        await_the_server();
    }
    client_rig_close(&rig);
    tls_front_end(&front); /* and with it the connection that the server reads */
    raw_server_stop(&server);
    return last;
}

static void a_pinned_key_gets_the_token(void **state)
{
    (void)state;
    const char *const one[] = {good_pin};
    const char *const either[] = {other_pin, good_pin};
    const char *const bare[] = {good_pin + strlen("sha256/")};
    const struct {
        const char *const *pins;
        uint32_t count;
    } rows[] = {{NULL, 0}, {one, 1}, {either, 2}, {bare, 1}};
    for (unsigned port = TLS_1_2; port <= TLS_1_3; port++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const tg_event last = attempt(port, rows[i].pins, rows[i].count, true);
            if (last.err != TG_ERR_REFUSED || strstr(server.request, "Bearer " TOKEN) == NULL) {
                fail_msg("port %u row %zu: %s", port, i, last.text);
            }
        }
    }
}

static void another_key_gets_no_byte_of_the_request(void **state)
{
    (void)state;
    const char *const others[] = {other_pin, "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="};
    for (unsigned port = TLS_1_2; port <= TLS_1_3; port++) {
        const tg_event last = attempt(port, others, 2, true);
        assert_int_equal(last.err, TG_ERR_CERTIFICATE);
        assert_non_null(strstr(last.text, "certificate of localhost: its public key is none of "
                                          "the 2 pinned ones;"));
        assert_string_equal(server.request, "");
    }
}

/* With TLS 1.2 a session is resumed: the server does not send its certificate again. */
static void a_resumed_session_is_as_pinned_as_the_first(void **state)
{
    (void)state;
    const char *const pins[] = {good_pin};
    char url[64];
    char ca[96];
    char resumed[64];
    raw_server_start(&server, refuse_after_reading);
    tls_front_start(&front, binds, PORTS, server.port, false);
    (void)snprintf(url, sizeof url, "wss://localhost:%d", front.port[TLS_1_2]);
    (void)snprintf(ca, sizeof ca, "%s", tls_folder_file(&front.folder, "root.pem"));
    (void)snprintf(resumed, sizeof resumed, "port %d speaks TLSv1.2 resumed 1",
                   front.port[TLS_1_2]);
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = url;
    opt.ca_file = ca;
    opt.token = TOKEN;
    opt.backoff_first_ms = 1;
    opt.backoff_cap_ms = 1;
    opt.spki_pins = pins;
    opt.spki_pin_count = 1;
    client_rig rig;
    client_rig_open(&rig, &opt);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    client_rig_await(&rig, has_tried_again);
    tg_event event;
    while (tg_client_event(rig.client, &event) == TG_OK) {
        assert_int_not_equal(event.err, TG_ERR_CERTIFICATE);
    }
    assert_true(tls_front_said(&front, resumed));
    client_rig_close(&rig);
    tls_front_end(&front);
    raw_server_stop(&server);
}

static void a_pin_does_not_stand_in_for_the_chain(void **state)
{
    (void)state;
    const char *const pins[] = {good_pin};
    const tg_event last = attempt(OF_STRANGER, pins, 1, false);
    assert_int_equal(last.err, TG_ERR_CERTIFICATE);
    assert_non_null(strstr(last.text, "not signed by an authority"));
    assert_string_equal(server.request, "");
}

static int start(void **state)
{
    (void)state;
    char digest[48];
    tls_front_init(&front);
    tls_folder_line(&front.folder, "chain.pin", digest, sizeof digest);
    (void)snprintf(good_pin, sizeof good_pin, "sha256/%s", digest);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    tls_front_stop(&front);
    return 0;
}

int main(void)
{
    if (!tls_front_is_possible()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pinned_key_gets_the_token),
        cmocka_unit_test(another_key_gets_no_byte_of_the_request),
        cmocka_unit_test(a_resumed_session_is_as_pinned_as_the_first),
        cmocka_unit_test(a_pin_does_not_stand_in_for_the_chain),
    };
    return cmocka_run_group_tests_name("sdk.tls_pinned_gateway", tests, start, stop);
}
