/* Several gateways: which one an attempt goes to, and what that does to delays. */
#include "tg_cmocka.h"

#include <string.h>

#include "engine_rig.h"

#define S (1000 * RIG_MS)

#define COUNT(r, name)                                                                             \
    atomic_load_explicit(&tg__engine_counters_of((r)->engine)->name, memory_order_relaxed)

static rig *make(uint32_t endpoint_count)
{
    static rig r;
    rig_open_with_endpoints(&r, 64, endpoint_count);
    return &r;
}

static uint32_t fail_and_read_wait(rig *r, tg__cause cause, uint16_t code, uint32_t floor_ms)
{
    assert_int_equal(rig_closed(r, cause, code, floor_ms), TG_OK);
    return rig_event(r, TG_EVENT_SESSION)->wait_ms;
}

static void run_healthy(rig *r, int64_t ns)
{
    for (const int64_t until = r->now_ns + ns; r->now_ns < until;) {
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        rig_deliver(r);
        rig_advance(r, 500 * RIG_MS);
    }
}

static void a_gateway_that_fails_gives_way_to_the_next_and_they_take_turns(void **state)
{
    (void)state;
    rig *r = make(3);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(r->endpoint, i % 3);
        assert_int_equal(COUNT(r, endpoint), i % 3);
        assert_int_equal(COUNT(r, failovers), i);
        (void)fail_and_read_wait(r, TG__CAUSE_CONNECT, 0, 0);
        rig_await_attempt(r);
    }
    rig_close(r);
}

/* However many gateways there are: the same delays from the same seed. */
static void more_gateways_make_no_more_attempts(void **state)
{
    (void)state;
    uint32_t waits[2][12];
    for (uint32_t run = 0; run < 2; run++) {
        rig *r = make(run == 0 ? 1 : 4);
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        for (uint32_t i = 0; i < 12; i++) {
            waits[run][i] = fail_and_read_wait(r, TG__CAUSE_CONNECT, 0, 0);
            rig_await_attempt(r);
        }
        rig_close(r);
    }
    assert_memory_equal(waits[0], waits[1], sizeof waits[0]);
}

static void a_time_that_one_gateway_asked_for_holds_for_all(void **state)
{
    (void)state;
    rig *r = make(2);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    const int64_t told_ns = r->now_ns;
    assert_true(fail_and_read_wait(r, TG__CAUSE_HTTP_STATUS, 503, 8000) >= 8000);
    rig_await_attempt(r);
    assert_int_equal(r->endpoint, 1);
    assert_true(r->now_ns >= told_ns + 8 * S);
    rig_close(r);
}

static void a_fault_of_one_gateway_does_not_make_the_other_wait(void **state)
{
    (void)state;
    rig *r = make(2);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    assert_true(fail_and_read_wait(r, TG__CAUSE_CERTIFICATE, 0, 0) <= 500);
    rig_await_attempt(r);
    assert_int_equal(r->endpoint, 1);
    /* Now both have it: that is slow. */
    assert_true(fail_and_read_wait(r, TG__CAUSE_CERTIFICATE, 0, 0) >= 15000);
    rig_close(r);
}

static void a_lost_session_that_held_comes_back_to_the_same_gateway(void **state)
{
    (void)state;
    rig *r = make(2);
    rig_subscribe(r, 1, 1);
    rig_go_live(r);
    run_healthy(r, 20 * S);
    (void)fail_and_read_wait(r, TG__CAUSE_LOST, 0, 0);
    rig_await_attempt(r);
    assert_int_equal(r->endpoint, 0);
    assert_int_equal(COUNT(r, failovers), 0);
    rig_close(r);
}

static void a_session_that_followed_nothing_and_held_comes_back_to_the_same_gateway(void **state)
{
    (void)state;
    rig *r = make(2);
    rig_go_live(r);
    for (int i = 0; i < 26; i++) {
        rig_advance(r, 500 * RIG_MS);
        rig_deliver(r); /* answers, and no frame */
    }
    (void)fail_and_read_wait(r, TG__CAUSE_LOST, 0, 0);
    rig_await_attempt(r);
    assert_int_equal(r->endpoint, 0);
    rig_close(r);
}

static void the_preferred_gateway_is_tried_again_when_the_other_ends(void **state)
{
    (void)state;
    rig *r = make(2);
    rig_subscribe(r, 1, 1);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    (void)fail_and_read_wait(r, TG__CAUSE_CONNECT, 0, 0);
    rig_await_attempt(r);
    assert_int_equal(r->endpoint, 1);
    rig_accept(r);
    rig_deliver(r);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
    run_healthy(r, 60 * S);
    assert_int_equal(r->endpoint, 1); /* a session that holds is not left */
    (void)fail_and_read_wait(r, TG__CAUSE_CLOSE_CODE, 1012, 0);
    rig_await_attempt(r);
    assert_int_equal(r->endpoint, 0);
    rig_close(r);
}

static void a_refused_token_is_not_held_against_the_gateway(void **state)
{
    (void)state;
    rig *two = make(2);
    assert_int_equal(rig_plain(two, TG__INPUT_START), TG_OK);
    (void)fail_and_read_wait(two, TG__CAUSE_CONNECT, 0, 0);
    rig_await_attempt(two);
    assert_int_equal(two->endpoint, 1);
    (void)rig_closed(two, TG__CAUSE_HTTP_STATUS, 401, 0); /* no provider: it stops */
    assert_int_equal(tg__engine_state_of(two->engine), TG__ENGINE_IDLE);
    assert_int_equal(rig_plain(two, TG__INPUT_START), TG_OK);
    assert_int_equal(two->endpoint, 1);
    rig_close(two);
}

static void a_count_outside_the_limits_is_refused(void **state)
{
    (void)state;
    rig *r = make(1);
    tg__engine *engine = NULL;
    tg__engine_options options;
    memset(&options, 0, sizeof options);
    options.store = r->store;
    options.clock = &r->clock;
    options.instruments_max = 64;
    options.interests_max = 64;
    assert_int_equal(tg__engine_open(&options, &engine), TG_ERR_INVALID_ARGUMENT);
    options.endpoint_count = TG__ENDPOINTS_MAX + 1;
    assert_int_equal(tg__engine_open(&options, &engine), TG_ERR_INVALID_ARGUMENT);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gateway_that_fails_gives_way_to_the_next_and_they_take_turns),
        cmocka_unit_test(more_gateways_make_no_more_attempts),
        cmocka_unit_test(a_time_that_one_gateway_asked_for_holds_for_all),
        cmocka_unit_test(a_fault_of_one_gateway_does_not_make_the_other_wait),
        cmocka_unit_test(a_lost_session_that_held_comes_back_to_the_same_gateway),
        cmocka_unit_test(a_session_that_followed_nothing_and_held_comes_back_to_the_same_gateway),
        cmocka_unit_test(the_preferred_gateway_is_tried_again_when_the_other_ends),
        cmocka_unit_test(a_refused_token_is_not_held_against_the_gateway),
        cmocka_unit_test(a_count_outside_the_limits_is_refused),
    };
    return cmocka_run_group_tests_name("sdk.engine_endpoints", tests, NULL, NULL);
}
