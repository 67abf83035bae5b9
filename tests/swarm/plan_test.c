#include "tg_cmocka.h"

#include <stdbool.h>

#include "plan.h"
#include "scenario.h"

static void nobody_connects_twice_or_leaves_without_being_there(void **state)
{
    (void)state;
    const scenario s = {SCENARIO_VPN_LOSS, 50, 1000, 60, 3};
    trace t = {NULL, 0, 0};
    plan p;
    bool there[50] = {false};
    bool by_reset[50] = {false};
    scenario_generate(&s, &t);
    assert_true(trace_peak(&t) <= 50);
    plan_init(&p, &t, 50, 9);
    assert_int_equal(p.count, t.count);
    for (size_t i = 0; i < p.count; i++) {
        const plan_step *const step = &p.steps[i];
        assert_in_range(step->client, 0, 49);
        assert_int_equal(step->time_ms, t.events[i].time_ms);
        assert_int_equal(step->kind, t.events[i].kind);
        assert_int_equal(there[step->client], step->kind != TRACE_CONNECT);
        there[step->client] = step->kind == TRACE_CONNECT;
        if (step->kind == TRACE_CONNECT) {
            by_reset[step->client] = step->ends_by_reset;
        } else {
            assert_int_equal(by_reset[step->client], step->kind == TRACE_RESET);
        }
    }
    plan_deinit(&p);
    trace_deinit(&t);
}

static void who_was_away_longest_comes_next(void **state)
{
    (void)state;
    trace t = {NULL, 0, 0};
    plan p;
    trace_add(&t, 0, TRACE_CONNECT);
    trace_add(&t, 1, TRACE_RESET);
    trace_add(&t, 2, TRACE_CONNECT);
    trace_add(&t, 3, TRACE_CLOSE);
    trace_add(&t, 4, TRACE_CONNECT);
    plan_init(&p, &t, 2, 1);
    assert_int_equal(p.steps[0].client, 0);
    assert_true(p.steps[0].ends_by_reset);
    assert_int_equal(p.steps[2].client, 1);
    assert_false(p.steps[2].ends_by_reset);
    assert_int_equal(p.steps[4].client, 0);
    assert_false(p.steps[4].ends_by_reset);
    plan_deinit(&p);
    trace_deinit(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_connects_twice_or_leaves_without_being_there),
        cmocka_unit_test(who_was_away_longest_comes_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
