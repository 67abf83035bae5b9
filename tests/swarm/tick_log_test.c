#include "tg_cmocka.h"

#include <string.h>

#include "tick_log.h"
#include "tick_log_writer.h"

static void expect_refusal(tick_log_writer *w, const char *words)
{
    tick_log *log = NULL;
    why reason = {""};
    const bool opened = tick_log_open(w->path, &log, &reason);
    tick_log_end(w);
    assert_false(opened);
    assert_null(log);
    if (strstr(reason.text, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", reason.text, words);
    }
}

static void every_tick_is_found_under_its_instrument_and_seq(void **state)
{
    (void)state;
    tick_log_writer w;
    tick_log *log = NULL;
    why reason;
    int64_t at_ns = 0;
    tick_log_begin(&w, "TGTICKS1", 32);
    tick_log_write(&w, 9, 1, 41, 1000);
    tick_log_write(&w, 0, 1, 1, 2000);
    tick_log_write(&w, 9, 1, 42, 3000);
    tick_log_write(&w, 9, 1, 42, 3500); /* the other half of that tick, later */
    tick_log_write(&w, 9, 2, 43, 4000); /* seq goes on over a raise of the epoch */
    tick_log_write(&w, 65534, 1, 7, 1000002000);
    const bool opened = tick_log_open(w.path, &log, &reason);
    tick_log_end(&w);
    assert_true(opened);
    assert_int_equal(tick_log_count(log), 6);
    assert_true(tick_log_scheduled(log, 9, 41, &at_ns) && at_ns == 1000);
    assert_true(tick_log_scheduled(log, 9, 42, &at_ns) && at_ns == 3000);
    assert_true(tick_log_scheduled(log, 9, 43, &at_ns) && at_ns == 4000);
    assert_true(tick_log_scheduled(log, 0, 1, &at_ns) && at_ns == 2000);
    assert_true(tick_log_scheduled(log, 65534, 7, &at_ns) && at_ns == 1000002000);
    assert_false(tick_log_scheduled(log, 9, 40, &at_ns));
    assert_false(tick_log_scheduled(log, 9, 44, &at_ns));
    assert_false(tick_log_scheduled(log, 1, 1, &at_ns));
    assert_true(tick_log_rate(log) > 5.99 && tick_log_rate(log) < 6.01);
    tick_log_close(log);
}

static void longer_records_of_a_later_gateway_are_read(void **state)
{
    (void)state;
    tick_log_writer w;
    tick_log *log = NULL;
    why reason;
    int64_t at_ns = 0;
    tick_log_begin(&w, "TGTICKS1", 40);
    tick_log_write(&w, 3, 1, 1, 100);
    tick_log_put(&w, 0, 8);
    tick_log_write(&w, 3, 1, 2, 200);
    tick_log_put(&w, 0, 8);
    const bool opened = tick_log_open(w.path, &log, &reason);
    tick_log_end(&w);
    assert_true(opened);
    assert_true(tick_log_scheduled(log, 3, 2, &at_ns) && at_ns == 200);
    tick_log_close(log);
}

static void a_torn_last_record_is_passed_over(void **state)
{
    (void)state;
    tick_log_writer w;
    tick_log *log = NULL;
    why reason;
    tick_log_begin(&w, "TGTICKS1", 32);
    tick_log_write(&w, 3, 1, 1, 100);
    tick_log_put(&w, 3, 2);
    tick_log_put(&w, 0, 8);
    const bool opened = tick_log_open(w.path, &log, &reason);
    tick_log_end(&w);
    assert_true(opened);
    assert_int_equal(tick_log_count(log), 1);
    tick_log_close(log);
}

static void another_file_is_refused(void **state)
{
    (void)state;
    tick_log_writer w;
    tick_log_begin(&w, "TGTICKS2", 32);
    expect_refusal(&w, "not a tick log");
    tick_log_begin(&w, "TGTICKS1", 31);
    expect_refusal(&w, "records of 31 bytes");
}

static void a_hole_in_seq_is_named(void **state)
{
    (void)state;
    tick_log_writer w;
    tick_log_begin(&w, "TGTICKS1", 32);
    tick_log_write(&w, 3, 1, 1, 100);
    tick_log_write(&w, 3, 1, 3, 200);
    expect_refusal(&w, "record 1: instrument 3 goes from seq 1 to 3");
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    tick_log *log = NULL;
    why reason = {""};
    assert_false(tick_log_open("no-such-log", &log, &reason));
    assert_non_null(strstr(reason.text, "no-such-log: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tick_is_found_under_its_instrument_and_seq),
        cmocka_unit_test(longer_records_of_a_later_gateway_are_read),
        cmocka_unit_test(a_torn_last_record_is_passed_over),
        cmocka_unit_test(another_file_is_refused),
        cmocka_unit_test(a_hole_in_seq_is_named),
        cmocka_unit_test(a_missing_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
