/* A thousand engines at a time, as bench/sdk/bench_storm has ten thousand: that no change of the
 * policy brings the herd back. The controls show that a herd would be seen. */
#include "tg_cmocka.h"

#include "storm.h"

/* A thousand are few: by chance alone 100 ms have twice their share now and then. */
#define PEAK_MAX 4.5

static storm_options thousand(void)
{
    storm_options options;
    storm_options_init(&options);
    options.clients = 1000;
    options.upgrades_per_s = 120;
    options.upgrade_burst = 250;
    return options;
}

static void check(const storm_result *r)
{
    print_message("peak %.2f x mean, %u early, %u not live, %.2f s of %.2f, %u refused\n",
                  r->peak_over_mean, (unsigned)r->early_connects, (unsigned)r->not_live, r->seconds,
                  r->limit_seconds, (unsigned)r->refusals);
    assert_true(r->peak_over_mean <= PEAK_MAX);
    assert_int_equal(r->early_connects, 0);
    assert_int_equal(r->not_live, 0);
    assert_true(r->seconds <= r->limit_seconds);
}

static void a_gateway_that_was_dead_for_30_s_meets_no_herd(void **state)
{
    (void)state;
    const storm_options options = thousand();
    storm_result result;
    storm_outage(&options, 30000, &result);
    check(&result);
    assert_int_equal(result.admissions, options.clients);
    assert_true(result.attempts_dead > 4 * options.clients);
}

static void a_fleet_that_is_too_much_comes_back_by_the_turns_that_it_was_given(void **state)
{
    (void)state;
    storm_options options = thousand();
    options.upgrades_per_s = 60;
    options.upgrade_burst = 125;
    storm_result result;
    storm_outage(&options, 30000, &result);
    check(&result);
    assert_true(result.refusals > options.clients / 4);
    assert_int_equal(result.admissions, options.clients);
}

static void one_time_for_all_does_not_bring_all_back_at_one_time(void **state)
{
    (void)state;
    storm_options options = thousand();
    options.upgrades_per_s = 60;
    options.upgrade_burst = 125;
    options.refusal = STORM_REFUSAL_ONE;
    storm_result result;
    storm_outage(&options, 30000, &result);
    check(&result);
    assert_true(result.refusals > options.clients / 8);
}

/* Clients that took it for a failure of TLS would wait for somebody to repair it. */
static void a_balancer_that_accepts_and_closes_slows_nobody_down(void **state)
{
    (void)state;
    storm_options options = thousand();
    options.hangs_up = true;
    storm_result result;
    storm_outage(&options, 30000, &result);
    check(&result);
    assert_true(result.attempts_dead > 4 * options.clients);
}

/* All were stable: without being told, every first window would be 500 ms. */
static void a_short_outage_of_a_gateway_that_told_its_spread_meets_no_herd(void **state)
{
    (void)state;
    const storm_options options = thousand();
    storm_result result;
    storm_outage(&options, 200, &result);
    check(&result);
    assert_int_equal(result.admissions, options.clients);
}

static void a_gateway_that_hung_for_six_seconds_meets_no_herd(void **state)
{
    (void)state;
    const storm_options options = thousand();
    storm_result result;
    storm_pause(&options, 6000, &result);
    check(&result);
    assert_true(result.attempts >= options.clients);
}

static void another_dictionary_brings_nobody_back_with_all_others(void **state)
{
    (void)state;
    const storm_options options = thousand();
    storm_result result;
    storm_generation(&options, &result);
    check(&result);
    assert_true(result.attempts >= options.clients);
}

static void check_resyncs(const storm_result *r, uint32_t clients)
{
    print_message("%llu asked, %u in 100 ms, %.2f x mean\n", (unsigned long long)r->resyncs,
                  (unsigned)r->peak_resyncs_100ms, r->resync_peak_over_mean);
    assert_true(r->resyncs >= clients);
    assert_true(r->resync_peak_over_mean <= 3.0);
    assert_int_equal(r->attempts, 0);
    assert_int_equal(r->not_live, 0);
}

static void a_boundary_that_is_lost_for_all_is_not_asked_for_by_all_at_once(void **state)
{
    (void)state;
    const storm_options options = thousand();
    storm_result result;
    storm_gap(&options, &result);
    check_resyncs(&result, options.clients);
}

static void a_channel_that_is_silent_for_all_is_not_asked_for_by_all_at_once(void **state)
{
    (void)state;
    storm_options options = thousand();
    for (int untold = 0; untold < 2; untold++) {
        options.untold = untold != 0; /* told or not */
        storm_result result;
        storm_stall(&options, 6500, &result);
        check_resyncs(&result, options.clients);
    }
}

static void control_a_fleet_that_is_not_told_its_spread_is_seen_as_a_herd(void **state)
{
    (void)state;
    storm_options options = thousand();
    options.untold = true;
    storm_result result;
    storm_outage(&options, 200, &result);
    print_message("peak %.2f x mean\n", result.peak_over_mean);
    assert_true(result.peak_over_mean > 2 * PEAK_MAX);
    storm_pause(&options, 6000, &result);
    print_message("peak %.2f x mean\n", result.peak_over_mean);
    assert_true(result.peak_over_mean > PEAK_MAX);
    storm_generation(&options, &result);
    print_message("peak %.2f x mean\n", result.peak_over_mean);
    assert_true(result.peak_over_mean > PEAK_MAX);
    storm_gap(&options, &result);
    print_message("peak %.2f x mean\n", result.resync_peak_over_mean);
    assert_true(result.resync_peak_over_mean > PEAK_MAX);
}

/* Every attempt hangs until its deadline, so that all have the same one. Some wait for the kernel's
 * next SYN when the machine is back: those are not the policy's. */
static void a_machine_that_does_not_answer_at_all_meets_no_herd_either(void **state)
{
    (void)state;
    storm_options options = thousand();
    options.silent = true;
    storm_result result;
    storm_outage(&options, 30000, &result);
    print_message("peak %u, %u not live, %u refused\n", (unsigned)result.peak_attempts_100ms,
                  (unsigned)result.not_live, (unsigned)result.refusals);
    /* The mean says nothing here: most are let in without another attempt. */
    assert_true(result.peak_attempts_100ms <= 2 * options.upgrades_per_s / 10);
    assert_int_equal(result.early_connects, 0);
    assert_true(result.not_live < options.clients / 100);
    assert_true(result.refusals < options.clients / 20);
}

static void a_drain_ends_within_a_minute_and_nobody_is_refused(void **state)
{
    (void)state;
    const storm_options options = thousand();
    storm_result result;
    storm_drain(&options, &result);
    check(&result);
    assert_int_equal(result.refusals, 0);
    assert_int_equal(result.admissions, options.clients);
}

static void control_a_fleet_of_equal_steps_is_seen_as_a_herd(void **state)
{
    (void)state;
    storm_options options = thousand();
    options.equal_steps = true;
    storm_result result;
    storm_outage(&options, 30000, &result);
    print_message("peak %.2f x mean\n", result.peak_over_mean);
    assert_true(result.peak_over_mean > 2 * PEAK_MAX);
}

static void control_a_fleet_that_is_not_told_its_turn_comes_too_early(void **state)
{
    (void)state;
    storm_options options = thousand();
    options.upgrades_per_s = 60;
    options.upgrade_burst = 125;
    options.refusal = STORM_REFUSAL_IGNORED;
    storm_result result;
    storm_outage(&options, 30000, &result);
    assert_true(result.early_connects > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gateway_that_was_dead_for_30_s_meets_no_herd),
        cmocka_unit_test(a_fleet_that_is_too_much_comes_back_by_the_turns_that_it_was_given),
        cmocka_unit_test(one_time_for_all_does_not_bring_all_back_at_one_time),
        cmocka_unit_test(a_balancer_that_accepts_and_closes_slows_nobody_down),
        cmocka_unit_test(a_short_outage_of_a_gateway_that_told_its_spread_meets_no_herd),
        cmocka_unit_test(a_gateway_that_hung_for_six_seconds_meets_no_herd),
        cmocka_unit_test(another_dictionary_brings_nobody_back_with_all_others),
        cmocka_unit_test(a_boundary_that_is_lost_for_all_is_not_asked_for_by_all_at_once),
        cmocka_unit_test(a_channel_that_is_silent_for_all_is_not_asked_for_by_all_at_once),
        cmocka_unit_test(control_a_fleet_that_is_not_told_its_spread_is_seen_as_a_herd),
        cmocka_unit_test(a_machine_that_does_not_answer_at_all_meets_no_herd_either),
        cmocka_unit_test(a_drain_ends_within_a_minute_and_nobody_is_refused),
        cmocka_unit_test(control_a_fleet_of_equal_steps_is_seen_as_a_herd),
        cmocka_unit_test(control_a_fleet_that_is_not_told_its_turn_comes_too_early),
    };
    return cmocka_run_group_tests_name("sdk.storm", tests, NULL, NULL);
}
