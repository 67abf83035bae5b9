#include "tg_cmocka.h"

#include <string.h>

#include "event_queue.h"

static void events_come_out_in_order_and_the_oldest_go_when_full(void **state)
{
    (void)state;
    tg__event_queue queue;
    assert_int_equal(tg__event_queue_init(&queue, 4), TG_OK);
    tg_event event;
    memset(&event, 0, sizeof event);
    assert_false(tg__event_queue_take(&queue, &event));
    for (uint32_t i = 0; i < 7; i++) {
        event.wait_ms = i;
        tg__event_queue_put(&queue, &event);
    }
    assert_int_equal(atomic_load(&queue.dropped), 3);
    for (uint32_t i = 3; i < 7; i++) {
        assert_true(tg__event_queue_take(&queue, &event));
        assert_int_equal(event.wait_ms, i);
    }
    assert_false(tg__event_queue_take(&queue, &event));
    tg__event_queue_deinit(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_out_in_order_and_the_oldest_go_when_full),
    };
    return cmocka_run_group_tests_name("sdk.event_queue", tests, NULL, NULL);
}
