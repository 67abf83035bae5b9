/* A connection that is lost between being dialled and being handed over, or cannot be dialled. */
#include "tg_cmocka.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io.h"
#include "listener.h"
#include "unwanted_io.h"

#define LIMIT_MS 60000

typedef struct driver {
    tg_clock clock;
    tg__credential credential;
    tg__io *io;
    unsigned closed_count;
    tg__closed closed;
} driver;

static void on_dialled(void *ctx, uint32_t generation)
{
    (void)ctx;
    assert_int_equal(generation, 1);
}

/* What is written to a socket that is gone is lost like the socket. */
static void on_requested(void *ctx, uint32_t generation)
{
    (void)ctx;
    assert_int_equal(generation, 1);
}

static void on_closed(void *ctx, uint32_t generation, const tg__closed *closed)
{
    driver *d = ctx;
    assert_int_equal(generation, 1);
    d->closed_count++;
    d->closed = *closed;
}

static void on_nothing(void *ctx)
{
    (void)ctx;
}

static void open_driver(driver *d, const char *place, unsigned port)
{
    memset(d, 0, sizeof *d);
    char text[64];
    (void)snprintf(text, sizeof text, "ws://%s:%u", place, port);
    tg__url url;
    assert_int_equal(tg__url_parse(text, &url), TG_OK);
    d->clock = tg_clock_system();
    assert_int_equal(tg__credential_init(&d->credential, "the-token", true), TG_OK);
    tg__io_options options;
    memset(&options, 0, sizeof options);
    options.urls = &url;
    options.url_count = 1;
    options.credential = &d->credential;
    options.message_size_max = 1024;
    options.clock = &d->clock;
    options.handler = (tg__io_handler){on_dialled,       on_requested,      unwanted_connection,
                                       unwanted_message, unwanted_progress, on_closed,
                                       on_nothing,       on_nothing,        d};
    assert_int_equal(tg__io_open(&options, &d->io), TG_OK);
}

static bool is_readable(int fd, int wait_ms)
{
    struct pollfd ready = {fd, POLLIN, 0};
    return poll(&ready, 1, wait_ms) == 1;
}

/* The socket is reset while it waits to be taken. libwebsockets, which asks every socket to connect
 * to an address of its own, must not make a new connection of it, to another machine. */
static void a_socket_that_is_reset_before_it_is_taken_goes_nowhere_else(void **state)
{
    (void)state;
    listener gateway;
    listener stranger; /* where libwebsockets would go by itself */
    listener_open(&gateway, "127.0.0.2", 0);
    listener_open(&stranger, "127.0.0.1", gateway.port);
    driver d;
    open_driver(&d, "127.0.0.2", gateway.port);
    tg__io_connect(d.io, 1, 0);
    tg__io_service(d.io, false);
    tg__io_service(d.io, false); /* the call is on its way; nobody takes what it brings */
    assert_true(is_readable(gateway.fd, LIMIT_MS));
    const int fd = accept(gateway.fd, NULL, NULL);
    assert_true(fd >= 0);
    const struct linger at_once = {1, 0};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    (void)close(fd);
    while (d.closed_count == 0) {
        tg__io_timer(d.io, tg_clock_mono_ns(&d.clock) + 1000000);
        tg__io_service(d.io, true);
    }
    assert_int_equal(d.closed_count, 1);
    assert_true(d.closed.cause == TG__CAUSE_CONNECT || d.closed.cause == TG__CAUSE_LOST);
    assert_int_equal(tg__io_leaving(d.io), 0);
    assert_false(is_readable(stranger.fd, 0));
    tg__io_close(d.io);
    tg__credential_deinit(&d.credential);
    listener_close(&gateway);
    listener_close(&stranger);
}

static bool has_no_threads;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    return has_no_threads ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

/* It is this machine that cannot, and not its resolver that does not answer. */
static void a_call_that_cannot_begin_is_not_blamed_on_the_resolver(void **state)
{
    (void)state;
    driver d;
    open_driver(&d, "127.0.0.2", 9);
    has_no_threads = true;
    tg__io_connect(d.io, 1, 0);
    while (d.closed_count == 0) {
        tg__io_timer(d.io, tg_clock_mono_ns(&d.clock) + 1000000);
        tg__io_service(d.io, true);
    }
    has_no_threads = false;
    assert_int_equal(d.closed_count, 1);
    assert_int_equal(d.closed.cause, TG__CAUSE_CONNECT);
    assert_non_null(strstr(d.closed.text, "no thread"));
    tg__io_close(d.io);
    tg__credential_deinit(&d.credential);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_socket_that_is_reset_before_it_is_taken_goes_nowhere_else),
        cmocka_unit_test(a_call_that_cannot_begin_is_not_blamed_on_the_resolver),
    };
    return cmocka_run_group_tests_name("sdk.lost_socket", tests, NULL, NULL);
}
