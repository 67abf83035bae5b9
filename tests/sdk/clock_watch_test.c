#include "tg_cmocka.h"

#include "clock_watch.h"

#define S  INT64_C(1000000000)
#define MS INT64_C(1000000)

/* A machine whose clocks the test moves; the thread may lose time at one of its readings. */
typedef struct machine {
    int64_t mono_ns;
    int64_t boottime_ns;
    int64_t utc_ns;
    int readings;
    int lose_at; /* before this reading, from 1; 0: never */
    int64_t lose_ns;
} machine;

static void pass(machine *m, int64_t ns)
{
    m->mono_ns += ns;
    m->boottime_ns += ns;
    m->utc_ns += ns;
}

static void fall_asleep(machine *m, int64_t ns)
{
    m->boottime_ns += ns;
    m->utc_ns += ns;
}

static void count_reading(machine *m)
{
    pass(m, 20); /* a reading takes a moment */
    if (++m->readings == m->lose_at) {
        pass(m, m->lose_ns);
    }
}

static int64_t mono(void *ctx)
{
    count_reading(ctx);
    return ((machine *)ctx)->mono_ns;
}

static int64_t boottime(void *ctx)
{
    count_reading(ctx);
    return ((machine *)ctx)->boottime_ns;
}

static int64_t utc(void *ctx)
{
    count_reading(ctx);
    return ((machine *)ctx)->utc_ns;
}

static tg__clock_watch watch_of(machine *m, bool with_boottime)
{
    tg__clock_watch watch;
    const tg_clock clock = {mono, utc, m, with_boottime ? boottime : NULL};
    *m = (machine){.mono_ns = 5 * S, .boottime_ns = 70 * S, .utc_ns = 1700000000 * S};
    tg__clock_watch_init(&watch, &clock);
    return watch;
}

/* With the time of arrival that the driver has anyway. */
static bool look(tg__clock_watch *watch, machine *m, tg__clock_jump *jump)
{
    m->readings = 0;
    return tg__clock_watch_look(watch, mono(m), jump);
}

static void assert_near(int64_t ns, int64_t expected_ns)
{
    assert_in_range(ns - expected_ns + MS, 0, 2 * MS);
}

static void the_first_look_and_time_that_passes_find_nothing(void **state)
{
    (void)state;
    machine m;
    tg__clock_jump jump;
    tg__clock_watch watch = watch_of(&m, true);
    for (int i = 0; i < 100; i++) {
        assert_false(look(&watch, &m, &jump));
        pass(&m, i * S);
    }
}

static void a_sleep_is_told_once_and_with_its_length(void **state)
{
    (void)state;
    machine m;
    tg__clock_jump jump;
    tg__clock_watch watch = watch_of(&m, true);
    assert_false(look(&watch, &m, &jump));
    fall_asleep(&m, 42 * S);
    assert_true(look(&watch, &m, &jump));
    assert_near(jump.slept_ns, 42 * S);
    assert_int_equal(jump.stepped_ns, 0); /* the wall clock went on as it should */
    assert_false(look(&watch, &m, &jump));
    fall_asleep(&m, 150 * MS);
    assert_true(look(&watch, &m, &jump));
    assert_near(jump.slept_ns, 150 * MS);
}

static void naps_add_up_to_a_sleep(void **state)
{
    (void)state;
    machine m;
    tg__clock_jump jump;
    tg__clock_watch watch = watch_of(&m, true);
    assert_false(look(&watch, &m, &jump));
    fall_asleep(&m, 60 * MS);
    assert_false(look(&watch, &m, &jump));
    fall_asleep(&m, 60 * MS);
    assert_true(look(&watch, &m, &jump));
    assert_near(jump.slept_ns, 120 * MS);
}

static void a_clock_that_is_set_is_told_with_its_direction(void **state)
{
    (void)state;
    machine m;
    tg__clock_jump jump;
    tg__clock_watch watch = watch_of(&m, true);
    assert_false(look(&watch, &m, &jump));
    m.utc_ns += 3600 * S;
    assert_true(look(&watch, &m, &jump));
    assert_near(jump.stepped_ns, 3600 * S);
    assert_int_equal(jump.slept_ns, 0);
    assert_false(look(&watch, &m, &jump));
    m.utc_ns -= 2 * S;
    assert_true(look(&watch, &m, &jump));
    assert_near(jump.stepped_ns, -2 * S);
    fall_asleep(&m, 5 * S);
    m.utc_ns -= 9 * S;
    assert_true(look(&watch, &m, &jump));
    assert_near(jump.slept_ns, 5 * S);
    assert_near(jump.stepped_ns, -9 * S);
}

static void slewing_is_followed_however_far_it_leads(void **state)
{
    (void)state;
    machine m;
    tg__clock_jump jump;
    tg__clock_watch watch = watch_of(&m, true);
    assert_false(look(&watch, &m, &jump));
    for (int i = 0; i < 1000; i++) {
        pass(&m, 2 * S);
        m.utc_ns += 166 * MS; /* the fastest that a time daemon does */
        assert_false(look(&watch, &m, &jump));
    }
    m.utc_ns -= 900 * MS;
    assert_true(look(&watch, &m, &jump));
}

/* As by SIGSTOP: wherever it happens, no clock has stood still and none was set. */
static void a_thread_that_is_kept_from_running_has_not_slept(void **state)
{
    (void)state;
    for (int with_boottime = 0; with_boottime <= 1; with_boottime++) {
        for (int at = 1; at <= 12; at++) {
            machine m;
            tg__clock_jump jump;
            tg__clock_watch watch = watch_of(&m, with_boottime != 0);
            assert_false(look(&watch, &m, &jump));
            m.lose_at = at;
            m.lose_ns = 30 * S;
            assert_false(look(&watch, &m, &jump));
            m.lose_at = 0;
            assert_false(look(&watch, &m, &jump));
            fall_asleep(&m, S); /* and it still sees what is one */
            assert_true(look(&watch, &m, &jump));
        }
    }
}

static void without_boottime_a_sleep_looks_like_a_step(void **state)
{
    (void)state;
    machine m;
    tg__clock_jump jump;
    tg__clock_watch watch = watch_of(&m, false);
    assert_false(look(&watch, &m, &jump));
    fall_asleep(&m, 42 * S);
    assert_true(look(&watch, &m, &jump));
    assert_int_equal(jump.slept_ns, 0);
    assert_near(jump.stepped_ns, 42 * S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_look_and_time_that_passes_find_nothing),
        cmocka_unit_test(a_sleep_is_told_once_and_with_its_length),
        cmocka_unit_test(naps_add_up_to_a_sleep),
        cmocka_unit_test(a_clock_that_is_set_is_told_with_its_direction),
        cmocka_unit_test(slewing_is_followed_however_far_it_leads),
        cmocka_unit_test(a_thread_that_is_kept_from_running_has_not_slept),
        cmocka_unit_test(without_boottime_a_sleep_looks_like_a_step),
    };
    return cmocka_run_group_tests_name("sdk.clock_watch", tests, NULL, NULL);
}
