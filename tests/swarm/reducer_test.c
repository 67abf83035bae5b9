#include "tg_cmocka.h"

#include <string.h>

#include "reducer.h"
#include "text_file.h"

static const char first_log[] =
    "2026-11-30T09:30:00.000Z serving 4 instruments on 1 venues at wss://127.0.0.1:9443/tickglass\n"
    "2026-11-30T09:30:01.250Z connection 1 from 127.0.0.1: open, 1 in all\n"
    "2026-11-30T09:30:01.300Z connection 2 from ::1: open, 2 in all\n"
    "2026-11-30T09:30:01.400Z connection 2 from ::1: a text message is not of this protocol\n"
    "2026-11-30T09:30:02.000Z connection 2 from ::1: protocol, closed by us with code 1003; 3 "
    "messages, 200 "
    "bytes, 0 gaps\n"
    "2026-11-30T23:59:59.999Z connection 1 from 127.0.0.1: reset; 9 messages, 900 bytes, "
    "1 gaps\n"
    "2026-12-01T00:00:00.001Z connection 3 from 127.0.0.1: open, 1 in all\n"
    "2026-12-01T00:00:01.001Z connection 3 from 127.0.0.1: client_close with code 1000; 1 "
    "messages, 90 bytes, 0 gaps\n";

static const char second_log[] =
    "2026-11-30T09:30:00.500Z connection 88 from 10.0.0.9: client_close with code 1000; 1 "
    "messages, 90 bytes, 0 gaps\n"
    "2026-11-30T09:30:01.275Z connection 1 from 10.0.0.9: open, 1 in all\n"
    "2026-11-30T09:30:01.276Z connection 1 from 10.0.0.9: slow, closed by us with code 4008; 1 "
    "messages, 90 bytes, 7 gaps\n";

static void add(reduction *r, const char *text)
{
    why reason = {""};
    FILE *const file = text_file(text);
    assert_non_null(file);
    if (!reducer_add(r, file, "log", &reason)) {
        fail_msg("%s", reason.text);
    }
    (void)fclose(file);
}

static void logs_of_two_gateways_become_one_trace(void **state)
{
    (void)state;
    static const trace_event expected[] = {
        {0, TRACE_CONNECT},        {25, TRACE_CONNECT},     {26, TRACE_CLOSE},
        {50, TRACE_CONNECT},       {750, TRACE_CLOSE},      {52198749, TRACE_RESET},
        {52198751, TRACE_CONNECT}, {52199751, TRACE_CLOSE},
    };
    reduction r;
    why reason;
    memset(&r, 0, sizeof r);
    add(&r, first_log);
    add(&r, second_log);
    assert_true(reducer_finish(&r, &reason));
    assert_int_equal(r.events.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < r.events.count; i++) {
        assert_int_equal(r.events.events[i].time_ms, expected[i].time_ms);
        assert_int_equal(r.events.events[i].kind, expected[i].kind);
    }
    assert_int_equal(r.passed_over, 2);
    assert_int_equal(r.unopened, 1); /* connection 88 */
    trace_deinit(&r.events);
}

static void what_is_reduced_can_be_read_as_a_trace(void **state)
{
    (void)state;
    reduction r;
    trace again = {NULL, 0, 0};
    why reason = {""};
    memset(&r, 0, sizeof r);
    add(&r, first_log);
    assert_true(reducer_finish(&r, &reason));
    FILE *const file = tmpfile();
    assert_non_null(file);
    assert_true(trace_write(file, &r.events));
    rewind(file);
    assert_true(trace_read(file, "trace", &again, &reason));
    assert_int_equal(again.count, 6);
    (void)fclose(file);
    trace_deinit(&again);
    trace_deinit(&r.events);
}

static void a_leap_day_has_its_place(void **state)
{
    (void)state;
    reduction r;
    why reason;
    memset(&r, 0, sizeof r);
    add(&r, "2028-02-28T23:59:59.000Z connection 1 from a: open, 1 in all\n"
            "2028-03-01T00:00:00.000Z connection 1 from a: lost; 1 messages, 1 bytes, 0 "
            "gaps\n");
    assert_true(reducer_finish(&r, &reason));
    assert_int_equal(r.events.events[1].time_ms, 86401000);
    trace_deinit(&r.events);
}

static void only_an_end_without_a_word_is_a_reset(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        trace_kind kind;
    } ends[] = {{"lost", TRACE_RESET},    {"reset", TRACE_RESET}, {"timeout", TRACE_RESET},
                {"slow", TRACE_CLOSE},    {"drain", TRACE_CLOSE}, {"client_close", TRACE_CLOSE},
                {"lostness", TRACE_CLOSE}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char text[512];
        reduction r;
        why reason;
        memset(&r, 0, sizeof r);
        (void)snprintf(text, sizeof text,
                       "2026-11-30T09:00:00.000Z connection 1 from a: open, 1 in all\n"
                       "2026-11-30T09:00:01.000Z connection 1 from a: %s; 1 messages, 1 bytes, 0 "
                       "gaps\n",
                       ends[i].words);
        add(&r, text);
        assert_true(reducer_finish(&r, &reason));
        assert_int_equal(r.events.count, 2);
        assert_int_equal(r.events.events[1].kind, ends[i].kind);
        trace_deinit(&r.events);
    }
}

static void a_line_without_its_time_is_named(void **state)
{
    (void)state;
    reduction r;
    why reason = {""};
    memset(&r, 0, sizeof r);
    FILE *const file = text_file("hello\nyesterday connection 1 from a: open, 1 in all\n");
    assert_non_null(file);
    assert_false(reducer_add(&r, file, "gw.log", &reason));
    assert_non_null(strstr(reason.text, "gw.log:2: no time"));
    (void)fclose(file);
    assert_false(reducer_finish(&r, &reason));
    trace_deinit(&r.events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_of_two_gateways_become_one_trace),
        cmocka_unit_test(what_is_reduced_can_be_read_as_a_trace),
        cmocka_unit_test(a_leap_day_has_its_place),
        cmocka_unit_test(only_an_end_without_a_word_is_a_reset),
        cmocka_unit_test(a_line_without_its_time_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
