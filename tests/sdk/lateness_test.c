#include "tg_cmocka.h"

#include "lateness.h"

#define S   INT64_C(1000000000)
#define MS  INT64_C(1000000)
#define UTC (INT64_C(1700000000) * S) /* of the gateway when our clock shows 0 */

/* Sent, stamped by the gateway that long after, received that long after that. */
static void echo(tg__lateness *l, int64_t sent_ns, int64_t there_ns, int64_t back_ns)
{
    tg__lateness_echo(l, sent_ns, sent_ns + there_ns + back_ns, UTC + sent_ns + there_ns);
}

static int64_t frame(tg__lateness *l, int64_t made_ns, int64_t after_ns)
{
    return tg__lateness_frame(l, made_ns + after_ns, UTC + made_ns);
}

/* Drift apart, which grows by 1/2000 of the time that passes. */
static void assert_about(int64_t ns, int64_t expected_ns)
{
    assert_in_range(ns - expected_ns + 20 * MS, 0, 40 * MS);
}

static void a_frame_is_late_by_what_it_exceeds_the_fastest_way_by(void **state)
{
    (void)state;
    tg__lateness l = {0};
    echo(&l, S, 10 * MS, 10 * MS);
    assert_int_equal(frame(&l, 2 * S, 5 * MS), 0);
    assert_about(frame(&l, 3 * S, 4 * S), 4 * S - 5 * MS);
}

static void before_any_answer_the_fastest_frame_is_the_measure(void **state)
{
    (void)state;
    tg__lateness l = {0};
    assert_int_equal(frame(&l, S, 300 * MS), 0);
    assert_int_equal(frame(&l, 2 * S, 30 * MS), 0);
    assert_about(frame(&l, 3 * S, 2 * S), 2 * S - 30 * MS);
}

/* The answer lies behind the same backlog: it must not make lateness the new measure. */
static void an_answer_behind_a_backlog_moves_nothing(void **state)
{
    (void)state;
    tg__lateness l = {0};
    echo(&l, S, 10 * MS, 10 * MS);
    echo(&l, 2 * S, 10 * MS, 9 * S);
    assert_about(frame(&l, 3 * S, 9 * S), 9 * S);
    echo(&l, 13 * S, 400 * MS, 0); /* on the way there it is no better */
    assert_about(frame(&l, 14 * S, 2 * S), 2 * S);
}

static void a_late_answer_is_better_than_none(void **state)
{
    (void)state;
    tg__lateness l = {0};
    assert_int_equal(frame(&l, S, 8 * S), 0); /* nothing is known */
    echo(&l, 2 * S, 10 * MS, 8 * S);
    echo(&l, 11 * S, 10 * MS, 3 * S); /* the best so far */
    assert_about(frame(&l, 15 * S, 5 * S), 2 * S);
}

static void a_gateway_whose_clock_is_set_back_is_late_until_the_next_answer(void **state)
{
    (void)state;
    tg__lateness l = {0};
    echo(&l, S, 10 * MS, 10 * MS);
    assert_about(tg__lateness_frame(&l, 2 * S, UTC + 2 * S - 7 * S), 7 * S);
    tg__lateness_echo(&l, 2 * S, 2 * S + 20 * MS, UTC + 2 * S + 10 * MS - 7 * S);
    assert_about(tg__lateness_frame(&l, 3 * S, UTC + 3 * S - 7 * S), 0);
    assert_about(tg__lateness_frame(&l, 4 * S, UTC + S - 7 * S), 3 * S);
}

static void a_gateway_whose_clock_is_set_forward_is_understood_at_once(void **state)
{
    (void)state;
    tg__lateness l = {0};
    echo(&l, S, 10 * MS, 10 * MS);
    assert_int_equal(tg__lateness_frame(&l, 2 * S, UTC + 2 * S + 50 * S), 0);
    assert_about(tg__lateness_frame(&l, 5 * S, UTC + 2 * S + 50 * S), 3 * S);
    tg__lateness_echo(&l, 6 * S, 6 * S + 20 * MS, UTC + 6 * S + 10 * MS + 50 * S);
    assert_about(tg__lateness_frame(&l, 9 * S, UTC + 7 * S + 50 * S), 2 * S);
}

/* 80 ms in each second, as some time daemons do: the bounds are contradicted by a little, and that
 * is no licence for an answer behind a backlog. */
static void a_gateway_whose_clock_is_slewed_back_is_followed_no_farther_than_needed(void **state)
{
    (void)state;
    tg__lateness l = {0};
    int64_t back_ns = 0;
    for (int64_t s = 1; s < 100; s++, back_ns += 80 * MS) {
        tg__lateness_echo(&l, s * S, s * S + 20 * MS, UTC + s * S + 10 * MS - back_ns);
        assert_true(tg__lateness_frame(&l, s * S + 30 * MS, UTC + s * S - back_ns) < 200 * MS);
    }
    tg__lateness_echo(&l, 100 * S, 104 * S, UTC + 100 * S - back_ns);
    assert_true(tg__lateness_frame(&l, 104 * S, UTC + 101 * S - back_ns) > 2800 * MS);
}

static void clocks_that_drift_are_not_late(void **state)
{
    (void)state;
    tg__lateness l = {0};
    echo(&l, S, 10 * MS, 10 * MS);
    for (int64_t s = 2; s < 100000; s++) { /* a day, 0.4 ms slower each second, and no answer */
        assert_true(tg__lateness_frame(&l, s * S, UTC + s * S - s * 400000) < 20 * MS);
    }
}

/* What lay in the socket when the machine went to sleep is as late as the sleep was long. */
static void a_sleep_makes_older_frames_late_by_its_length(void **state)
{
    (void)state;
    tg__lateness l = {0};
    echo(&l, S, 10 * MS, 10 * MS);
    tg__lateness_slept(&l, 60 * S);
    assert_about(tg__lateness_frame(&l, 2 * S, UTC + 2 * S), 60 * S);
    assert_about(tg__lateness_frame(&l, 3 * S, UTC + 3 * S + 60 * S), 0);
}

static void times_of_no_sense_do_no_harm(void **state)
{
    (void)state;
    static const int64_t senseless[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
    tg__lateness l = {0};
    for (int i = 0; i < 36; i++) {
        assert_true(tg__lateness_frame(&l, S + i, senseless[i % 6]) >= 0);
        tg__lateness_echo(&l, S + i, 2 * S + i, senseless[i / 6]);
        tg__lateness_slept(&l, INT64_MAX / 2);
    }
    echo(&l, 3 * S, 10 * MS, 10 * MS);
    assert_about(frame(&l, 4 * S, 2 * S), 2 * S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_late_by_what_it_exceeds_the_fastest_way_by),
        cmocka_unit_test(before_any_answer_the_fastest_frame_is_the_measure),
        cmocka_unit_test(an_answer_behind_a_backlog_moves_nothing),
        cmocka_unit_test(a_late_answer_is_better_than_none),
        cmocka_unit_test(a_gateway_whose_clock_is_set_back_is_late_until_the_next_answer),
        cmocka_unit_test(a_gateway_whose_clock_is_set_forward_is_understood_at_once),
        cmocka_unit_test(a_gateway_whose_clock_is_slewed_back_is_followed_no_farther_than_needed),
        cmocka_unit_test(clocks_that_drift_are_not_late),
        cmocka_unit_test(a_sleep_makes_older_frames_late_by_its_length),
        cmocka_unit_test(times_of_no_sense_do_no_harm),
    };
    return cmocka_run_group_tests_name("sdk.lateness", tests, NULL, NULL);
}
