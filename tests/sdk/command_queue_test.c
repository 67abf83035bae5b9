#include "tg_cmocka.h"

#include <sched.h>
#include <string.h>

#include "command_queue.h"

static void commands_come_out_in_order_and_a_full_queue_refuses(void **state)
{
    (void)state;
    tg__command_queue queue;
    assert_int_equal(tg__command_queue_init(&queue, 16), TG_OK);
    tg__command command;
    assert_false(tg__command_queue_take(&queue, &command));
    for (uint32_t round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < 16; i++) {
            assert_int_equal(tg__command_queue_put(&queue, TG__COMMAND_SUBSCRIBE, i), TG_OK);
        }
        assert_int_equal(tg__command_queue_put(&queue, TG__COMMAND_SUBSCRIBE, 99), TG_ERR_FULL);
        for (uint32_t i = 0; i < 16; i++) {
            assert_true(tg__command_queue_take(&queue, &command));
            assert_int_equal(command.number, i);
        }
        assert_false(tg__command_queue_take(&queue, &command));
    }
    tg__command_queue_deinit(&queue);
}

static void searches_have_places_of_their_own(void **state)
{
    (void)state;
    tg__command_queue queue;
    assert_int_equal(tg__command_queue_init(&queue, 64), TG_OK);
    tg__find find;
    memset(&find, 0, sizeof find);
    for (uint32_t i = 0; i < TG__FIND_SLOTS; i++) {
        find.request = i + 1;
        assert_int_equal(tg__command_queue_put_find(&queue, &find), TG_OK);
    }
    assert_int_equal(tg__command_queue_put_find(&queue, &find), TG_ERR_FULL);
    tg__command command;
    assert_true(tg__command_queue_take(&queue, &command));
    assert_int_equal(command.kind, TG__COMMAND_FIND);
    assert_int_equal(queue.finds[command.number].request, 1);
    tg__command_queue_free_find(&queue, command.number);
    assert_int_equal(tg__command_queue_put_find(&queue, &find), TG_OK);
    tg__command_queue_deinit(&queue);
}

#define PRODUCERS 3u
#define EACH      20000u

typedef struct producer {
    pthread_t thread;
    tg__command_queue *queue;
    uint32_t number;
} producer;

static void *produce(void *argument)
{
    producer *p = argument;
    for (uint32_t i = 0; i < EACH; i++) {
        while (tg__command_queue_put(p->queue, TG__COMMAND_SUBSCRIBE, p->number << 24 | i) !=
               TG_OK) {
            (void)sched_yield();
        }
    }
    return NULL;
}

static void several_producers_lose_nothing(void **state)
{
    (void)state;
    tg__command_queue queue;
    assert_int_equal(tg__command_queue_init(&queue, 64), TG_OK);
    producer producers[PRODUCERS];
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        producers[i].queue = &queue;
        producers[i].number = i;
        assert_int_equal(pthread_create(&producers[i].thread, NULL, produce, &producers[i]), 0);
    }
    uint32_t next[PRODUCERS] = {0};
    for (uint32_t taken = 0; taken < PRODUCERS * EACH;) {
        tg__command command;
        if (!tg__command_queue_take(&queue, &command)) {
            (void)sched_yield();
            continue;
        }
        const uint32_t from = command.number >> 24;
        assert_true(from < PRODUCERS);
        assert_int_equal(command.number & 0xffffffu, next[from]);
        next[from]++;
        taken++;
    }
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        assert_int_equal(pthread_join(producers[i].thread, NULL), 0);
    }
    tg__command_queue_deinit(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_come_out_in_order_and_a_full_queue_refuses),
        cmocka_unit_test(searches_have_places_of_their_own),
        cmocka_unit_test(several_producers_lose_nothing),
    };
    return cmocka_run_group_tests_name("sdk.command_queue", tests, NULL, NULL);
}
