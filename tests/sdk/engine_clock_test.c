/* The machine sleeps, or its clock is set, in the middle of a session. */
#include "tg_cmocka.h"

#include <string.h>

#include "engine_rig.h"

#define S (1000 * RIG_MS)

#define COUNT(r, name)                                                                             \
    atomic_load_explicit(&tg__engine_counters_of((r)->engine)->name, memory_order_relaxed)

static rig *make_live(void)
{
    static rig r;
    rig_open(&r, 64);
    rig_subscribe(&r, 0, 3);
    rig_subscribe(&r, 1, 7);
    rig_go_live(&r);
    return &r;
}

static void put_frame(rig *r)
{
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
}

static tg_row row_of(rig *r, tg_instrument_id id)
{
    tg_row row;
    assert_int_equal(rig_row(r, id, &row), TG_OK);
    return row;
}

static void assert_all(rig *r, tg_quality quality)
{
    assert_int_equal(row_of(r, 3).quality, quality);
    assert_int_equal(row_of(r, 7).quality, quality);
}

static void a_sleep_makes_everything_stale_before_the_next_frame(void **state)
{
    (void)state;
    rig *r = make_live();
    assert_all(r, TG_QUALITY_LIVE);
    const uint32_t published = r->published;
    assert_int_equal(rig_sleep(r, 42 * S), TG_OK);
    assert_int_equal(r->published, published + 1);
    assert_all(r, TG_QUALITY_STALE);
    assert_int_equal(row_of(r, 3).cause, TG_QUALITY_CAUSE_LATENESS);
    const tg_event *event = rig_event(r, TG_EVENT_CLOCK);
    assert_non_null(event);
    assert_non_null(strstr(event->text, "the machine slept for 42.000 s"));
    assert_int_not_equal(event->err, TG_OK);
    assert_int_equal(COUNT(r, sleeps), 1);
    assert_int_equal(COUNT(r, clock_steps), 0);
    rig_close(r);
}

static void the_answer_and_then_a_frame_make_it_live_without_any_resync(void **state)
{
    (void)state;
    rig *r = make_live();
    const uint32_t echoes = r->session.echoes;
    assert_int_equal(rig_sleep(r, 42 * S), TG_OK);
    assert_int_equal(r->session.echoes, echoes + 1); /* at once */
    rig_deliver(r);
    assert_all(r, TG_QUALITY_STALE); /* a gateway may answer and hold its frames back */
    put_frame(r);
    rig_deliver(r);
    assert_all(r, TG_QUALITY_LIVE);
    assert_int_equal(rig_event(r, TG_EVENT_CLOCK)->err, TG_OK);
    assert_int_equal(COUNT(r, resyncs), 0);
    assert_int_equal(COUNT(r, attempts), 1);
    rig_close(r);
}

static void frames_alone_prove_nothing(void **state)
{
    (void)state;
    rig *r = make_live();
    r->deaf = true;
    assert_int_equal(rig_sleep(r, 42 * S), TG_OK);
    for (int i = 0; i < 20; i++) {
        sim_market_tick(&r->market, 3, 2000 + i);
        put_frame(r);
        rig_deliver(r);
        assert_all(r, TG_QUALITY_STALE);
        rig_advance(r, 40 * RIG_MS);
    }
    rig_close(r);
}

/* What lay in the socket over the sleep is as late as that was long, though the answer is there. */
static void frames_of_before_the_sleep_are_not_live_after_the_answer(void **state)
{
    (void)state;
    rig *r = make_live();
    put_frame(r);
    const sim_message before = *sim_session_take(&r->session);
    assert_int_equal(rig_sleep(r, 42 * S), TG_OK);
    rig_deliver(r);
    assert_int_equal(rig_message(r, before.bytes, before.size), TG_OK);
    assert_all(r, TG_QUALITY_STALE);
    assert_int_equal(COUNT(r, frames_late), 1);
    assert_in_range(COUNT(r, lateness_ns), 41 * S, 43 * S);
    put_frame(r);
    rig_deliver(r);
    assert_all(r, TG_QUALITY_LIVE);
    rig_close(r);
}

/* By the monotonic clock it came back within no time at all. */
static void an_answer_to_an_older_question_is_no_proof(void **state)
{
    (void)state;
    rig *r = make_live();
    rig_advance(r, 2 * S); /* an ECHO goes out, and is answered */
    assert_true(r->session.count > 0);
    r->deaf = true;
    assert_int_equal(rig_sleep(r, 42 * S), TG_OK);
    rig_deliver(r);
    put_frame(r);
    rig_deliver(r);
    assert_all(r, TG_QUALITY_STALE);
    rig_close(r);
}

static void without_an_answer_the_connection_is_given_up_soon(void **state)
{
    (void)state;
    rig *r = make_live();
    r->deaf = true;
    assert_int_equal(rig_sleep(r, 42 * S), TG_OK);
    for (int i = 0; i < 29; i++) { /* as if a full buffer were read slowly */
        put_frame(r);
        rig_deliver(r);
        rig_advance(r, 100 * RIG_MS);
    }
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
    rig_advance(r, 100 * RIG_MS);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_WAITING);
    assert_true(r->dropped);
    r->deaf = false;
    rig_await_attempt(r);
    rig_go_live(r);
    assert_all(r, TG_QUALITY_LIVE);
    rig_close(r);
}

static void a_wall_clock_that_is_set_needs_a_proof_too(void **state)
{
    (void)state;
    rig *r = make_live();
    assert_int_equal(rig_set_clock(r, 3600 * S), TG_OK);
    assert_all(r, TG_QUALITY_STALE);
    assert_non_null(
        strstr(rig_event(r, TG_EVENT_CLOCK)->text, "the wall clock was set forward by 3600.000 s"));
    rig_deliver(r);
    put_frame(r);
    rig_deliver(r);
    assert_all(r, TG_QUALITY_LIVE);
    assert_int_equal(rig_set_clock(r, -1500 * RIG_MS), TG_OK);
    assert_non_null(strstr(rig_event(r, TG_EVENT_CLOCK)->text, "set back by 1.500 s"));
    assert_int_equal(COUNT(r, clock_steps), 2);
    assert_int_equal(COUNT(r, sleeps), 0);
    rig_close(r);
}

static void both_at_once_are_one_event(void **state)
{
    (void)state;
    rig *r = make_live();
    tg__input input = {.kind = TG__INPUT_CLOCK, .as.clock = {2 * S, -3 * S}};
    assert_int_equal(rig_input(r, &input), TG_OK);
    assert_non_null(strstr(rig_event(r, TG_EVENT_CLOCK)->text,
                           "the machine slept for 2.000 s, and the wall clock was set back by"));
    rig_close(r);
}

static void with_nothing_followed_the_answer_is_enough(void **state)
{
    (void)state;
    static rig r;
    rig_open(&r, 64);
    rig_go_live(&r);
    assert_int_equal(rig_sleep(&r, 42 * S), TG_OK);
    rig_deliver(&r);
    assert_int_equal(rig_event(&r, TG_EVENT_CLOCK)->err, TG_OK);
    rig_close(&r);
}

static void a_sleep_between_sessions_is_told_and_harms_nothing(void **state)
{
    (void)state;
    rig *r = make_live();
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    assert_int_equal(rig_sleep(r, 42 * S), TG_OK);
    assert_int_equal(rig_event(r, TG_EVENT_CLOCK)->err, TG_OK);
    rig_await_attempt(r);
    rig_go_live(r);
    assert_all(r, TG_QUALITY_LIVE);
    rig_close(r);
}

/* The sleep's doubt ends with the connection: the next one has proofs of its own. */
static void a_new_session_after_a_sleep_starts_without_its_doubt(void **state)
{
    (void)state;
    rig *r = make_live();
    assert_int_equal(rig_sleep(r, 42 * S), TG_OK);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    assert_all(r, TG_QUALITY_DISCONNECTED);
    rig_await_attempt(r);
    rig_go_live(r);
    assert_all(r, TG_QUALITY_LIVE);
    rig_close(r);
}

static void a_token_grows_old_in_a_sleep(void **state)
{
    (void)state;
    static rig r;
    rig_open_with_tokens(&r, 64);
    r.market.token_lifetime_s = 100;
    assert_int_equal(rig_plain(&r, TG__INPUT_START), TG_OK);
    assert_int_equal(rig_token(&r, true), TG_OK);
    rig_go_live(&r);
    const uint32_t asks = r.token_asks;
    assert_int_equal(rig_sleep(&r, 90 * S), TG_OK);
    rig_advance(&r, 10 * RIG_MS);
    assert_int_equal(r.token_asks, asks + 1);
    assert_int_equal(r.token_reason, TG_TOKEN_RENEW);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleep_makes_everything_stale_before_the_next_frame),
        cmocka_unit_test(the_answer_and_then_a_frame_make_it_live_without_any_resync),
        cmocka_unit_test(frames_alone_prove_nothing),
        cmocka_unit_test(frames_of_before_the_sleep_are_not_live_after_the_answer),
        cmocka_unit_test(an_answer_to_an_older_question_is_no_proof),
        cmocka_unit_test(without_an_answer_the_connection_is_given_up_soon),
        cmocka_unit_test(a_wall_clock_that_is_set_needs_a_proof_too),
        cmocka_unit_test(both_at_once_are_one_event),
        cmocka_unit_test(with_nothing_followed_the_answer_is_enough),
        cmocka_unit_test(a_sleep_between_sessions_is_told_and_harms_nothing),
        cmocka_unit_test(a_new_session_after_a_sleep_starts_without_its_doubt),
        cmocka_unit_test(a_token_grows_old_in_a_sleep),
    };
    return cmocka_run_group_tests_name("sdk.engine_clock", tests, NULL, NULL);
}
