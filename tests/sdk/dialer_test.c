#include "tg_cmocka.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "client_rig.h"
#include "dialer.h"
#include "listener.h"

typedef struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int ready;
} waiter;

static waiter w = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void on_ready(void *ctx)
{
    waiter *one = ctx;
    (void)pthread_mutex_lock(&one->lock);
    one->ready++;
    (void)pthread_cond_signal(&one->changed);
    (void)pthread_mutex_unlock(&one->lock);
}

static void await_ready(void)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    (void)pthread_mutex_lock(&w.lock);
    while (w.ready == 0 && pthread_cond_timedwait(&w.changed, &w.lock, &until) == 0) {
    }
    assert_true(w.ready > 0);
    w.ready = 0;
    (void)pthread_mutex_unlock(&w.lock);
}

static tg__dialed await(tg__dialer *dialer)
{
    await_ready();
    tg__dialed dialled;
    assert_true(tg__dialer_take(dialer, &dialled));
    tg__dialed again;
    assert_false(tg__dialer_take(dialer, &again)); /* once */
    return dialled;
}

static tg__url url_of(const char *place, unsigned port)
{
    char text[160];
    (void)snprintf(text, sizeof text, "%s:%u", place, port);
    tg__url url;
    assert_int_equal(tg__url_parse(text, &url), TG_OK);
    return url;
}

static tg__dialed dial(const tg__url *url, const tg__proxy *proxy, bool loopback_only)
{
    tg__dialer *dialer = NULL;
    assert_int_equal(tg__dialer_open(on_ready, &w, &dialer), TG_OK);
    assert_int_equal(tg__dialer_dial(dialer, url, proxy, loopback_only), TG_OK);
    const tg__dialed dialled = await(dialer);
    tg__dialer_close(dialer);
    return dialled;
}

static void a_name_an_address_and_a_unix_socket_lead_to_a_connection(void **state)
{
    (void)state;
    listener l;
    listener_open(&l, "127.0.0.1", 0);
    char peer[64];
    (void)snprintf(peer, sizeof peer, "127.0.0.1 port %u", (unsigned)l.port);
    const tg__url urls[] = {url_of("ws://localhost", l.port), url_of("wss://127.0.0.1", l.port)};
    for (size_t i = 0; i < 2; i++) {
        const tg__dialed dialled = dial(&urls[i], NULL, true);
        assert_true(dialled.fd >= 0);
        assert_string_equal(dialled.peer, peer);
        (void)close(dialled.fd);
        listener_drain(&l);
    }
    listener_close(&l);

    struct sockaddr_un at = {.sun_family = AF_UNIX};
    (void)snprintf(at.sun_path, sizeof at.sun_path, "/tmp/tg_dialer_%d.sock", (int)getpid());
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 1), 0);
    char text[160];
    (void)snprintf(text, sizeof text, "ws+unix:%s", at.sun_path);
    tg__url url;
    assert_int_equal(tg__url_parse(text, &url), TG_OK);
    tg__proxy proxy;
    assert_int_equal(tg__proxy_parse("http://127.0.0.1:1", &proxy), TG_OK);
    tg__dialed dialled = dial(&url, &proxy, true); /* which is not asked */
    assert_true(dialled.fd >= 0);
    assert_string_equal(dialled.peer, at.sun_path);
    (void)close(dialled.fd);
    (void)close(fd);
    (void)unlink(at.sun_path);
    dialled = dial(&url, NULL, true);
    assert_int_equal(dialled.closed.cause, TG__CAUSE_CONNECT);
    assert_non_null(strstr(dialled.closed.text, "No such file"));
}

static void a_failure_says_where_and_why(void **state)
{
    (void)state;
    listener l;
    listener_open(&l, "127.0.0.1", 0);
    const uint16_t port = l.port;
    listener_close(&l);
    tg__url url = url_of("ws://127.0.0.1", port);
    char text[64];
    (void)snprintf(text, sizeof text, "127.0.0.1 port %u: Connection refused", (unsigned)port);
    tg__dialed dialled = dial(&url, NULL, true);
    assert_int_equal(dialled.fd, -1);
    assert_int_equal(dialled.closed.cause, TG__CAUSE_CONNECT);
    assert_string_equal(dialled.closed.text, text);

    url = url_of("wss://no..such..name", port);
    dialled = dial(&url, NULL, false);
    assert_int_equal(dialled.closed.cause, TG__CAUSE_RESOLVE);
    assert_non_null(strstr(dialled.closed.text, "no..such..name"));
}

/* Without TLS a resolver that lies must not lead to another machine. */
static void addresses_elsewhere_are_not_dialled_where_only_loopback_may_be(void **state)
{
    (void)state;
    const tg__url url = url_of("ws://192.0.2.1", 9);
    const tg__dialed dialled = dial(&url, NULL, true);
    assert_int_equal(dialled.closed.cause, TG__CAUSE_RESOLVE);
    assert_non_null(strstr(dialled.closed.text, "no address that may be used"));
}

static void what_is_given_up_is_closed_and_reported_to_nobody(void **state)
{
    (void)state;
    listener full;
    listener ready;
    listener_open(&full, "127.0.0.1", 0);
    listener_fill(&full);
    listener_open(&ready, "127.0.0.3", 0);
    const tg__url hangs = url_of("ws://127.0.0.1", full.port);
    const tg__url answers = url_of("ws://127.0.0.3", ready.port);
    const unsigned before = open_descriptors();
    tg__dialer *dialer = NULL;
    assert_int_equal(tg__dialer_open(on_ready, &w, &dialer), TG_OK);
    for (int i = 0; i < 50; i++) {
        tg_err err = TG_OK;
        do { /* those that were given up are still ending */
            err = tg__dialer_dial(dialer, &hangs, NULL, true);
            assert_true(err == TG_OK || err == TG_ERR_FULL);
        } while (err != TG_OK);
        if (i % 2 == 0) {
            tg__dialer_cancel(dialer);
        }
    }
    tg_err err = TG_OK;
    do {
        err = tg__dialer_dial(dialer, &answers, NULL, true);
    } while (err == TG_ERR_FULL);
    const tg__dialed dialled = await(dialer);
    assert_true(strstr(dialled.peer, "127.0.0.3") != NULL);
    (void)close(dialled.fd);
    /* A result that nobody takes. */
    listener_drain(&ready);
    do {
        err = tg__dialer_dial(dialer, &answers, NULL, true);
    } while (err == TG_ERR_FULL);
    await_ready();
    tg__dialer_close(dialer);
    assert_int_equal(open_descriptors(), before);
    listener_close(&full);
    listener_close(&ready);
}

static void close_does_not_wait(void **state)
{
    (void)state;
    const tg__url url = url_of("ws://localhost", 9);
    for (int i = 0; i < 50; i++) {
        tg__dialer *dialer = NULL;
        assert_int_equal(tg__dialer_open(on_ready, &w, &dialer), TG_OK);
        assert_int_equal(tg__dialer_dial(dialer, &url, NULL, true), TG_OK);
        tg__dialer_close(dialer);
    }
    tg__dialer_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_an_address_and_a_unix_socket_lead_to_a_connection),
        cmocka_unit_test(a_failure_says_where_and_why),
        cmocka_unit_test(addresses_elsewhere_are_not_dialled_where_only_loopback_may_be),
        cmocka_unit_test(what_is_given_up_is_closed_and_reported_to_nobody),
        cmocka_unit_test(close_does_not_wait),
    };
    return cmocka_run_group_tests_name("sdk.dialer", tests, NULL, NULL);
}
