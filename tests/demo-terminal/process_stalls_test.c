#include "process_stalls.h"

#include <stdlib.h>

#include <tickglass/clock.h>

#include "tg_cmocka.h"

#define MS INT64_C(1000000)

static void what_is_long_or_many_is_listed_and_everything_is_counted(void **state)
{
    (void)state;
    process_stalls *stalls = NULL;
    assert_int_equal(process_stalls_open(&stalls), TG_OK);
    process_sample sample = {.major_faults = 9,
                             .minor_faults = 7000,
                             .involuntary_switches = 3,
                             .run_wait_ns = 80 * MS,
                             .run_wait_known = true};
    process_stalls_take(stalls, &sample, 1 * MS); /* of before: nothing is said of it */
    assert_int_equal(process_stalls_count(stalls), 0);
    sample.minor_faults += STALL_MINOR_FAULTS - 1;
    sample.run_wait_ns += STALL_RUN_WAIT_NS - 1;
    sample.involuntary_switches += 4;
    process_stalls_take(stalls, &sample, 2 * MS);
    process_stalls_pass(stalls, 2 * MS, 2 * MS + STALL_PASS_NS);
    process_stalls_wake(stalls, 3 * MS, 3 * MS + STALL_LATE_NS);
    process_stalls_wake(stalls, 9 * MS, 5 * MS); /* something came */
    assert_int_equal(process_stalls_count(stalls), 0);
    sample.minor_faults += STALL_MINOR_FAULTS;
    sample.major_faults += 2;
    sample.run_wait_ns += STALL_RUN_WAIT_NS;
    process_stalls_take(stalls, &sample, 20 * MS);
    process_stalls_pass(stalls, 20 * MS, 21 * MS + STALL_PASS_NS);
    process_stalls_wake(stalls, 50 * MS, 51 * MS + STALL_LATE_NS);
    assert_int_equal(process_stalls_count(stalls), 5);
    const stall *newest = process_stalls_at(stalls, 0);
    assert_int_equal(newest->kind, STALL_LATE_WAKE);
    assert_int_equal(newest->mono_ns, 51 * MS + STALL_LATE_NS);
    assert_int_equal(newest->length_ns, 1 * MS + STALL_LATE_NS);
    assert_int_equal(process_stalls_at(stalls, 1)->kind, STALL_SLOW_PASS);
    assert_int_equal(process_stalls_at(stalls, 2)->kind, STALL_RUN_WAIT);
    assert_int_equal(process_stalls_at(stalls, 3)->kind, STALL_MINOR_FAULTS_BURST);
    assert_int_equal(process_stalls_at(stalls, 4)->kind, STALL_MAJOR_FAULTS);
    assert_int_equal(process_stalls_at(stalls, 4)->count, 2);
    const stall_tally tally = process_stalls_end_tally(stalls);
    assert_int_equal(tally.slow_passes, 1);
    assert_int_equal(tally.late_wakes, 1);
    assert_int_equal(tally.major_faults, 2);
    assert_int_equal(tally.minor_faults, 2 * STALL_MINOR_FAULTS - 1);
    assert_int_equal(tally.involuntary_switches, 4);
    assert_int_equal(tally.run_wait_ns, 2 * STALL_RUN_WAIT_NS - 1);
    assert_int_equal(tally.longest_pass_ns, STALL_PASS_NS + 1 * MS);
    assert_true(tally.run_wait_known);
    const stall_tally after = process_stalls_end_tally(stalls);
    assert_int_equal(after.slow_passes + after.late_wakes + after.minor_faults, 0);
    assert_false(after.run_wait_known);
    process_stalls_close(stalls);
}

static void the_list_is_bounded_and_says_what_it_forgot(void **state)
{
    (void)state;
    process_stalls *stalls = NULL;
    assert_int_equal(process_stalls_open(&stalls), TG_OK);
    for (int64_t i = 0; i < PROCESS_STALLS_SIZE + 10; i++) {
        process_stalls_pass(stalls, 0, STALL_PASS_NS + 1 + i);
    }
    assert_int_equal(process_stalls_count(stalls), PROCESS_STALLS_SIZE);
    assert_int_equal(process_stalls_forgotten(stalls), 10);
    assert_int_equal(process_stalls_at(stalls, 0)->length_ns,
                     STALL_PASS_NS + PROCESS_STALLS_SIZE + 10);
    assert_int_equal(process_stalls_at(stalls, PROCESS_STALLS_SIZE - 1)->length_ns,
                     STALL_PASS_NS + 11);
    process_stalls_close(stalls);
}

/* Touching memory for the first time is what the system counts as minor faults. */
static void faults_of_this_process_are_seen(void **state)
{
    (void)state;
    process_stalls *stalls = NULL;
    assert_int_equal(process_stalls_open(&stalls), TG_OK);
    process_sample sample = process_stalls_look(stalls);
    process_stalls_take(stalls, &sample, 0);
    const size_t size = (size_t)64 << 20;
    unsigned char *memory = malloc(size);
    assert_non_null(memory);
    for (size_t at = 0; at < size; at += 4096) {
        ((volatile unsigned char *)memory)[at] = 1;
    }
    sample = process_stalls_look(stalls);
    process_stalls_take(stalls, &sample, 1);
    free(memory);
    assert_true(process_stalls_end_tally(stalls).minor_faults > 0);
    process_stalls_close(stalls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_long_or_many_is_listed_and_everything_is_counted),
        cmocka_unit_test(the_list_is_bounded_and_says_what_it_forgot),
        cmocka_unit_test(faults_of_this_process_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
