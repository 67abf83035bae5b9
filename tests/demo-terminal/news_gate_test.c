/* Who tells and who sleeps: nothing is missed, and nobody is woken for nothing. */
#include "news_gate.h"

#include <pthread.h>
#include <semaphore.h>

#include "tg_cmocka.h"

#define BOTH (NEWS_OF_ROWS | NEWS_OF_PRIORITY)

static void only_what_is_awaited_wakes_and_all_of_it_is_taken(void **state)
{
    (void)state;
    news_gate gate = {0};
    assert_false(news_gate_tell(&gate, NEWS_OF_ROWS));
    assert_false(news_gate_tell(&gate, NEWS_OF_PRIORITY));
    assert_int_equal(news_gate_take(&gate), BOTH);
    assert_int_equal(news_gate_take(&gate), 0);
    assert_false(news_gate_await(&gate, NEWS_OF_ROWS));
    assert_false(news_gate_tell(&gate, NEWS_OF_PRIORITY));
    assert_true(news_gate_tell(&gate, NEWS_OF_ROWS));
    assert_int_equal(news_gate_take(&gate), BOTH);
    assert_false(news_gate_await(&gate, BOTH));
    assert_true(news_gate_tell(&gate, NEWS_OF_PRIORITY));
    assert_true(news_gate_tell(&gate, NEWS_OF_PRIORITY));
    assert_int_equal(news_gate_take(&gate), NEWS_OF_PRIORITY);
}

static void what_came_before_it_was_awaited_keeps_its_owner_from_sleeping(void **state)
{
    (void)state;
    news_gate gate = {0};
    assert_false(news_gate_tell(&gate, NEWS_OF_PRIORITY));
    assert_false(news_gate_await(&gate, NEWS_OF_ROWS));
    assert_true(news_gate_await(&gate, BOTH));
    assert_true(news_gate_await(&gate, NEWS_OF_PRIORITY));
    assert_int_equal(news_gate_take(&gate), NEWS_OF_PRIORITY);
    assert_false(news_gate_await(&gate, BOTH));
}

#define ROUNDS 200000

typedef struct scene {
    news_gate gate;
    sem_t woken;
    _Atomic int said;
} scene;

static void *tell_often(void *ctx)
{
    scene *self = ctx;
    for (int i = 1; i <= ROUNDS; i++) {
        atomic_store_explicit(&self->said, i, memory_order_relaxed);
        if (news_gate_tell(&self->gate, NEWS_OF_PRIORITY)) {
            assert_int_equal(sem_post(&self->woken), 0);
        }
    }
    return NULL;
}

/* News that are missed would let the owner sleep for ever. Every other time he awaits none of these
 * and looks by himself. */
static void no_news_are_missed(void **state)
{
    (void)state;
    static scene self;
    pthread_t thread;
    assert_int_equal(sem_init(&self.woken, 0, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, tell_often, &self), 0);
    int seen = 0;
    for (unsigned i = 0; seen < ROUNDS; i++) {
        if (i % 2 == 0) {
            while (sem_trywait(&self.woken) == 0) { /* no wake of an earlier time hides a miss */
            }
            if (!news_gate_await(&self.gate, NEWS_OF_PRIORITY)) {
                assert_int_equal(sem_wait(&self.woken), 0);
            }
        } else {
            assert_false(news_gate_await(&self.gate, NEWS_OF_ROWS));
        }
        if (news_gate_take(&self.gate) != 0) {
            seen = atomic_load_explicit(&self.said, memory_order_relaxed);
        }
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(sem_destroy(&self.woken), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_awaited_wakes_and_all_of_it_is_taken),
        cmocka_unit_test(what_came_before_it_was_awaited_keeps_its_owner_from_sleeping),
        cmocka_unit_test(no_news_are_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
