/* A backlog: what the gateway sent seconds ago comes one after another, each as if it were of now.
 */
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

static tg_row row_of(rig *r, tg_instrument_id id)
{
    tg_row row;
    assert_int_equal(rig_row(r, id, &row), TG_OK);
    return row;
}

/* The process stands still while the gateway goes on; only instrument 3 trades. */
static void stop_for(rig *r, int64_t ns)
{
    for (const int64_t until = r->now_ns + ns; r->now_ns < until; r->now_ns += 40 * RIG_MS) {
        sim_market_tick(&r->market, 3, r->now_ns);
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
    }
}

static bool give_one(rig *r)
{
    const sim_message *message = sim_session_take(&r->session);
    if (message == NULL) {
        return false;
    }
    const sim_message copy = *message;
    assert_int_equal(rig_message(r, copy.bytes, copy.size), TG_OK);
    return true;
}

static void a_backlog_is_stale_until_its_frames_are_on_time_and_needs_no_repair(void **state)
{
    (void)state;
    rig *r = make_live();
    stop_for(r, 4 * S);
    assert_true(give_one(r));
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_STALE);
    assert_int_equal(row_of(r, 3).cause, TG_QUALITY_CAUSE_LATENESS);
    assert_int_equal(row_of(r, 7).quality, TG_QUALITY_STALE); /* who knows what it did since */
    const tg_event *event = rig_event(r, TG_EVENT_LATE);
    assert_non_null(event);
    assert_int_not_equal(event->err, TG_OK);
    assert_in_range(COUNT(r, lateness_ns), 3900 * RIG_MS, 4000 * RIG_MS);
    uint32_t stale = 1;
    while (row_of(r, 3).quality != TG_QUALITY_LIVE) {
        assert_true(give_one(r));
        stale++;
    }
    assert_in_range(stale, 85, 90); /* until the frames are half a second old */
    assert_int_equal(rig_event(r, TG_EVENT_LATE)->err, TG_OK);
    assert_int_equal(row_of(r, 7).quality, TG_QUALITY_LIVE); /* without a word of it */
    rig_deliver(r);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_LIVE);
    assert_in_range(COUNT(r, frames_late), 74, 76);
    assert_int_equal(COUNT(r, resyncs), 0);
    assert_int_equal(COUNT(r, gaps), 0);
    assert_true(COUNT(r, lateness_ns) < 100 * RIG_MS);
    rig_close(r);
}

static void less_than_a_second_is_nothing(void **state)
{
    (void)state;
    rig *r = make_live();
    stop_for(r, 960 * RIG_MS);
    while (give_one(r)) {
        assert_int_equal(row_of(r, 3).quality, TG_QUALITY_LIVE);
    }
    assert_null(rig_event(r, TG_EVENT_LATE));
    assert_int_equal(COUNT(r, frames_late), 0);
    rig_close(r);
}

/* The reply to an ECHO waits behind the frames, and must not make their lateness the measure. */
static void an_answer_behind_the_backlog_does_not_excuse_it(void **state)
{
    (void)state;
    rig *r = make_live();
    rig_advance(r, 2 * S); /* an ECHO goes out; its reply stays in the socket */
    stop_for(r, 4 * S);
    assert_true(give_one(r)); /* that reply, four seconds late */
    stop_for(r, 4 * S);
    assert_true(give_one(r));
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_STALE);
    assert_in_range(COUNT(r, lateness_ns), 7900 * RIG_MS, 8000 * RIG_MS);
    rig_close(r);
}

/* Frames say that they are late; an ECHO at once says that they are not. */
static void a_gateway_whose_clock_is_set_back_is_stale_for_one_round_trip(void **state)
{
    (void)state;
    rig *r = make_live();
    rig_advance(r, 100 * RIG_MS);
    sim_market_set_clock(&r->market, -30 * S);
    const uint32_t echoes = r->session.echoes;
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    assert_true(give_one(r));
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_STALE);
    assert_int_equal(r->session.echoes, echoes + 1);
    rig_deliver(r);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_LIVE);
    assert_int_equal(COUNT(r, frames_late), 1);
    rig_close(r);
}

static void a_gateway_whose_clock_is_set_forward_is_not_late(void **state)
{
    (void)state;
    rig *r = make_live();
    sim_market_set_clock(&r->market, 30 * S);
    for (int i = 0; i < 100; i++) {
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        rig_deliver(r);
        assert_int_equal(row_of(r, 3).quality, TG_QUALITY_LIVE);
        rig_advance(r, 40 * RIG_MS);
    }
    rig_deliver(r);
    stop_for(r, 4 * S); /* and what is late by the new clock is */
    assert_true(give_one(r));
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_STALE);
    rig_close(r);
}

static void late_ticks_of_the_priority_channel_are_late_too(void **state)
{
    (void)state;
    rig *r = make_live();
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK);
    rig_advance(r, RIG_MS);
    rig_deliver(r);
    sim_market_tick(&r->market, 3, 4000);
    sim_session_tick(&r->session, 3);
    r->now_ns += 2 * S;
    assert_true(give_one(r));
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_STALE);
    assert_int_equal(row_of(r, 7).quality, TG_QUALITY_STALE);
    const tg_view *view = tg_reader_pin(r->reader);
    tg_depth depth;
    assert_int_equal(tg_view_depth(view, 3, r->now_ns, &depth), TG_OK);
    assert_int_equal(depth.quality, TG_QUALITY_STALE);
    tg_reader_unpin(r->reader);
    sim_market_tick(&r->market, 3, 4001);
    sim_session_tick(&r->session, 3);
    rig_deliver(r);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_STALE); /* of 7 it says nothing */
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_LIVE);
    assert_int_equal(row_of(r, 7).quality, TG_QUALITY_LIVE);
    rig_close(r);
}

static void a_hole_in_a_backlog_stays_one_when_frames_are_on_time(void **state)
{
    (void)state;
    rig *r = make_live();
    stop_for(r, 4 * S);
    assert_true(give_one(r));
    (void)sim_session_take(&r->session); /* lost */
    r->deaf = true;
    rig_deliver(r);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_RESYNCING);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_STALE);
    r->deaf = false;
    rig_advance(r, 2 * S); /* the RESYNC is repeated */
    rig_deliver(r);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_LIVE);
    rig_close(r);
}

/* A gateway cuts it from what the group has, which in a quiet market is as old as a heartbeat. */
static void a_snapshot_may_be_older_by_a_heartbeat_but_ends_nothing_then(void **state)
{
    (void)state;
    rig *r = make_live();
    r->now_ns += 1900 * RIG_MS;
    assert_int_equal(rig_plain(r, TG__INPUT_TIMER), TG_OK);
    rig_deliver(r); /* an ECHO: the clocks are known */
    sim_session_overflow(&r->session);
    r->now_ns += 1500 * RIG_MS;
    rig_deliver(r);
    assert_int_equal(COUNT(r, frames_late), 0);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_LIVE);
    sim_session_overflow(&r->session);
    r->now_ns += 2500 * RIG_MS;
    rig_deliver(r);
    assert_int_equal(COUNT(r, frames_late), 1);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_STALE);
    sim_session_overflow(&r->session);
    r->now_ns += 800 * RIG_MS;
    rig_deliver(r);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_STALE); /* is it old, or only its stamp? */
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_LIVE);
    rig_close(r);
}

static void a_new_session_knows_nothing_of_the_last_ones_lateness(void **state)
{
    (void)state;
    rig *r = make_live();
    stop_for(r, 4 * S);
    assert_true(give_one(r));
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    rig_await_attempt(r);
    assert_int_equal(rig_plain(r, TG__INPUT_TIMER), TG_OK);
    rig_accept(r);
    assert_true(give_one(r));
    assert_int_equal(COUNT(r, lateness_ns), -1);
    rig_deliver(r);
    assert_int_equal(row_of(r, 3).quality, TG_QUALITY_LIVE);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_backlog_is_stale_until_its_frames_are_on_time_and_needs_no_repair),
        cmocka_unit_test(less_than_a_second_is_nothing),
        cmocka_unit_test(an_answer_behind_the_backlog_does_not_excuse_it),
        cmocka_unit_test(a_gateway_whose_clock_is_set_back_is_stale_for_one_round_trip),
        cmocka_unit_test(a_gateway_whose_clock_is_set_forward_is_not_late),
        cmocka_unit_test(late_ticks_of_the_priority_channel_are_late_too),
        cmocka_unit_test(a_hole_in_a_backlog_stays_one_when_frames_are_on_time),
        cmocka_unit_test(a_snapshot_may_be_older_by_a_heartbeat_but_ends_nothing_then),
        cmocka_unit_test(a_new_session_knows_nothing_of_the_last_ones_lateness),
    };
    return cmocka_run_group_tests_name("sdk.engine_lateness", tests, NULL, NULL);
}
