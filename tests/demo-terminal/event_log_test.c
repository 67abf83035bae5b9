#include "event_log.h"

#include <stdio.h>

#include "tg_cmocka.h"

static event_log events;

static void take(const char *text, tg_err err, int64_t utc_ns)
{
    tg_event event = {.err = err};
    (void)snprintf(event.text, sizeof event.text, "%s", text);
    event_log_take(&events, &event, utc_ns);
}

static void the_newest_event_comes_first_and_silent_ones_are_left_out(void **state)
{
    (void)state;
    events = (event_log){0};
    take("connected", TG_OK, 1);
    take("", TG_OK, 2);
    take("gap: 7 boundaries", TG_ERR_BASE_MISMATCH, 3);
    assert_int_equal(events.count, 2);
    assert_string_equal(event_log_line(&events, 0)->text, "gap: 7 boundaries");
    assert_true(event_log_line(&events, 0)->bad);
    assert_int_equal(event_log_line(&events, 0)->utc_ns, 3);
    assert_string_equal(event_log_line(&events, 1)->text, "connected");
    assert_false(event_log_line(&events, 1)->bad);
}

static void the_oldest_events_go_and_are_counted(void **state)
{
    (void)state;
    events = (event_log){0};
    for (int i = 0; i < EVENT_LOG_SIZE + 3; i++) {
        take("x", TG_OK, i);
    }
    assert_int_equal(events.count, EVENT_LOG_SIZE);
    assert_int_equal(events.dropped, 3);
    assert_int_equal(event_log_line(&events, EVENT_LOG_SIZE - 1)->utc_ns, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_event_comes_first_and_silent_ones_are_left_out),
        cmocka_unit_test(the_oldest_events_go_and_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
