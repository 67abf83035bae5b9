#include "tg_cmocka.h"

#include "scenario.h"

static trace generated(scenario_kind kind, uint64_t seed)
{
    const scenario s = {kind, 200, 8000, 30, seed};
    trace t = {NULL, 0, 0};
    scenario_generate(&s, &t);
    for (size_t i = 1; i < t.count; i++) {
        assert_true(t.events[i - 1].time_ms <= t.events[i].time_ms);
    }
    return t;
}

static size_t count_of(const trace *t, trace_kind kind, int64_t before_ms)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        count += t->events[i].kind == kind && t->events[i].time_ms < before_ms;
    }
    return count;
}

static void the_open_crowds_at_its_beginning(void **state)
{
    (void)state;
    trace t = generated(SCENARIO_OPEN, 1);
    assert_int_equal(t.count, 200);
    assert_int_equal(count_of(&t, TRACE_CONNECT, 8000), 200);
    /* A cube: half of them within an eighth of the time. Four standard deviations are 28. */
    assert_in_range(count_of(&t, TRACE_CONNECT, 1000), 72, 128);
    trace_deinit(&t);
}

static void a_release_brings_all_within_a_tenth_of_a_second(void **state)
{
    (void)state;
    trace t = generated(SCENARIO_RELEASE, 1);
    assert_int_equal(count_of(&t, TRACE_CONNECT, 100), 200);
    trace_deinit(&t);
}

static void at_a_deploy_the_gateway_sends_them_away_not_the_trace(void **state)
{
    (void)state;
    trace t = generated(SCENARIO_DEPLOY, 1);
    assert_int_equal(count_of(&t, TRACE_CONNECT, INT64_MAX), 200);
    assert_int_equal(t.count, 200);
    trace_deinit(&t);
}

static void a_vpn_loss_cuts_a_share_at_once_and_brings_it_back(void **state)
{
    (void)state;
    trace t = generated(SCENARIO_VPN_LOSS, 1);
    const int64_t loss_ms = 8000 + SCENARIO_SETTLE_MS;
    const size_t resets = count_of(&t, TRACE_RESET, INT64_MAX);
    const size_t closes = count_of(&t, TRACE_CLOSE, INT64_MAX);
    assert_int_equal(resets + closes, 60);
    assert_int_equal(resets, 4); /* 6 % of 60, rounded up */
    assert_int_equal(count_of(&t, TRACE_RESET, loss_ms) + count_of(&t, TRACE_CLOSE, loss_ms), 0);
    assert_int_equal(count_of(&t, TRACE_CLOSE, loss_ms + 200), closes);
    assert_int_equal(count_of(&t, TRACE_CONNECT, loss_ms + SCENARIO_OUTAGE_MS), 200);
    assert_int_equal(count_of(&t, TRACE_CONNECT, INT64_MAX), 260);
    trace_deinit(&t);
}

static void a_seed_gives_one_trace_and_another_seed_another(void **state)
{
    (void)state;
    trace a = generated(SCENARIO_VPN_LOSS, 5);
    trace b = generated(SCENARIO_VPN_LOSS, 5);
    trace c = generated(SCENARIO_VPN_LOSS, 6);
    size_t differ = 0;
    assert_int_equal(a.count, b.count);
    for (size_t i = 0; i < a.count; i++) {
        assert_int_equal(a.events[i].time_ms, b.events[i].time_ms);
        assert_int_equal(a.events[i].kind, b.events[i].kind);
        differ += a.events[i].time_ms != c.events[i].time_ms;
    }
    assert_true(differ > 0);
    trace_deinit(&a);
    trace_deinit(&b);
    trace_deinit(&c);
}

static void only_four_names_are_scenarios(void **state)
{
    (void)state;
    scenario_kind kind = SCENARIO_OPEN;
    assert_true(scenario_parse("vpn-loss", &kind));
    assert_int_equal(kind, SCENARIO_VPN_LOSS);
    assert_false(scenario_parse("vpn", &kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_open_crowds_at_its_beginning),
        cmocka_unit_test(a_release_brings_all_within_a_tenth_of_a_second),
        cmocka_unit_test(at_a_deploy_the_gateway_sends_them_away_not_the_trace),
        cmocka_unit_test(a_vpn_loss_cuts_a_share_at_once_and_brings_it_back),
        cmocka_unit_test(a_seed_gives_one_trace_and_another_seed_another),
        cmocka_unit_test(only_four_names_are_scenarios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
