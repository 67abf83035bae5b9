/* The priority channel: what order tickets follow beside the conflated rows. */
#include "tg_cmocka.h"

#include <string.h>

#include "engine_rig.h"

static rig *make(void)
{
    static rig r;
    rig_open(&r, 64);
    rig_subscribe(&r, 0, 3);
    rig_subscribe(&r, 1, 3);
    rig_subscribe(&r, 2, 7);
    return &r;
}

static void settle(rig *r)
{
    for (int i = 0; i < 5; i++) {
        rig_advance(r, RIG_MS);
        rig_deliver(r);
    }
}

static tg_err depth_of(rig *r, tg_instrument_id id, tg_depth *depth)
{
    const tg_view *view = tg_reader_pin(r->reader);
    const tg_err err = tg_view_depth(view, id, r->now_ns, depth);
    tg_reader_unpin(r->reader);
    return err;
}

static void check_set(const rig *r, uint32_t count, tg_instrument_id first)
{
    assert_int_equal(r->session.priority_count, count);
    if (count > 0) {
        assert_int_equal(r->session.priority[0], first);
    }
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
}

static void a_prioritised_instrument_comes_with_depth(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    tg_depth depth;
    assert_int_equal(depth_of(r, 3, &depth), TG_ERR_NOT_FOUND);
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK);
    settle(r);
    check_set(r, 1, 3);
    assert_int_equal(r->priority_answers, 1);
    assert_int_equal(r->priority_answer.err, TG_OK);
    assert_int_equal(r->priority_answer.id, 3);
    assert_int_equal(depth_of(r, 3, &depth), TG_OK);
    sim_market_tick(&r->market, 3, 5555);
    sim_session_tick(&r->session, 3);
    rig_deliver(r);
    assert_int_equal(depth_of(r, 3, &depth), TG_OK);
    assert_int_equal(depth.book.bid[0].price, 5555);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 5555);
    rig_close(r);
}

static void it_ends_with_the_last_subscription_that_wants_it(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    tg_depth depth;
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK);
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK); /* again: nothing more */
    assert_int_equal(rig_prioritise(r, 1, true), TG_OK);
    settle(r);
    const uint32_t requests = r->session.subscribes;
    assert_int_equal(rig_prioritise(r, 0, false), TG_OK);
    settle(r);
    check_set(r, 1, 3);
    assert_int_equal(r->session.subscribes, requests); /* nothing was said */
    assert_int_equal(depth_of(r, 3, &depth), TG_OK);
    assert_int_equal(rig_unsubscribe(r, 1), TG_OK);
    settle(r);
    check_set(r, 0, 0);
    assert_int_equal(depth_of(r, 3, &depth), TG_ERR_NOT_FOUND);
    assert_int_equal(r->session.set_count, 2); /* subscription 0 stays on the conflated channel */
    assert_int_equal(rig_prioritise(r, 1, true), TG_ERR_NOT_FOUND);
    rig_close(r);
}

static void a_tick_that_was_under_way_leaves_no_depth_behind(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK);
    settle(r);
    sim_session_tick(&r->session, 3); /* sent before the gateway knows */
    assert_int_equal(rig_prioritise(r, 0, false), TG_OK);
    settle(r);
    tg_depth depth;
    assert_int_equal(depth_of(r, 3, &depth), TG_ERR_NOT_FOUND);
    rig_close(r);
}

static void nor_does_one_whose_answer_was_lost_with_the_connection(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK);
    settle(r);
    sim_session_tick(&r->session, 3);
    assert_int_equal(rig_prioritise(r, 0, false), TG_OK);
    rig_deliver(r);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    rig_await_attempt(r);
    rig_go_live(r);
    settle(r);
    check_set(r, 0, 0);
    tg_depth depth;
    assert_int_equal(depth_of(r, 3, &depth), TG_ERR_NOT_FOUND);
    rig_close(r);
}

static void depth_of_another_lineage_does_not_come_back_with_its_row(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK);
    settle(r);
    sim_market other = r->market;
    other.lineage = 0x22;
    other.revoked = UINT32_C(1) << 3;
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    r->gateway = &other;
    rig_await_attempt(r);
    rig_go_live(r);
    settle(r);
    assert_int_equal(rig_prioritise(r, 0, false), TG_OK); /* while its row has no id */
    settle(r);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    r->gateway = &r->market;
    rig_await_attempt(r);
    rig_go_live(r);
    settle(r);
    tg_depth depth;
    assert_int_equal(depth_of(r, 3, &depth), TG_ERR_NOT_FOUND);
    rig_close(r);
}

static void depth_that_nobody_asked_for_takes_no_place(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    sim_session_tick(&r->session, 7);
    rig_deliver(r);
    tg_depth depth;
    assert_int_equal(depth_of(r, 7, &depth), TG_ERR_NOT_FOUND);
    assert_int_equal(tg__engine_counters_of(r->engine)->books_refused, 1);
    rig_close(r);
}

static void a_reconnect_brings_it_back_and_a_change_meanwhile_counts(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK); /* before there is a session */
    rig_go_live(r);
    settle(r);
    check_set(r, 1, 3);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    assert_int_equal(rig_prioritise(r, 2, true), TG_OK);
    rig_await_attempt(r);
    rig_go_live(r);
    settle(r);
    check_set(r, 2, 3);
    assert_int_equal(r->session.priority[1], 7);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    assert_int_equal(rig_prioritise(r, 0, false), TG_OK);
    tg_depth depth;
    assert_int_equal(depth_of(r, 3, &depth), TG_ERR_NOT_FOUND); /* its place is free at once */
    rig_await_attempt(r);
    rig_go_live(r);
    settle(r);
    check_set(r, 1, 7);
    rig_close(r);
}

static void what_the_gateway_refuses_is_told_and_leaves_the_rest_alone(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    r->session.limits.priority_max = 1;
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK);
    settle(r);
    assert_int_equal(rig_prioritise(r, 2, true), TG_OK);
    settle(r);
    assert_int_equal(r->priority_answer.err, TG_ERR_LIMIT);
    check_set(r, 1, 3);
    assert_int_equal(rig_prioritise(r, 0, false), TG_OK); /* room for the other, without asking */
    settle(r);
    check_set(r, 1, 7);
    assert_int_equal(r->priority_answer.err, TG_OK);
    rig_close(r);
}

static void a_set_that_differs_from_our_account_ends_the_session(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    r->session.priority[0] = 9; /* a gateway that is wrong about us */
    r->session.priority_count = 1;
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK);
    settle(r);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_WAITING);
    assert_int_equal(r->close_code, TG__CLOSE_BAD_MESSAGE);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prioritised_instrument_comes_with_depth),
        cmocka_unit_test(it_ends_with_the_last_subscription_that_wants_it),
        cmocka_unit_test(a_tick_that_was_under_way_leaves_no_depth_behind),
        cmocka_unit_test(nor_does_one_whose_answer_was_lost_with_the_connection),
        cmocka_unit_test(depth_of_another_lineage_does_not_come_back_with_its_row),
        cmocka_unit_test(depth_that_nobody_asked_for_takes_no_place),
        cmocka_unit_test(a_reconnect_brings_it_back_and_a_change_meanwhile_counts),
        cmocka_unit_test(what_the_gateway_refuses_is_told_and_leaves_the_rest_alone),
        cmocka_unit_test(a_set_that_differs_from_our_account_ends_the_session),
    };
    return cmocka_run_group_tests_name("sdk.engine_priority", tests, NULL, NULL);
}
