#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "clock_pair.h"
#include "seeded_random.h"

#define MS INT64_C(1000000)
#define S  (1000 * MS)

static tg__echo places[TG__ECHOES_MAX];

static tg__clock_pair empty_pair(void)
{
    memset(places, 0, sizeof places);
    return (tg__clock_pair){.echoes = places};
}

static void add(tg__clock_pair *pair, uint64_t cookie, int64_t sent_ns, int64_t received_ns)
{
    const tg__echo echo = {.cookie = cookie, .sent_ns = sent_ns, .received_ns = received_ns};
    tg__clock_pair_add(pair, &echo);
}

static void an_echo_bounds_the_difference_by_half_its_round_trip(void **state)
{
    (void)state;
    tg__clock_pair pair = empty_pair();
    add(&pair, 7, 10 * S, 10 * S + 2 * MS);
    assert_false(tg__clock_pair_seen(&pair, 8, 1));
    assert_true(tg__clock_pair_seen(&pair, 7, 15 * S + MS / 2));
    tg__clock_pair_close(&pair);
    assert_int_equal(pair.count, 1);
    const tg__clock_offset offset = tg__clock_pair_at(&pair, 10 * S + MS);
    /* Somewhere between 5 s + 0.5 ms and 5 s - 1.5 ms; 100 ppm of a ms on both sides. */
    assert_in_range(offset.ns - (5 * S - MS / 2) + 1, 0, 2);
    assert_in_range(offset.uncertainty_ns, MS + 100, MS + 101);
}

static void what_the_other_side_has_not_seen_says_nothing(void **state)
{
    (void)state;
    tg__clock_pair pair = empty_pair();
    add(&pair, 1, 1 * S, 1 * S + MS);
    add(&pair, 2, 2 * S, 2 * S + MS);
    add(&pair, 3, 3 * S, 3 * S - 1);  /* received before it was sent */
    add(&pair, 4, 1 * S, 1 * S + MS); /* out of order */
    assert_true(tg__clock_pair_seen(&pair, 2, 2 * S));
    assert_false(tg__clock_pair_seen(&pair, 3, 3 * S));
    assert_false(tg__clock_pair_seen(&pair, 4, 3 * S));
    tg__clock_pair_close(&pair);
    assert_int_equal(pair.count, 1);
    assert_int_equal(pair.echoes[0].cookie, 2);
}

static void uncertainty_grows_with_an_echos_age(void **state)
{
    (void)state;
    tg__clock_pair pair = empty_pair();
    add(&pair, 1, 0, 0);
    assert_true(tg__clock_pair_seen(&pair, 1, S));
    tg__clock_pair_close(&pair);
    const tg__clock_offset offset = tg__clock_pair_at(&pair, 3 * S);
    assert_int_equal(offset.ns, S);
    assert_int_equal(offset.uncertainty_ns, 3 * S / 1000000 * TG__CLOCK_DRIFT_PPM);
}

/* Clocks that run apart by less than is allowed, ways of any length and any share of it: the true
 * difference is never outside of what is told. */
static void the_true_difference_lies_within_the_uncertainty(void **state)
{
    (void)state;
    seeded_random random = random_start("clocks", 12);
    for (int round = 0; round < 50; round++) {
        tg__clock_pair pair = empty_pair();
        const int64_t apart_ns = (int64_t)random_below(&random, (uint64_t)(200 * S)) - 100 * S;
        const int64_t ppm = (int64_t)random_below(&random, 199) - 99;
        int64_t now_ns = 50 * S;
        /* Twice as many as are kept, in some rounds. */
        const uint64_t count =
            round % 10 == 0 ? 2 * TG__ECHOES_MAX + 77 : 1 + random_below(&random, 60);
        for (uint64_t i = 0; i < count; i++) {
            const int64_t forth_ns = (int64_t)random_below(&random, 5 * MS);
            const int64_t back_ns = (int64_t)random_below(&random, 5 * MS);
            add(&pair, i, now_ns, now_ns + forth_ns + back_ns);
            const int64_t at_ns = now_ns + forth_ns;
            /* The shortest of several may be kept: then others are not known. */
            (void)tg__clock_pair_seen(&pair, i, at_ns + apart_ns + at_ns / 1000000 * ppm);
            now_ns += 2 * S + (int64_t)random_below(&random, MS);
        }
        tg__clock_pair_close(&pair);
        assert_true(pair.count != 0 && pair.count <= TG__ECHOES_MAX);
        for (int i = 0; i < 200; i++) {
            const int64_t at_ns =
                50 * S + (int64_t)random_below(&random, (uint64_t)(now_ns - 49 * S));
            const int64_t truth_ns = apart_ns + at_ns / 1000000 * ppm;
            const tg__clock_offset offset = tg__clock_pair_at(&pair, at_ns);
            assert_true(offset.uncertainty_ns >= 0);
            assert_in_range(truth_ns - offset.ns + offset.uncertainty_ns + 200, 0,
                            2 * (uint64_t)offset.uncertainty_ns + 400);
        }
    }
}

static void echoes_that_contradict_each_other_leave_the_narrowest(void **state)
{
    (void)state;
    tg__clock_pair pair = empty_pair();
    add(&pair, 1, 10 * S, 10 * S + 4 * MS);
    add(&pair, 2, 11 * S, 11 * S + 2 * MS);
    assert_true(tg__clock_pair_seen(&pair, 1, 10 * S));
    assert_true(
        tg__clock_pair_seen(&pair, 2, 12 * S + MS)); /* the far clock was set on by a second */
    tg__clock_pair_close(&pair);
    const tg__clock_offset offset = tg__clock_pair_at(&pair, 11 * S);
    assert_in_range(offset.ns, S - 100, S + 100);
    assert_in_range(offset.uncertainty_ns, MS, MS + 200);
}

static void what_was_received_had_been_sent(void **state)
{
    (void)state;
    const tg__clock_offset wide = {100, 50};
    tg__clock_offset offset = tg__clock_offset_after(wide, 1000, 920); /* at least 80 */
    assert_int_equal(offset.ns, 115);
    assert_int_equal(offset.uncertainty_ns, 35);
    offset = tg__clock_offset_after(wide, 1000, 990); /* at least 10: known already */
    assert_int_equal(offset.ns, 100);
    offset = tg__clock_offset_after(wide, 1000, 800); /* at least 200: it cannot be */
    assert_int_equal(offset.ns, 100);
    assert_int_equal(offset.uncertainty_ns, 50);
}

static void impossible_times_do_not_overflow(void **state)
{
    (void)state;
    static const int64_t extremes[] = {INT64_MIN, INT64_MIN + 1, -1,       0,
                                       1,         INT64_MAX - 1, INT64_MAX};
    enum {
        EXTREMES = sizeof extremes / sizeof extremes[0]
    };
    for (int a = 0; a < EXTREMES; a++) {
        for (int b = 0; b < EXTREMES; b++) {
            tg__clock_pair pair = empty_pair();
            add(&pair, 1, extremes[a], extremes[b]);
            add(&pair, 2, extremes[b], extremes[a]);
            for (uint64_t cookie = 1; cookie <= 2; cookie++) {
                (void)tg__clock_pair_seen(&pair, cookie, extremes[(a + b) % EXTREMES]);
            }
            tg__clock_pair_close(&pair);
            for (int c = 0; c < EXTREMES && pair.count != 0; c++) {
                const tg__clock_offset offset = tg__clock_pair_at(&pair, extremes[c]);
                (void)tg__clock_offset_after(offset, extremes[a], extremes[c]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_echo_bounds_the_difference_by_half_its_round_trip),
        cmocka_unit_test(what_the_other_side_has_not_seen_says_nothing),
        cmocka_unit_test(uncertainty_grows_with_an_echos_age),
        cmocka_unit_test(the_true_difference_lies_within_the_uncertainty),
        cmocka_unit_test(echoes_that_contradict_each_other_leave_the_narrowest),
        cmocka_unit_test(what_was_received_had_been_sent),
        cmocka_unit_test(impossible_times_do_not_overflow),
    };
    return cmocka_run_group_tests_name("recorder.clock_pair", tests, NULL, NULL);
}
