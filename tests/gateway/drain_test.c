#include "tg_cmocka.h"

#include "drain.h"

#define MS INT64_C(1000000)

/* Plays a drain in steps of 10 ms and returns how many steps closed somebody. */
static unsigned play(tg__drain *drain, int64_t start_ns, uint32_t *told, int64_t *last_ns)
{
    unsigned steps = 0;
    *told = 0;
    *last_ns = start_ns;
    for (int64_t now = start_ns; !tg__drain_is_late(drain, now); now += 10 * MS) {
        const uint32_t step = tg__drain_step(drain, now);
        if (step > 0) {
            steps++;
            *told += step;
            *last_ns = now;
        }
    }
    return steps;
}

static void four_thousand_and_two_hundred_take_fifty_steps(void **state)
{
    (void)state;
    tg__drain drain = {.started = false};
    uint32_t told = 0;
    int64_t last_ns = 0;
    tg__drain_start(&drain, 4200, TG__DRAIN_PERCENT, TG__DRAIN_INTERVAL_MS, 7 * MS);
    assert_int_equal(drain.step_size, 84);
    assert_int_equal(play(&drain, 7 * MS, &told, &last_ns), 50);
    assert_int_equal(told, 4200);
    /* The first step is at once, the fiftieth's interval ends after 12.5 s. */
    assert_true(last_ns == 7 * MS + 49 * 250 * MS);
    assert_true(drain.next_mono_ns == 7 * MS + 12500 * MS);
}

static void few_connections_go_soon_and_none_at_once(void **state)
{
    (void)state;
    static const struct {
        uint32_t connections;
        uint32_t percent;
        unsigned steps;
    } cases[] = {{0, 2, 0},   {1, 2, 1},    {3, 2, 3},      {50, 2, 50},
                 {51, 2, 26}, {51, 100, 1}, {4200, 1, 100}, {UINT32_MAX, 100, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg__drain drain = {.started = false};
        uint32_t told = 0;
        int64_t last_ns = 0;
        tg__drain_start(&drain, cases[i].connections, cases[i].percent, 250, 0);
        assert_int_equal(play(&drain, 0, &told, &last_ns), cases[i].steps);
        assert_true(told >= cases[i].connections); /* nobody is forgotten */
    }
}

/* Connections must not be closed in a burst because the machine was away. */
static void missed_steps_are_not_made_up_for(void **state)
{
    (void)state;
    tg__drain drain = {.started = false};
    tg__drain_start(&drain, 1000, 2, 250, 0);
    assert_int_equal(tg__drain_step(&drain, 0), 20);
    assert_int_equal(tg__drain_step(&drain, 100 * MS), 0);
    assert_int_equal(tg__drain_step(&drain, 260 * MS), 20);
    assert_int_equal(tg__drain_step(&drain, 499 * MS), 0);
    assert_int_equal(tg__drain_step(&drain, 500 * MS), 20); /* a small delay does not add up */
    assert_int_equal(tg__drain_step(&drain, 60000 * MS), 20);
    assert_int_equal(tg__drain_step(&drain, 60000 * MS), 0);
    assert_int_equal(tg__drain_step(&drain, 60249 * MS), 0);
    assert_int_equal(tg__drain_step(&drain, 60250 * MS), 20);
}

static void the_last_ones_have_two_seconds_to_answer(void **state)
{
    (void)state;
    tg__drain drain = {.started = false};
    tg__drain_start(&drain, 2, 2, 250, 0);
    assert_int_equal(tg__drain_step(&drain, 0), 1);
    assert_false(tg__drain_is_late(&drain, 60000 * MS)); /* one has not been told yet */
    assert_int_equal(tg__drain_step(&drain, 60000 * MS), 1);
    assert_false(tg__drain_is_late(&drain, 61999 * MS));
    assert_true(tg__drain_is_late(&drain, 62000 * MS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_thousand_and_two_hundred_take_fifty_steps),
        cmocka_unit_test(few_connections_go_soon_and_none_at_once),
        cmocka_unit_test(missed_steps_are_not_made_up_for),
        cmocka_unit_test(the_last_ones_have_two_seconds_to_answer),
    };
    return cmocka_run_group_tests_name("gateway.drain", tests, NULL, NULL);
}
