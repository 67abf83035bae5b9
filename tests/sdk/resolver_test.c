#include "tg_cmocka.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "resolver.h"

typedef struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int ready;
} waiter;

static void on_ready(void *ctx)
{
    waiter *w = ctx;
    (void)pthread_mutex_lock(&w->lock);
    w->ready++;
    (void)pthread_cond_signal(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
}

static bool await(waiter *w)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    (void)pthread_mutex_lock(&w->lock);
    while (w->ready == 0 && pthread_cond_timedwait(&w->changed, &w->lock, &until) == 0) {
    }
    const bool ready = w->ready > 0;
    w->ready = 0;
    (void)pthread_mutex_unlock(&w->lock);
    return ready;
}

static waiter w = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

/* Also on a system whose tables do not name it, as in a bare container. */
static void localhost_has_loopback_addresses(void **state)
{
    (void)state;
    tg__resolver *resolver = NULL;
    tg__addresses addresses;
    assert_int_equal(tg__resolver_open(on_ready, &w, &resolver), TG_OK);
    assert_false(tg__resolver_take(resolver, &addresses));
    assert_int_equal(tg__resolver_ask(resolver, "localhost"), TG_OK);
    assert_true(await(&w));
    assert_true(tg__resolver_take(resolver, &addresses));
    assert_int_equal(addresses.failure, 0);
    assert_int_equal(addresses.count, 2);
    assert_string_equal(addresses.text[0], "127.0.0.1");
    assert_string_equal(addresses.text[1], "::1");
    assert_false(tg__resolver_take(resolver, &addresses)); /* once */
    tg__resolver_close(resolver);
}

static void names_under_localhost_have_loopback_addresses(void **state)
{
    (void)state;
    static const char *const names[] = {"feed.localhost", "a.b.LocalHost"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tg__resolver *resolver = NULL;
        tg__addresses addresses;
        assert_int_equal(tg__resolver_open(on_ready, &w, &resolver), TG_OK);
        assert_int_equal(tg__resolver_ask(resolver, names[i]), TG_OK);
        assert_true(await(&w));
        assert_true(tg__resolver_take(resolver, &addresses));
        assert_int_equal(addresses.failure, 0);
        assert_string_equal(addresses.text[0], "127.0.0.1");
        tg__resolver_close(resolver);
    }
}

static void a_name_that_cannot_exist_is_a_failure_and_not_silence(void **state)
{
    (void)state;
    tg__resolver *resolver = NULL;
    tg__addresses addresses;
    assert_int_equal(tg__resolver_open(on_ready, &w, &resolver), TG_OK);
    assert_int_equal(tg__resolver_ask(resolver, "no..such..name"), TG_OK);
    assert_true(await(&w));
    assert_true(tg__resolver_take(resolver, &addresses));
    assert_int_not_equal(addresses.failure, 0);
    tg__resolver_close(resolver);
}

static void close_does_not_wait_for_a_look_up(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        tg__resolver *resolver = NULL;
        assert_int_equal(tg__resolver_open(on_ready, &w, &resolver), TG_OK);
        assert_int_equal(tg__resolver_ask(resolver, "localhost"), TG_OK);
        if (i % 2 == 0) {
            tg__resolver_cancel(resolver);
        }
        tg__resolver_close(resolver);
    }
    tg__resolver_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(localhost_has_loopback_addresses),
        cmocka_unit_test(names_under_localhost_have_loopback_addresses),
        cmocka_unit_test(a_name_that_cannot_exist_is_a_failure_and_not_silence),
        cmocka_unit_test(close_does_not_wait_for_a_look_up),
    };
    return cmocka_run_group_tests_name("sdk.resolver", tests, NULL, NULL);
}
