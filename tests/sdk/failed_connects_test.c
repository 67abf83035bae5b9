/* Connections that fail, one after another without a pause: nothing may stay behind of any. */
#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client_rig.h"
#include "io.h"
#include "raw_server.h"
#include "tls_trust.h"
#include "unwanted_io.h"

#define LIMIT_NS INT64_C(60000000000) /* without one more failure */
/* Ten times as slow with a sanitizer, which judges the way of one, the same each time; that nothing
 * adds up is seen without. */
#define REFUSALS (TG_TEST_SANITIZED ? 4000u : 100000u)

#define HEAP_SLACK 16384u

typedef struct failing {
    tg_clock clock;
    tg__credential credential;
    char *ca_pem; /* NULL: not of TLS */
    tg__io *io;
    uint32_t generation;
    unsigned failures;
    tg__closed closed;
} failing;

static void on_dialled(void *ctx, uint32_t generation)
{
    const failing *f = ctx;
    assert_int_equal(generation, f->generation);
}

static void on_requested(void *ctx, uint32_t generation)
{
    (void)ctx;
    fail_msg("connection %lu was handed the token", (unsigned long)generation);
}

static void on_closed(void *ctx, uint32_t generation, const tg__closed *closed)
{
    failing *f = ctx;
    assert_int_equal(generation, f->generation);
    f->failures++;
    f->closed = *closed;
    tg__io_timer(f->io, tg_clock_mono_ns(&f->clock)); /* so that tg__io_service() returns */
}

static void on_nothing(void *ctx)
{
    (void)ctx;
}

static void open_failing(failing *f, const char *scheme, unsigned port)
{
    memset(f, 0, sizeof *f);
    f->clock = tg_clock_system();
    char url[64];
    (void)snprintf(url, sizeof url, "%s://127.0.0.1:%u", scheme, port);
    tg__io_options options;
    memset(&options, 0, sizeof options);
    tg__url parsed;
    assert_int_equal(tg__url_parse(url, &parsed), TG_OK);
    options.urls = &parsed;
    options.url_count = 1;
    char why[128];
    if (parsed.tls &&
        tg__trust_load(NULL, &f->ca_pem, &options.ca_pem_size, why, sizeof why) != TG_OK) {
        print_message("skipped: %s\n", why);
        skip();
    }
    options.ca_pem = f->ca_pem;
    assert_int_equal(tg__credential_init(&f->credential, "the-token", true), TG_OK);
    options.credential = &f->credential;
    options.message_size_max = 4096;
    options.clock = &f->clock;
    options.handler = (tg__io_handler){on_dialled,       on_requested,      unwanted_connection,
                                       unwanted_message, unwanted_progress, on_closed,
                                       on_nothing,       on_nothing,        f};
    assert_int_equal(tg__io_open(&options, &f->io), TG_OK);
}

static void close_failing(failing *f)
{
    tg__io_close(f->io);
    tg__credential_deinit(&f->credential);
    free(f->ca_pem);
}

static void run(failing *f, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const unsigned before = f->failures;
        const int64_t until = tg_clock_mono_ns(&f->clock) + LIMIT_NS;
        tg__io_connect(f->io, ++f->generation, 0);
        tg__io_timer(f->io, until);
        while (f->failures == before) {
            tg__io_service(f->io, true);
            assert_true(tg_clock_mono_ns(&f->clock) < until);
        }
        assert_int_equal(f->failures, before + 1);
        assert_int_equal(tg__io_leaving(f->io), 0);
    }
}

static size_t heap(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* The first ones may set something up for good. (The sanitizers' allocators do not report to
 * mallinfo2(): there only the descriptors are judged.) */
static void assert_is_flat(failing *f, unsigned count)
{
    run(f, 50);
    const size_t heap_before = heap();
    const unsigned before = open_descriptors();
    for (unsigned part = 0; part < 10; part++) {
        run(f, count / 10);
        assert_int_equal(open_descriptors(), before);
        /* A call's thread may still be ending, with what it was told. */
        if (heap() > heap_before + HEAP_SLACK) {
            fail_msg("%zu bytes of heap after %u failures, %zu before", heap(), f->failures,
                     heap_before);
        }
    }
    assert_int_equal(f->failures, count + 50);
}

static void refused_connections_leave_nothing_behind(void **state)
{
    (void)state;
    /* Bound and not listening: nobody else gets the port, and the system refuses for it. */
    const int closed = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    assert_int_equal(bind(closed, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(closed, (struct sockaddr *)&address, &size), 0);
    failing f;
    open_failing(&f, "ws", ntohs(address.sin_port));
    assert_is_flat(&f, REFUSALS);
    print_message("%u refused connections\n", f.failures);
    assert_int_equal(f.closed.cause, TG__CAUSE_CONNECT);
    assert_non_null(strstr(f.closed.text, "Connection refused"));
    close_failing(&f);
    (void)close(closed);
}

static void hang_up(raw_server *server, int fd)
{
    if (server->connections % 2 == 0) {
        raw_reset(fd);
    }
}

static void talk_nonsense(raw_server *server, int fd)
{
    static const char hello[] = "220 mail.example ESMTP\r\n";
    (void)server;
    (void)raw_write(fd, hello, sizeof hello - 1);
}

static void handshakes_that_fail_leave_nothing_behind(void **state)
{
    (void)state;
    static const raw_script scripts[] = {hang_up, talk_nonsense};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        raw_server server;
        raw_server_start(&server, scripts[i]);
        failing f;
        open_failing(&f, "wss", server.port);
        /* The server's thread holds one descriptor now and then; it is let out of the account. */
        run(&f, 50);
        const size_t heap_before = heap();
        const unsigned before = open_descriptors();
        run(&f, 1000);
        assert_true(open_descriptors() <= before + 1);
        assert_true(heap() <= heap_before + 16384);
        close_failing(&f);
        raw_server_stop(&server);
    }
}

static void hang_up_after_the_hello(raw_server *server, int fd)
{
    char hello[1024];
    (void)recv(fd, hello, sizeof hello, 0);
    hang_up(server, fd);
}

/* As haproxy does while no gateway is up. With an end or a reset, before the first byte or after
 * it: the client is to come back with its usual backoff, since nothing has to be repaired. */
static void a_handshake_that_is_cut_is_a_lost_connection(void **state)
{
    (void)state;
    static const raw_script scripts[] = {hang_up, hang_up_after_the_hello};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        raw_server server;
        raw_server_start(&server, scripts[i]);
        failing f;
        open_failing(&f, "wss", server.port);
        for (unsigned attempt = 0; attempt < 40; attempt++) {
            run(&f, 1);
            if (tg__policy_of(&f.closed).policy != TG__POLICY_RETRY) {
                fail_msg("attempt %u: cause %d: %s", attempt, (int)f.closed.cause, f.closed.text);
            }
        }
        close_failing(&f);
        raw_server_stop(&server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_connections_leave_nothing_behind),
        cmocka_unit_test(handshakes_that_fail_leave_nothing_behind),
        cmocka_unit_test(a_handshake_that_is_cut_is_a_lost_connection),
    };
    return cmocka_run_group_tests_name("sdk.failed_connects", tests, NULL, NULL);
}
