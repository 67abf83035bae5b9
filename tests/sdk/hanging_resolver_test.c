/* A system resolver that does not come back holds up nothing but the look-up itself. */
#include "tg_cmocka.h"

#include <netdb.h>
#include <pthread.h>
#include <string.h>

#include "io.h"
#include "unwanted_io.h"

/* The system's resolver as this program has it; linked with --wrap. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool hangs;
static unsigned asked;
static unsigned answered;

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                       struct addrinfo **out);

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                       struct addrinfo **out)
{
    (void)host;
    (void)service;
    (void)hints;
    *out = NULL;
    (void)pthread_mutex_lock(&lock);
    asked++;
    (void)pthread_cond_broadcast(&changed);
    while (hangs) {
        (void)pthread_cond_wait(&changed, &lock);
    }
    answered++;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
    return EAI_NONAME;
}

static unsigned read_count(const unsigned *count)
{
    (void)pthread_mutex_lock(&lock);
    const unsigned n = *count;
    (void)pthread_mutex_unlock(&lock);
    return n;
}

typedef struct driver {
    tg_clock clock;
    tg__credential credential;
    tg__io *io;
    unsigned rings;
    unsigned closed_count;
    uint32_t closed_generation;
    tg__closed closed;
} driver;

static void on_dialled(void *ctx, uint32_t generation)
{
    (void)ctx;
    fail_msg("connection %lu was dialled", (unsigned long)generation);
}

static void on_requested(void *ctx, uint32_t generation)
{
    (void)ctx;
    fail_msg("connection %lu asked for an upgrade", (unsigned long)generation);
}

static void on_closed(void *ctx, uint32_t generation, const tg__closed *closed)
{
    driver *d = ctx;
    d->closed_count++;
    d->closed_generation = generation;
    d->closed = *closed;
}

static void on_timer(void *ctx)
{
    driver *d = ctx;
    d->rings++;
    tg__io_timer(d->io, tg_clock_mono_ns(&d->clock) + 1000000); /* so that the service returns */
}

static void on_wake(void *ctx)
{
    (void)ctx;
}

static void open_driver(driver *d)
{
    memset(d, 0, sizeof *d);
    tg__url url;
    assert_int_equal(tg__url_parse("wss://gateway.example", &url), TG_OK);
    url.tls = false; /* it does not get as far as that */
    d->clock = tg_clock_system();
    assert_int_equal(tg__credential_init(&d->credential, "the-token", true), TG_OK);
    tg__io_options options;
    memset(&options, 0, sizeof options);
    options.urls = &url;
    options.url_count = 1;
    options.plain_anywhere = true;
    options.credential = &d->credential;
    options.message_size_max = 1024;
    options.clock = &d->clock;
    options.handler = (tg__io_handler){on_dialled,       on_requested,      unwanted_connection,
                                       unwanted_message, unwanted_progress, on_closed,
                                       on_timer,         on_wake,           d};
    assert_int_equal(tg__io_open(&options, &d->io), TG_OK);
}

static void serve_until_it_rings(driver *d)
{
    const unsigned before = d->rings;
    tg__io_timer(d->io, tg_clock_mono_ns(&d->clock));
    while (d->rings == before) {
        tg__io_service(d->io, true);
    }
}

static void the_loop_goes_on_attempts_are_bounded_and_closing_waits_for_nobody(void **state)
{
    (void)state;
    driver d;
    open_driver(&d);
    hangs = true;
    asked = answered = 0;
    for (uint32_t attempt = 1; attempt <= 4; attempt++) {
        tg__io_connect(d.io, attempt, 0);
        while (read_count(&asked) < attempt) {
            serve_until_it_rings(&d);
        }
        serve_until_it_rings(&d); /* while the look-up hangs */
        assert_int_equal(d.closed_count, 0);
        tg__io_drop(d.io, attempt); /* as the engine's deadline does */
    }
    tg__io_connect(d.io, 5, 0);
    while (d.closed_count == 0) {
        serve_until_it_rings(&d);
    }
    assert_int_equal(d.closed_count, 1);
    assert_int_equal(d.closed_generation, 5);
    assert_int_equal(d.closed.cause, TG__CAUSE_RESOLVE);
    assert_non_null(strstr(d.closed.text, "resolver"));
    assert_int_equal(read_count(&asked), 4);
    tg__io_close(d.io); /* or the test would hang here */
    tg__credential_deinit(&d.credential);
    (void)pthread_mutex_lock(&lock);
    assert_int_equal(answered, 0);
    hangs = false;
    (void)pthread_cond_broadcast(&changed);
    while (answered < 4) { /* and nothing of the client is touched by it */
        (void)pthread_cond_wait(&changed, &lock);
    }
    (void)pthread_mutex_unlock(&lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loop_goes_on_attempts_are_bounded_and_closing_waits_for_nobody),
    };
    return cmocka_run_group_tests_name("sdk.hanging_resolver", tests, NULL, NULL);
}
