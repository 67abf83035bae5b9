/* A gateway that lets a client ask for a few instruments a second: what is on screen comes first.
 */
#include "tg_cmocka.h"

#include "engine_rig.h"

#define S        (1000 * RIG_MS)
#define FOLLOWED 16u
#define RATE     4u

static bool is_visible(uint32_t id)
{
    return id >= 9; /* not those that were asked for first */
}

static uint32_t hidden_in_set(const rig *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->session.set_count; i++) {
        count += !is_visible(r->session.set[i]);
    }
    return count;
}

/* Until everything is answered; what is off screen only after all that is on it. */
static void assert_visible_ones_come_first(rig *r)
{
    const uint32_t visible = FOLLOWED - 9;
    uint32_t requests = 0;
    while (r->session.set_count < FOLLOWED) {
        const uint32_t before = r->session.set_count;
        rig_advance(r, 50 * RIG_MS);
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        rig_deliver(r);
        requests += r->session.set_count != before;
        assert_true(hidden_in_set(r) == 0 || r->session.set_count - hidden_in_set(r) == visible);
        assert_true(requests < 100);
    }
    assert_true(requests > 5); /* it was paced */
}

static rig *make(void)
{
    static rig r;
    rig_open(&r, 64);
    r.market.subscribe_per_second = RATE;
    for (uint32_t id = 0; id < FOLLOWED; id++) {
        rig_subscribe(&r, id, (tg_instrument_id)id);
        if (!is_visible(id)) {
            assert_int_equal(rig_set_visible(&r, id, false), TG_OK);
        }
    }
    return &r;
}

static void begin_session(rig *r)
{
    rig_accept(r);
    rig_deliver(r);
    assert_int_equal(r->session.set_count, RATE); /* a second's worth goes at once */
    assert_int_equal(hidden_in_set(r), 0);
}

static void what_is_on_screen_is_asked_for_first_and_after_a_reconnect_too(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    for (int session = 0; session < 2; session++) {
        begin_session(r);
        assert_visible_ones_come_first(r);
        assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
        rig_await_attempt(r);
    }
    rig_close(r);
}

static void what_comes_on_screen_meanwhile_is_next(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    begin_session(r);
    assert_int_equal(rig_set_visible(r, 8, true), TG_OK);
    for (uint32_t id = 9; id < FOLLOWED; id++) {
        assert_int_equal(rig_set_visible(r, id, false), TG_OK);
    }
    rig_advance(r, 300 * RIG_MS);
    rig_deliver(r);
    assert_int_equal(hidden_in_set(r), 1);
    rig_close(r);
}

static void two_subscriptions_are_on_screen_while_one_is(void **state)
{
    (void)state;
    rig *r = make();
    for (uint32_t id = 9; id < FOLLOWED; id++) {
        rig_subscribe(r, 20 + id, (tg_instrument_id)id); /* as of another panel */
        assert_int_equal(rig_set_visible(r, 20 + id, false), TG_OK);
    }
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    begin_session(r);
    rig_close(r);
}

static void whoever_is_not_subscribed_is_not_on_screen(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_set_visible(r, 20, true), TG_ERR_NOT_FOUND);
    assert_int_equal(rig_unsubscribe(r, 3), TG_OK);
    assert_int_equal(rig_set_visible(r, 3, true), TG_ERR_NOT_FOUND);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_on_screen_is_asked_for_first_and_after_a_reconnect_too),
        cmocka_unit_test(what_comes_on_screen_meanwhile_is_next),
        cmocka_unit_test(two_subscriptions_are_on_screen_while_one_is),
        cmocka_unit_test(whoever_is_not_subscribed_is_not_on_screen),
    };
    return cmocka_run_group_tests_name("sdk.engine_visible", tests, NULL, NULL);
}
