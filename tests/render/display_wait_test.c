/* Sleeping and waking without a display; window_x11_test has one. */
#include "display_wait.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "tg_cmocka.h"

#define S INT64_C(1000000000)

static tg__display_wait opened(void)
{
    tg__display_wait wait;
    assert_int_equal(tg__display_wait_open(&wait), TG_OK);
    tg__display_wait_attach(&wait, NULL, 0, true);
    return wait;
}

static void a_wake_before_the_sleep_keeps_it_from_beginning(void **state)
{
    (void)state;
    tg__display_wait wait = opened();
    assert_false(tg__display_wait_take(&wait));
    for (int i = 0; i < 100000; i++) { /* more than a pipe holds */
        tg__display_wait_wake(&wait);
    }
    assert_false(tg__display_wait_sleep(&wait, 60 * S));
    assert_true(tg__display_wait_take(&wait));
    assert_false(tg__display_wait_take(&wait));
    assert_false(tg__display_wait_sleep(&wait, 1));
    assert_false(tg__display_wait_take(&wait));
    tg__display_wait_close(&wait);
    tg__display_wait_close(&wait);
}

#define WAKERS 2
#define WAKES  20000

typedef struct scene {
    tg__display_wait wait;
    _Atomic int said;
} scene;

static void *wake_often(void *ctx)
{
    scene *self = ctx;
    for (int i = 0; i < WAKES; i++) {
        atomic_fetch_add_explicit(&self->said, 1, memory_order_relaxed);
        tg__display_wait_wake(&self->wait);
    }
    return NULL;
}

/* A wake that is lost would let the owner sleep for a minute; one that leaves its byte behind would
 * end a sleep of which nobody knows. */
static void no_wake_is_lost_and_none_is_left_over(void **state)
{
    (void)state;
    scene self = {.wait = opened()};
    pthread_t threads[WAKERS];
    int seen = 0;
    for (int i = 0; i < WAKERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, wake_often, &self), 0);
    }
    while (seen < WAKERS * WAKES) {
        (void)tg__display_wait_sleep(&self.wait, 60 * S);
        assert_true(tg__display_wait_take(&self.wait));
        seen = atomic_load_explicit(&self.said, memory_order_relaxed);
    }
    for (int i = 0; i < WAKERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    (void)tg__display_wait_take(&self.wait);
    struct pollfd left = {.fd = self.wait.pipe[0], .events = POLLIN};
    assert_int_equal(poll(&left, 1, 0), 0);
    tg__display_wait_close(&self.wait);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wake_before_the_sleep_keeps_it_from_beginning),
        cmocka_unit_test(no_wake_is_lost_and_none_is_left_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
