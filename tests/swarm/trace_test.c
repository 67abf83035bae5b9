#include "tg_cmocka.h"

#include <string.h>

#include "text_file.h"
#include "trace.h"

static void expect_refusal(const char *text, const char *words)
{
    trace t = {NULL, 0, 0};
    why reason = {""};
    FILE *const file = text_file(text);
    assert_non_null(file);
    assert_false(trace_read(file, "t.csv", &t, &reason));
    if (strstr(reason.text, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", reason.text, words);
    }
    trace_deinit(&t);
    (void)fclose(file);
}

static void a_trace_is_read_as_it_was_written(void **state)
{
    (void)state;
    trace t = {NULL, 0, 0};
    trace again = {NULL, 0, 0};
    why reason;
    trace_add(&t, 0, TRACE_CONNECT);
    trace_add(&t, 7, TRACE_CONNECT);
    trace_add(&t, 1250, TRACE_RESET);
    trace_add(&t, 1250, TRACE_CLOSE);
    FILE *const file = tmpfile();
    assert_non_null(file);
    assert_true(trace_write(file, &t));
    rewind(file);
    assert_true(trace_read(file, "t.csv", &again, &reason));
    assert_int_equal(again.count, t.count);
    for (size_t i = 0; i < t.count; i++) {
        assert_int_equal(again.events[i].time_ms, t.events[i].time_ms);
        assert_int_equal(again.events[i].kind, t.events[i].kind);
    }
    (void)fclose(file);
    trace_deinit(&t);
    trace_deinit(&again);
}

static void a_bad_line_is_named(void **state)
{
    (void)state;
    expect_refusal("time,what\n", "t.csv:1: the header is not \"time_ms,event\"");
    expect_refusal("time_ms,event\n0,connect\nsoon,close\n", "t.csv:3: \"soon,close\"");
    expect_refusal("time_ms,event\n-1,connect\n", "t.csv:2: ");
    expect_refusal("time_ms,event\n99999999999999999999,connect\n", "t.csv:2: ");
    expect_refusal("time_ms,event\n5,arrive\n", "t.csv:2: \"arrive\"");
    expect_refusal("time_ms,event\n5,connect\n4,connect\n", "t.csv:3: earlier");
    expect_refusal("time_ms,event\n5,connect\n6,close\n7,reset\n", "t.csv:4: nobody");
    expect_refusal("time_ms,event\n", "no event");
    expect_refusal("", "no event");
}

static void sorting_keeps_the_order_of_one_moment(void **state)
{
    (void)state;
    trace t = {NULL, 0, 0};
    for (int i = 0; i < 100; i++) {
        trace_add(&t, i % 7, i % 3 == 0 ? TRACE_CLOSE : TRACE_CONNECT);
    }
    trace_sort(&t);
    size_t at = 0;
    for (int time = 0; time < 7; time++) {
        for (int i = time; i < 100; i += 7, at++) {
            assert_int_equal(t.events[at].time_ms, time);
            assert_int_equal(t.events[at].kind, i % 3 == 0 ? TRACE_CLOSE : TRACE_CONNECT);
        }
    }
    assert_int_equal(at, t.count);
    trace_deinit(&t);
}

static void the_peak_counts_who_is_there_at_once(void **state)
{
    (void)state;
    trace t = {NULL, 0, 0};
    trace_add(&t, 0, TRACE_CONNECT);
    trace_add(&t, 1, TRACE_CONNECT);
    trace_add(&t, 2, TRACE_RESET);
    trace_add(&t, 3, TRACE_CONNECT);
    trace_add(&t, 4, TRACE_CLOSE);
    assert_int_equal(trace_peak(&t), 2);
    trace_deinit(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_read_as_it_was_written),
        cmocka_unit_test(a_bad_line_is_named),
        cmocka_unit_test(sorting_keeps_the_order_of_one_moment),
        cmocka_unit_test(the_peak_counts_who_is_there_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
