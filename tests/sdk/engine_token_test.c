/* When the engine asks for tokens, and what follows from the answers. */
#include "tg_cmocka.h"

#include <string.h>

#include "engine_rig.h"

#define SECOND     (1000 * RIG_MS)
#define LIFETIME_S 1000u

static rig *make(void)
{
    static rig r;
    rig_open_with_tokens(&r, 64);
    r.market.token_lifetime_s = LIFETIME_S;
    return &r;
}

static tg__engine_state state_of(const rig *r)
{
    return tg__engine_state_of(r->engine);
}

static uint64_t read_count(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#define COUNT(r, name) read_count(&tg__engine_counters_of((r)->engine)->name)

static void go_live(rig *r)
{
    if (state_of(r) == TG__ENGINE_IDLE) {
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    }
    assert_int_equal(state_of(r), TG__ENGINE_TOKEN);
    assert_int_equal(rig_token(r, true), TG_OK);
    rig_accept(r);
    rig_deliver(r);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
}

/* Time passes in a session that keeps its link alive, until one more token was asked for. */
static int64_t run_until_asked(rig *r, int64_t limit_ns)
{
    const int64_t from = r->now_ns;
    const uint32_t asks = r->token_asks;
    while (r->token_asks == asks && r->now_ns - from < limit_ns) {
        rig_advance(r, 100 * RIG_MS);
        rig_deliver(r);
    }
    return r->now_ns - from;
}

static void answer(rig *r, bool accepted, uint32_t lifetime_s)
{
    const tg__token_answer message = {accepted, lifetime_s};
    uint8_t bytes[64];
    size_t size = 0;
    assert_int_equal(tg__token_answer_encode(&message, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(rig_message(r, bytes, size), TG_OK);
}

static void every_connection_asks_for_a_token_first(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_TOKEN);
    assert_false(r->connecting);
    assert_int_equal(r->token_asks, 1);
    assert_int_equal(r->token_reason, TG_TOKEN_CONNECT);
    go_live(r);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    while (state_of(r) == TG__ENGINE_WAITING) {
        rig_advance(r, 100 * RIG_MS);
    }
    assert_int_equal(state_of(r), TG__ENGINE_TOKEN);
    assert_int_equal(r->token_asks, 2);
    assert_int_equal(r->token_reason, TG_TOKEN_CONNECT);
    go_live(r);
    rig_close(r);
}

static void wait_for_attempt(rig *r)
{
    while (state_of(r) == TG__ENGINE_WAITING) {
        rig_advance(r, r->deadline_ns - r->now_ns);
    }
    assert_true(r->connecting);
}

/* A fleet whose gateway is away attempts many times a minute; its provider has nothing to do with
 * that. */
static void attempts_that_end_before_the_request_need_no_other_token(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    assert_int_equal(rig_token(r, true), TG_OK);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(rig_closed(r, TG__CAUSE_CONNECT, 0, 0), TG_OK);
        wait_for_attempt(r);
    }
    assert_int_equal(r->token_asks, 1);
    /* One that the engine gives up itself: nothing was handed over either. */
    rig_advance(r, 15 * SECOND);
    wait_for_attempt(r);
    assert_int_equal(r->token_asks, 1);
    assert_int_equal(rig_plain(r, TG__INPUT_STOP), TG_OK); /* then it is forgotten */
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    assert_int_equal(r->token_asks, 2);
    rig_close(r);
}

static void a_request_that_went_out_spends_the_token_whatever_becomes_of_it(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    assert_int_equal(rig_token(r, true), TG_OK);
    assert_int_equal(rig_plain(r, TG__INPUT_REQUESTED), TG_OK);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    rig_advance(r, SECOND);
    assert_int_equal(state_of(r), TG__ENGINE_TOKEN);
    assert_int_equal(r->token_asks, 2);
    rig_close(r);
}

/* Attempts that are refused at once, until the provider is asked again. */
static int64_t fail_until_asked(rig *r)
{
    const int64_t from = r->now_ns;
    const uint32_t asks = r->token_asks;
    while (r->token_asks == asks) {
        if (r->connecting) {
            assert_int_equal(rig_closed(r, TG__CAUSE_CONNECT, 0, 0), TG_OK);
        }
        rig_advance(r, 100 * RIG_MS);
    }
    return r->now_ns - from;
}

static void a_token_that_waited_for_too_long_is_replaced(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    assert_int_equal(rig_token(r, true), TG_OK);
    int64_t held = fail_until_asked(r);
    assert_true(held >= 60 * SECOND && held <= 76 * SECOND); /* of unknown lifetime */
    go_live(r);                                              /* now it is known */
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    (void)run_until_asked(r, 60 * SECOND);
    assert_int_equal(rig_token(r, true), TG_OK);
    held = fail_until_asked(r);
    assert_true(held >= LIFETIME_S / 2 * SECOND && held <= (LIFETIME_S / 2 + 16) * SECOND);
    rig_close(r);
}

static void a_token_that_waits_grows_old_in_a_sleep_too(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    assert_int_equal(rig_token(r, true), TG_OK);
    assert_int_equal(rig_closed(r, TG__CAUSE_CONNECT, 0, 0), TG_OK);
    assert_int_equal(rig_sleep(r, 61 * SECOND), TG_OK);
    rig_advance(r, SECOND);
    assert_int_equal(r->token_asks, 2);
    rig_close(r);
}

static void a_token_of_the_options_is_used_without_asking(void **state)
{
    (void)state;
    static rig r;
    rig_open(&r, 64);
    tg__engine_close(r.engine);
    const tg__engine_options options = {.store = r.store,
                                        .instruments_max = 64,
                                        .endpoint_count = 1,
                                        .interests_max = 64,
                                        .backoff_first_ms = 500,
                                        .backoff_cap_ms = 15000,
                                        .random_seed = 7,
                                        .renews_tokens = true,
                                        .has_token = true,
                                        .clock = &r.clock};
    assert_int_equal(tg__engine_open(&options, &r.engine), TG_OK);
    rig_go_live(&r);
    assert_int_equal(r.token_asks, 0);
    rig_close(&r);
}

static void a_provider_that_has_none_is_asked_again_slowly(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    assert_int_equal(rig_token(r, false), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    const tg_event *event = rig_event(r, TG_EVENT_SESSION);
    assert_int_equal(event->err, TG_ERR_UNAUTHORIZED);
    assert_true(event->wait_ms >= 15000);
    rig_advance(r, 31 * SECOND);
    assert_int_equal(state_of(r), TG__ENGINE_TOKEN);
    assert_int_equal(r->token_asks, 2);
    go_live(r);
    rig_close(r);
}

static void a_provider_that_is_silent_is_asked_again(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    rig_advance(r, 30 * SECOND);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    assert_non_null(strstr(rig_event(r, TG_EVENT_SESSION)->text, "did not answer"));
    rig_advance(r, 31 * SECOND);
    assert_int_equal(r->token_asks, 2);
    rig_close(r);
}

static void stopping_while_a_token_is_awaited_is_the_end(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    assert_int_equal(rig_plain(r, TG__INPUT_STOP), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_IDLE);
    assert_int_equal(r->deadline_ns, INT64_MAX);
    assert_int_equal(rig_token(r, true), TG_ERR_STATE);
    assert_false(r->connecting);
    rig_close(r);
}

static void renewal_comes_between_60_and_80_percent_of_the_lifetime_and_spreads(void **state)
{
    (void)state;
    int64_t least = INT64_MAX;
    int64_t most = 0;
    rig *r = make();
    go_live(r);
    for (int i = 0; i < 20; i++) {
        const int64_t after = run_until_asked(r, LIFETIME_S * SECOND);
        assert_int_equal(r->token_reason, TG_TOKEN_RENEW);
        assert_true(after >= 599 * SECOND && after <= 801 * SECOND);
        least = after < least ? after : least;
        most = after > most ? after : most;
        assert_int_equal(rig_token(r, true), TG_OK);
        assert_int_equal(r->tokens_sent, (uint32_t)i + 1);
        answer(r, true, LIFETIME_S);
        assert_int_equal(rig_event(r, TG_EVENT_TOKEN)->err, TG_OK);
        assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    }
    assert_true(most - least > 50 * SECOND);
    assert_int_equal(COUNT(r, tokens_renewed), 20);
    assert_int_equal(COUNT(r, connects), 1);
    assert_int_equal(COUNT(r, attempts), 1);
    rig_close(r);
}

static void a_refused_renewal_is_told_and_tried_again_before_the_end(void **state)
{
    (void)state;
    rig *r = make();
    go_live(r);
    int64_t at = run_until_asked(r, LIFETIME_S * SECOND);
    assert_int_equal(rig_token(r, true), TG_OK);
    answer(r, false, 0);
    const tg_event *event = rig_event(r, TG_EVENT_TOKEN);
    assert_int_equal(event->err, TG_ERR_UNAUTHORIZED);
    assert_int_equal(event->state, TG_SESSION_LIVE);
    assert_int_equal(COUNT(r, tokens_refused), 1);
    int64_t before = 0;
    for (int tries = 0; tries < 3; tries++) {
        const int64_t gap = run_until_asked(r, LIFETIME_S * SECOND);
        at += gap;
        assert_true(at < LIFETIME_S * SECOND);
        assert_true(gap > before); /* they grow */
        before = gap;
        assert_int_equal(r->token_reason, TG_TOKEN_REFUSED);
        assert_int_equal(rig_token(r, true), TG_OK);
        answer(r, tries == 2, LIFETIME_S);
    }
    assert_int_equal(rig_event(r, TG_EVENT_TOKEN)->err, TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    rig_close(r);
}

static void a_renewal_without_an_answer_is_tried_again(void **state)
{
    (void)state;
    rig *r = make();
    go_live(r);
    (void)run_until_asked(r, LIFETIME_S * SECOND);
    assert_int_equal(rig_token(r, true), TG_OK);
    (void)run_until_asked(r, LIFETIME_S * SECOND);
    assert_int_equal(rig_event(r, TG_EVENT_TOKEN)->err, TG_ERR_TIMEOUT);
    assert_int_equal(rig_token(r, false), TG_OK); /* the provider has trouble, too */
    (void)run_until_asked(r, LIFETIME_S * SECOND);
    assert_int_equal(rig_token(r, true), TG_OK);
    answer(r, true, 0);
    assert_int_equal(run_until_asked(r, 2 * LIFETIME_S * SECOND), 2 * LIFETIME_S * SECOND);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    rig_close(r);
}

static void a_renewal_that_outlives_its_session_serves_the_next(void **state)
{
    (void)state;
    rig *r = make();
    go_live(r);
    (void)run_until_asked(r, LIFETIME_S * SECOND);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    assert_int_equal(rig_token(r, true), TG_OK);
    const uint32_t asks = r->token_asks;
    rig_await_attempt(r);
    assert_int_equal(r->token_asks, asks);
    rig_accept(r);
    rig_deliver(r);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    rig_close(r);
}

static void refuse_connection(rig *r, tg__cause cause, uint16_t code)
{
    if (r->connecting) {
        assert_int_equal(rig_plain(r, TG__INPUT_REQUESTED), TG_OK);
    }
    assert_int_equal(rig_closed(r, cause, code, 0), TG_OK);
}

static void an_expired_token_is_renewed_before_the_next_attempt(void **state)
{
    (void)state;
    static const struct {
        tg__cause cause;
        uint16_t code;
    } ends[] = {{TG__CAUSE_CLOSE_CODE, 4001}, {TG__CAUSE_HTTP_STATUS, 401}};
    for (size_t i = 0; i < 2; i++) {
        rig *r = make();
        go_live(r);
        refuse_connection(r, ends[i].cause, ends[i].code);
        assert_int_equal(state_of(r), TG__ENGINE_WAITING);
        assert_non_null(strstr(rig_event(r, TG_EVENT_SESSION)->text, "another token"));
        const uint32_t attempts = (uint32_t)COUNT(r, attempts);
        (void)run_until_asked(r, 60 * SECOND);
        assert_int_equal(r->token_reason, TG_TOKEN_REFUSED);
        assert_int_equal(COUNT(r, attempts), attempts);
        go_live(r);
        rig_close(r);
    }
}

static void a_renewed_token_that_is_refused_too_slows_the_attempts_down(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rig_token(r, true), TG_OK);
        assert_true(r->connecting);
        refuse_connection(r, TG__CAUSE_HTTP_STATUS, 401);
        const uint32_t wait_ms = rig_event(r, TG_EVENT_SESSION)->wait_ms;
        assert_true(i == 0 ? wait_ms <= 500 : wait_ms >= 15000);
        (void)run_until_asked(r, 60 * SECOND);
    }
    assert_int_equal(COUNT(r, tokens_refused), 3);
    go_live(r);
    rig_close(r);
}

static void logging_out_is_an_ordinary_event_and_asks_for_nothing(void **state)
{
    (void)state;
    static const struct {
        tg__cause cause;
        uint16_t code;
    } ends[] = {
        {TG__CAUSE_CLOSE_CODE, 4003}, {TG__CAUSE_CLOSE_CODE, 4004}, {TG__CAUSE_HTTP_STATUS, 403}};
    for (size_t i = 0; i < 3; i++) {
        rig *r = make();
        go_live(r);
        refuse_connection(r, ends[i].cause, ends[i].code);
        assert_int_equal(state_of(r), TG__ENGINE_IDLE);
        assert_int_equal(rig_event(r, TG_EVENT_SESSION)->err, TG_ERR_UNAUTHORIZED);
        assert_int_equal(rig_event(r, TG_EVENT_SESSION)->state, TG_SESSION_IDLE);
        assert_int_equal(r->token_asks, 1);
        assert_int_equal(r->deadline_ns, INT64_MAX);
        rig_close(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_connection_asks_for_a_token_first),
        cmocka_unit_test(attempts_that_end_before_the_request_need_no_other_token),
        cmocka_unit_test(a_request_that_went_out_spends_the_token_whatever_becomes_of_it),
        cmocka_unit_test(a_token_that_waited_for_too_long_is_replaced),
        cmocka_unit_test(a_token_that_waits_grows_old_in_a_sleep_too),
        cmocka_unit_test(a_token_of_the_options_is_used_without_asking),
        cmocka_unit_test(a_provider_that_has_none_is_asked_again_slowly),
        cmocka_unit_test(a_provider_that_is_silent_is_asked_again),
        cmocka_unit_test(stopping_while_a_token_is_awaited_is_the_end),
        cmocka_unit_test(renewal_comes_between_60_and_80_percent_of_the_lifetime_and_spreads),
        cmocka_unit_test(a_refused_renewal_is_told_and_tried_again_before_the_end),
        cmocka_unit_test(a_renewal_without_an_answer_is_tried_again),
        cmocka_unit_test(a_renewal_that_outlives_its_session_serves_the_next),
        cmocka_unit_test(an_expired_token_is_renewed_before_the_next_attempt),
        cmocka_unit_test(a_renewed_token_that_is_refused_too_slows_the_attempts_down),
        cmocka_unit_test(logging_out_is_an_ordinary_event_and_asks_for_nothing),
    };
    return cmocka_run_group_tests_name("sdk.engine_token", tests, NULL, NULL);
}
