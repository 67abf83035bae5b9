#include "tg_cmocka.h"

#include <stddef.h>
#include <string.h>

#include "swarm_client.h"

/* What follows struct_size: each number of 64 bits gets another value. */
static void fill(void *counters, size_t size, uint64_t first)
{
    for (size_t at = sizeof(size_t); at < size; at += sizeof first, first++) {
        memcpy((unsigned char *)counters + at, &first, sizeof first);
    }
}

static void a_sum_lacks_no_counter(void **state)
{
    (void)state;
    swarm_counts sum;
    swarm_counts one;
    swarm_counts_init(&sum);
    swarm_counts_init(&one);
    fill(&one.session, sizeof one.session, 1000);
    fill(&one.store, sizeof one.store, 2000);
    one.publications = 1;
    one.rows = 2;
    one.first_rows = 3;
    one.regressions = 4;
    one.restarts = 5;
    one.faults = 6;
    one.refused = 7;
    one.lost_links = 8;
    one.samples_left_out = 9;
    swarm_counts_add(&sum, &one);
    assert_memory_equal(&sum, &one, sizeof sum);
}

static void counts_add_up_and_the_worst_is_kept_of_the_rest(void **state)
{
    (void)state;
    swarm_counts sum;
    swarm_counts one;
    swarm_counts_init(&sum);
    swarm_counts_init(&one);
    assert_int_equal(sum.session.rtt_ns, -1);
    one.session.frames_late = 3;
    one.store.lost = 4;
    one.session.rtt_ns = 700;
    one.session.rtt_mono_ns = 50;
    one.session.ts_gateway_ns = 90;
    one.session.lateness_ns = 20;
    one.session.endpoint = 2;
    swarm_counts_add(&sum, &one);
    one.session.rtt_ns = 600;
    one.session.rtt_mono_ns = 60;
    one.session.ts_gateway_ns = 95;
    one.session.lateness_ns = 10;
    one.session.endpoint = 1;
    swarm_counts_add(&sum, &one);
    assert_int_equal(sum.session.frames_late, 6);
    assert_int_equal(sum.store.lost, 8);
    assert_int_equal(sum.session.rtt_ns, 700);
    assert_int_equal(sum.session.rtt_mono_ns, 50); /* of that one */
    assert_int_equal(sum.session.ts_gateway_ns, 95);
    assert_int_equal(sum.session.lateness_ns, 20);
    assert_int_equal(sum.session.endpoint, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_lacks_no_counter),
        cmocka_unit_test(counts_add_up_and_the_worst_is_kept_of_the_rest),
    };
    return cmocka_run_group_tests_name("swarm.swarm_client", tests, NULL, NULL);
}
