/* When passes are due: times are numbers here, nothing waits for a clock. */
#include "pass_pace.h"

#include <stddef.h>

#include "tg_cmocka.h"

#define NS_PER_S INT64_C(1000000000)
#define MS       INT64_C(1000000)
#define NEVER    PASS_PACE_NEVER
#define START    (1000 * NS_PER_S)

static void a_pace_that_nobody_asked_waits_for_what_changes_by_itself(void **state)
{
    (void)state;
    pass_pace pace = {0};
    assert_int_equal(pass_pace_next_mono_ns(&pace, NEVER), NEVER);
    assert_int_equal(pass_pace_due(&pace, NEVER, START), PASS_NOT_DUE);
    assert_int_equal(pass_pace_next_mono_ns(&pace, START + 5), START + 5);
    assert_int_equal(pass_pace_due(&pace, START + 5, START + 4), PASS_NOT_DUE);
    assert_int_equal(pass_pace_due(&pace, START + 5, START + 5), PASS_WHOLE);
}

static void the_first_news_are_drawn_as_they_come(void **state)
{
    (void)state;
    static const pass_extent expected[PASS_CAUSE_COUNT] = {PASS_WHOLE, PASS_PRIORITY, PASS_WHOLE};
    for (int cause = 0; cause < PASS_CAUSE_COUNT; cause++) {
        pass_pace pace = {0};
        pass_pace_ask(&pace, (pass_cause)cause);
        assert_int_equal(pass_pace_due(&pace, NEVER, START), expected[cause]);
        assert_int_equal(pass_pace_is_asked(&pace), cause != PASS_FOR_PRIORITY);
        pass_pace_took(&pace, expected[cause], true, START);
        assert_false(pass_pace_is_asked(&pace));
        assert_int_equal(pass_pace_due(&pace, NEVER, START + NS_PER_S), PASS_NOT_DUE);
    }
}

/* Whoever is not woken for news looks for them when they may be drawn. */
static void the_next_turn_is_known_before_anybody_asks(void **state)
{
    (void)state;
    pass_pace pace = {0};
    assert_true(pass_pace_turn_mono_ns(&pace, PASS_FOR_PRIORITY) <= START);
    pass_pace_ask(&pace, PASS_FOR_PRIORITY);
    pass_pace_took(&pace, PASS_PRIORITY, true, START);
    const int64_t turn = pass_pace_turn_mono_ns(&pace, PASS_FOR_PRIORITY);
    assert_int_equal(turn, START + NS_PER_S / 120);
    pass_pace_ask(&pace, PASS_FOR_PRIORITY);
    assert_int_equal(pass_pace_due(&pace, NEVER, turn - 1), PASS_NOT_DUE);
    assert_int_equal(pass_pace_due(&pace, NEVER, turn), PASS_PRIORITY);
}

/* Passes in ten seconds in which the cause asks all the time. */
static unsigned passes_of(pass_cause cause)
{
    pass_pace pace = {0};
    unsigned passes = 0;
    for (int64_t now = START; now < START + 10 * NS_PER_S; now += MS / 10) {
        pass_pace_ask(&pace, cause);
        const pass_extent extent = pass_pace_due(&pace, NEVER, now);
        if (extent != PASS_NOT_DUE) {
            pass_pace_took(&pace, extent, true, now);
            passes++;
        }
    }
    return passes;
}

static void rows_have_sixty_passes_a_second_and_the_others_twice_as_many(void **state)
{
    (void)state;
    assert_in_range(passes_of(PASS_FOR_ROWS), 590, 600);
    assert_in_range(passes_of(PASS_FOR_PRIORITY), 1170, 1200);
    assert_in_range(passes_of(PASS_FOR_ANSWER), 1170, 1200);
}

/* What the 60 Hz cap is for: a frame in each 40 ms is drawn when it comes, however many ticks of
 * the priority channel lie between. */
static void rows_do_not_wait_for_a_turn_that_priority_cells_took(void **state)
{
    (void)state;
    pass_pace pace = {0};
    unsigned priority_passes = 0;
    for (int64_t now = START; now < START + 10 * NS_PER_S; now += MS) {
        if ((now - START) % (40 * MS) == 13 * MS) {
            pass_pace_ask(&pace, PASS_FOR_ROWS);
            assert_int_equal(pass_pace_due(&pace, NEVER, now), PASS_WHOLE);
            pass_pace_took(&pace, PASS_WHOLE, true, now);
            continue;
        }
        pass_pace_ask(&pace, PASS_FOR_PRIORITY);
        if (pass_pace_due(&pace, NEVER, now) != PASS_NOT_DUE) {
            pass_pace_took(&pace, PASS_PRIORITY, true, now);
            priority_passes++;
        }
    }
    assert_in_range(priority_passes, 800, 1200);
}

static void a_key_is_answered_between_two_passes_for_news(void **state)
{
    (void)state;
    pass_pace pace = {0};
    pass_pace_ask(&pace, PASS_FOR_ROWS);
    pass_pace_ask(&pace, PASS_FOR_PRIORITY);
    pass_pace_took(&pace, PASS_WHOLE, true, START);
    pass_pace_ask(&pace, PASS_FOR_ROWS);
    pass_pace_ask(&pace, PASS_FOR_PRIORITY);
    assert_int_equal(pass_pace_due(&pace, NEVER, START + MS), PASS_NOT_DUE);
    pass_pace_ask(&pace, PASS_FOR_ANSWER);
    assert_int_equal(pass_pace_due(&pace, NEVER, START + MS), PASS_WHOLE);
    /* It showed the rows, too: their turn counts from it. */
    pass_pace_took(&pace, PASS_WHOLE, true, START + MS);
    assert_false(pass_pace_is_asked(&pace));
    pass_pace_ask(&pace, PASS_FOR_ROWS);
    assert_int_equal(pass_pace_next_mono_ns(&pace, NEVER), START + MS + NS_PER_S / 60);
    /* The next key at once: half a turn of rows later at the latest. */
    pass_pace_ask(&pace, PASS_FOR_ANSWER);
    assert_int_equal(pass_pace_next_mono_ns(&pace, NEVER), START + MS + NS_PER_S / 120);
}

static void priority_cells_leave_rows_asked_for(void **state)
{
    (void)state;
    pass_pace pace = {0};
    pass_pace_ask(&pace, PASS_FOR_ROWS);
    pass_pace_took(&pace, PASS_WHOLE, true, START);
    pass_pace_ask(&pace, PASS_FOR_ROWS);
    pass_pace_ask(&pace, PASS_FOR_PRIORITY);
    assert_int_equal(pass_pace_due(&pace, NEVER, START + MS), PASS_PRIORITY);
    pass_pace_took(&pace, PASS_PRIORITY, true, START + MS);
    assert_true(pass_pace_is_asked(&pace));
    assert_int_equal(pass_pace_next_mono_ns(&pace, NEVER), START + NS_PER_S / 60);
}

static void what_fades_goes_along_with_the_data(void **state)
{
    (void)state;
    pass_pace pace = {0};
    pass_pace_ask(&pace, PASS_FOR_ROWS);
    pass_pace_took(&pace, PASS_WHOLE, true, START);
    assert_int_equal(pass_pace_next_mono_ns(&pace, START + MS), START + NS_PER_S / 16);
    assert_int_equal(pass_pace_next_mono_ns(&pace, START + NS_PER_S), START + NS_PER_S);
    /* A pass for looks takes no turn from rows that come right after it. */
    pass_pace_took(&pace, PASS_WHOLE, true, START + NS_PER_S);
    pass_pace_ask(&pace, PASS_FOR_ROWS);
    assert_int_equal(pass_pace_due(&pace, NEVER, START + NS_PER_S + MS), PASS_WHOLE);
}

static void a_pass_that_drew_nothing_takes_a_short_turn(void **state)
{
    (void)state;
    pass_pace pace = {0};
    pass_pace_ask(&pace, PASS_FOR_ROWS);
    pass_pace_took(&pace, PASS_WHOLE, false, START);
    pass_pace_ask(&pace, PASS_FOR_ROWS);
    assert_int_equal(pass_pace_next_mono_ns(&pace, NEVER), START + NS_PER_S / 240);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pace_that_nobody_asked_waits_for_what_changes_by_itself),
        cmocka_unit_test(the_first_news_are_drawn_as_they_come),
        cmocka_unit_test(the_next_turn_is_known_before_anybody_asks),
        cmocka_unit_test(rows_have_sixty_passes_a_second_and_the_others_twice_as_many),
        cmocka_unit_test(rows_do_not_wait_for_a_turn_that_priority_cells_took),
        cmocka_unit_test(a_key_is_answered_between_two_passes_for_news),
        cmocka_unit_test(priority_cells_leave_rows_asked_for),
        cmocka_unit_test(what_fades_goes_along_with_the_data),
        cmocka_unit_test(a_pass_that_drew_nothing_takes_a_short_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
