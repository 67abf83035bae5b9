/* Losing, waiting, coming back: time is the test's own. */
#include "tg_cmocka.h"

#include <string.h>

#include "engine_rig.h"

#define S (1000 * RIG_MS)

static rig *make(void)
{
    static rig r;
    rig_open(&r, 64);
    return &r;
}

#define COUNT(r, name)                                                                             \
    atomic_load_explicit(&tg__engine_counters_of((r)->engine)->name, memory_order_relaxed)

static tg__engine_state state_of(const rig *r)
{
    return tg__engine_state_of(r->engine);
}

/* Frames and echo replies as a healthy gateway sends them. */
static void run_healthy(rig *r, int64_t ns)
{
    for (const int64_t until = r->now_ns + ns; r->now_ns < until;) {
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        rig_deliver(r);
        rig_advance(r, 500 * RIG_MS);
    }
}

static uint32_t lose_and_read_wait(rig *r, tg__cause cause, uint16_t code, uint32_t floor_ms)
{
    assert_int_equal(rig_closed(r, cause, code, floor_ms), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    const tg_event *event = rig_event(r, TG_EVENT_SESSION);
    assert_int_equal(event->state, TG_SESSION_WAITING);
    return event->wait_ms;
}

static void the_first_retry_is_jittered_over_its_whole_window(void **state)
{
    (void)state;
    uint32_t low = UINT32_MAX;
    uint32_t high = 0;
    rig *r = make();
    for (int i = 0; i < 200; i++) {
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        const uint32_t wait_ms = lose_and_read_wait(r, TG__CAUSE_CONNECT, 0, 0);
        low = wait_ms < low ? wait_ms : low;
        high = wait_ms > high ? wait_ms : high;
        assert_int_equal(rig_plain(r, TG__INPUT_STOP), TG_OK);
        r->event_count = 0;
    }
    assert_true(low < 25);
    assert_true(high > 475 && high <= 500);
    rig_close(r);
}

static void the_next_attempt_comes_at_its_time_and_not_before(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    assert_int_equal(COUNT(r, attempts), 1);
    const uint32_t wait_ms = lose_and_read_wait(r, TG__CAUSE_CONNECT, 0, 0);
    rig_advance(r, (int64_t)wait_ms * RIG_MS - 1);
    assert_int_equal(COUNT(r, attempts), 1);
    rig_advance(r, RIG_MS); /* wait_ms was cut to whole milliseconds */
    assert_true(r->connecting);
    assert_int_equal(COUNT(r, attempts), 2);
    rig_close(r);
}

static void a_timer_that_rings_too_early_is_set_again(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    (void)lose_and_read_wait(r, TG__CAUSE_CONNECT, 0, 0);
    const int64_t deadline = r->deadline_ns;
    r->now_ns = deadline - 1;
    r->deadline_ns = 0;
    assert_int_equal(rig_plain(r, TG__INPUT_TIMER), TG_OK);
    assert_false(r->connecting);
    assert_int_equal(r->deadline_ns, deadline);
    rig_close(r);
}

/* Nothing answers: a fleet's attempts all end at the same deadline. */
static void after_an_attempt_that_hung_the_window_is_a_wide_one(void **state)
{
    (void)state;
    uint32_t low = UINT32_MAX;
    uint32_t high = 0;
    rig *r = make();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        rig_advance(r, 15 * S);
        assert_int_equal(state_of(r), TG__ENGINE_WAITING);
        const uint32_t wait_ms = rig_event(r, TG_EVENT_SESSION)->wait_ms;
        low = wait_ms < low ? wait_ms : low;
        high = wait_ms > high ? wait_ms : high;
        assert_int_equal(rig_plain(r, TG__INPUT_STOP), TG_OK);
        r->event_count = 0;
    }
    assert_true(low < 800);
    assert_true(high > 7200 && high <= 8000);
    rig_close(r);
}

/* The gateway welcomes and then hangs: the whole fleet's links end at one and the same deadline. */
static void after_a_join_that_hung_the_window_is_a_wide_one_too(void **state)
{
    (void)state;
    uint32_t low = UINT32_MAX;
    uint32_t high = 0;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        r->deaf = true;
        rig_accept(r);
        rig_deliver(r);
        assert_int_equal(state_of(r), TG__ENGINE_JOINING);
        while (state_of(r) == TG__ENGINE_JOINING) {
            rig_advance(r, r->deadline_ns - r->now_ns);
        }
        assert_int_equal(state_of(r), TG__ENGINE_WAITING);
        const uint32_t wait_ms = rig_event(r, TG_EVENT_SESSION)->wait_ms;
        low = wait_ms < low ? wait_ms : low;
        high = wait_ms > high ? wait_ms : high;
        assert_int_equal(rig_plain(r, TG__INPUT_STOP), TG_OK);
        r->event_count = 0;
    }
    assert_true(low < 400);
    assert_true(high > 3600 && high <= 4000);
    rig_close(r);
}

/* As after a laptop's sleep, or in a host whose loop hung: the adapter hands over what lay in the
 * socket before it tells of the deadline. */
static void who_was_away_and_then_reads_keeps_the_session_and_hears_of_the_gap(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    run_healthy(r, 3 * S);
    r->now_ns += 20 * S;
    sim_session_overflow(&r->session);
    rig_deliver(r);
    assert_int_equal(rig_plain(r, TG__INPUT_TIMER), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    assert_non_null(rig_event(r, TG_EVENT_GAP));
    assert_non_null(rig_event(r, TG_EVENT_RESYNCED));
    assert_int_equal(COUNT(r, attempts), 1);
    rig_close(r);
}

static void a_delay_that_the_gateway_gives_is_a_floor(void **state)
{
    (void)state;
    rig *r = make();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        const uint32_t wait_ms = lose_and_read_wait(r, TG__CAUSE_CLOSE_CODE, 1012, 1840);
        assert_true(wait_ms >= 1840);
        assert_true(wait_ms <= 1840 + 1000);
        assert_int_equal(rig_plain(r, TG__INPUT_STOP), TG_OK);
        r->event_count = 0;
    }
    rig_close(r);
}

static void the_budget_is_not_forgotten_by_a_snapshot_alone(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    uint32_t longest = 0;
    for (int i = 0; i < 12; i++) {
        rig_accept(r);
        rig_deliver(r); /* welcome, snapshot: live; then lost at once */
        const uint32_t wait_ms = lose_and_read_wait(r, TG__CAUSE_LOST, 0, 0);
        longest = wait_ms > longest ? wait_ms : longest;
        rig_await_attempt(r);
    }
    assert_true(longest > 4000); /* the windows grew */
    rig_close(r);
}

static void the_budget_is_forgotten_after_a_stable_time_of_applied_data(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    for (int i = 0; i < 8; i++) {
        (void)lose_and_read_wait(r, TG__CAUSE_CONNECT, 0, 0);
        rig_await_attempt(r);
    }
    rig_accept(r);
    rig_deliver(r);
    run_healthy(r, 11 * S);
    assert_true(lose_and_read_wait(r, TG__CAUSE_LOST, 0, 0) <= 500);
    rig_close(r);
}

/* The gateway promises a heartbeat every ten seconds only: so long may data be silent. */
static void accept_with_slow_heartbeats(rig *r)
{
    rig_accept(r);
    const uint32_t heartbeat_ms = 10000;
    memcpy(r->session.messages[r->session.head].bytes + 54, &heartbeat_ms, sizeof heartbeat_ms);
    rig_deliver(r);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
}

static void answer_for(rig *r, int64_t ns)
{
    for (const int64_t until = r->now_ns + ns; r->now_ns < until;) {
        rig_advance(r, 500 * RIG_MS);
        rig_deliver(r);
    }
}

static void the_budget_is_not_forgotten_by_a_long_session_without_applied_data(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    uint32_t longest = 0;
    for (int i = 0; i < 12; i++) {
        accept_with_slow_heartbeats(r);
        answer_for(r, 20 * S); /* a snapshot, answers, and nothing else */
        assert_int_equal(state_of(r), TG__ENGINE_LIVE);
        const uint32_t wait_ms = lose_and_read_wait(r, TG__CAUSE_LOST, 0, 0);
        longest = wait_ms > longest ? wait_ms : longest;
        rig_await_attempt(r);
    }
    assert_true(longest > 4000);
    rig_close(r);
}

static void spend_the_budget(rig *r)
{
    for (int i = 0; i < 8; i++) {
        (void)lose_and_read_wait(r, TG__CAUSE_CONNECT, 0, 0);
        rig_await_attempt(r);
    }
}

static void a_budget_that_was_forgotten_is_not_remembered_for_a_hole(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    spend_the_budget(r);
    rig_accept(r);
    rig_deliver(r);
    run_healthy(r, 11 * S);
    sim_session_overflow(&r->session);
    r->deaf = true;
    assert_true(lose_and_read_wait(r, TG__CAUSE_LOST, 0, 0) <= 500);
    rig_close(r);
}

/* The empty set has no heartbeats (PROTOCOL.md 8.8): answers speak for the session. */
static void answers_make_a_session_stable_that_follows_nothing(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    spend_the_budget(r);
    rig_accept(r);
    rig_deliver(r);
    answer_for(r, 13 * S);
    assert_true(lose_and_read_wait(r, TG__CAUSE_LOST, 0, 0) <= 500);
    rig_close(r);
}

static void answers_do_not_make_a_session_stable_that_follows_something(void **state)
{
    (void)state;
    uint32_t longest = 0;
    for (int i = 0; i < 12; i++) {
        rig *r = make();
        rig_subscribe(r, 0, 3);
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        spend_the_budget(r);
        rig_unsubscribe(r, 0);
        accept_with_slow_heartbeats(r);
        answer_for(r, 9500 * RIG_MS);
        rig_subscribe(r, 1, 4); /* what spoke for the empty set does not count towards this */
        answer_for(r, 8 * S);
        assert_int_equal(r->session.set_count, 1);
        const uint32_t wait_ms = lose_and_read_wait(r, TG__CAUSE_LOST, 0, 0);
        longest = wait_ms > longest ? wait_ms : longest;
        rig_close(r);
    }
    assert_true(longest > 4000);
}

/* Widest delay of many losses of a session that held. */
static uint32_t widest_wait(rig *r)
{
    uint32_t widest = 0;
    for (int i = 0; i < 40; i++) {
        const uint32_t wait_ms = lose_and_read_wait(r, TG__CAUSE_LOST, 0, 0);
        widest = wait_ms > widest ? wait_ms : widest;
        rig_await_attempt(r);
        rig_accept(r);
        rig_deliver(r);
        run_healthy(r, 11 * S);
        r->event_count = 0;
    }
    return widest;
}

static void a_fleet_that_is_told_its_spread_comes_back_over_it(void **state)
{
    (void)state;
    rig *r = make();
    r->market.reconnect_spread_ms = 6000;
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    run_healthy(r, 11 * S);
    assert_int_equal(COUNT(r, reconnect_spread_ms), 6000);
    uint32_t widest = widest_wait(r);
    assert_true(widest > 5000 && widest <= 6000);
    r->market.reconnect_spread_ms = 60000; /* it has grown, in session: over our own longest */
    sim_session_tell_limits(&r->session);
    rig_deliver(r);
    assert_int_equal(COUNT(r, reconnect_spread_ms), 60000);
    widest = widest_wait(r);
    assert_true(widest > 12500 && widest <= 15000);
    r->market.reconnect_spread_ms = 0; /* a gateway that does not tell is taken as small */
    (void)lose_and_read_wait(r, TG__CAUSE_LOST, 0, 0);
    rig_await_attempt(r);
    rig_accept(r);
    rig_deliver(r);
    run_healthy(r, 11 * S);
    assert_true(widest_wait(r) <= 500);
    /* A time that is given goes over it. */
    r->market.reconnect_spread_ms = 15000;
    sim_session_tell_limits(&r->session);
    rig_deliver(r);
    assert_true(lose_and_read_wait(r, TG__CAUSE_CLOSE_CODE, 1012, 100) <= 1100);
    rig_close(r);
}

static void policies_stop_where_trying_again_cannot_help(void **state)
{
    (void)state;
    static const struct {
        tg__cause cause;
        uint16_t code;
    } ends[] = {
        {TG__CAUSE_HTTP_STATUS, 401}, {TG__CAUSE_HTTP_STATUS, 403}, {TG__CAUSE_CLOSE_CODE, 4001},
        {TG__CAUSE_CLOSE_CODE, 4003}, {TG__CAUSE_CLOSE_CODE, 4004},
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        rig *r = make();
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        assert_int_equal(rig_closed(r, ends[i].cause, ends[i].code, 0), TG_OK);
        assert_int_equal(state_of(r), TG__ENGINE_IDLE);
        assert_int_equal(rig_event(r, TG_EVENT_SESSION)->err, TG_ERR_UNAUTHORIZED);
        assert_int_equal(r->deadline_ns, INT64_MAX);
        assert_int_equal(COUNT(r, stops), 1);
        rig_close(r);
    }
}

static void a_mandatory_feature_that_is_not_known_refuses_the_session(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    rig_accept(r);
    r->session.count = 0;
    const tg__welcome welcome = {
        .features = UINT64_C(1) << 40,
        .frame_interval_ms = 40,
        .heartbeat_interval_ms = 1000,
        .time_resolution_ns = 1000,
        .limits = r->session.limits,
    };
    uint8_t bytes[256];
    size_t size = 0;
    assert_int_equal(tg__welcome_encode(&welcome, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(rig_message(r, bytes, size), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    assert_non_null(strstr(rig_event(r, TG_EVENT_SESSION)->text, "0x10000000000"));
    rig_close(r);
}

static void every_end_is_counted_by_its_cause_alone(void **state)
{
    (void)state;
    for (int cause = 0; cause < TG__CAUSE_COUNT; cause++) {
        rig *r = make();
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        assert_int_equal(rig_closed(r, (tg__cause)cause, 0, cause % 2 == 0 ? 100 : 0), TG_OK);
        for (int other = 0; other < TG__CAUSE_COUNT; other++) {
            assert_int_equal(COUNT(r, ended[other]), other == cause ? 1 : 0);
        }
        assert_int_equal(COUNT(r, delays_told), cause % 2 == 0 && COUNT(r, stops) == 0 ? 1 : 0);
        rig_close(r);
    }
}

static void a_silent_link_is_cut_and_not_closed_politely(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    r->deaf = true;
    rig_advance(r, 4 * S);
    assert_int_equal(state_of(r) == TG__ENGINE_WAITING, 0);
    rig_advance(r, 2 * S);
    assert_true(r->dropped);
    assert_int_equal(COUNT(r, link_timeouts), 1);
    assert_int_equal(COUNT(r, ended[TG__CAUSE_TIMEOUT]), 1);
    assert_int_equal(COUNT(r, wanted), 1);
    assert_int_equal(r->close_code, 0);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_DISCONNECTED);
    rig_close(r);
}

static void a_link_that_echoes_but_brings_no_frames_is_not_taken_for_alive(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    int64_t gap_at = 0;
    const int64_t from = r->now_ns;
    for (int i = 0; i < 200 && state_of(r) != TG__ENGINE_WAITING; i++) {
        rig_advance(r, 100 * RIG_MS);
        /* Echo replies get through, snapshots and frames do not. */
        const sim_message *message = NULL;
        while (r->connected && (message = sim_session_take(&r->session)) != NULL) {
            if (message->bytes[0] == TG__KIND_ECHO_REPLY) {
                assert_int_equal(rig_message(r, message->bytes, message->size), TG_OK);
            }
        }
        if (gap_at == 0 && rig_event(r, TG_EVENT_GAP) != NULL) {
            gap_at = r->now_ns;
        }
    }
    assert_true(gap_at > 0 && gap_at - from <= 6 * S);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    assert_true(r->now_ns - from <= 12 * S); /* asking for images did not renew the clock */
    rig_close(r);
}

static void a_quiet_market_with_heartbeats_stays_live(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    run_healthy(r, 120 * S);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    assert_int_equal(COUNT(r, gaps), 0);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_true(row.quality == TG_QUALITY_LIVE || row.quality == TG_QUALITY_QUIET);
    rig_close(r);
}

static void the_round_trip_is_measured(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    assert_int_equal(COUNT(r, rtt_ns), 0); /* answered in no time at all */
    rig_advance(r, 2 * S);
    r->now_ns += 37 * RIG_MS;
    rig_deliver(r);
    assert_int_equal(COUNT(r, rtt_ns), 37 * RIG_MS);
    assert_int_equal(COUNT(r, rtt_mono_ns), r->now_ns);
    rig_close(r);
}

static void attempts_and_welcomes_that_never_come_time_out(void **state)
{
    (void)state;
    rig *r = make();
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    rig_advance(r, 14 * S);
    assert_int_equal(state_of(r), TG__ENGINE_CONNECTING);
    rig_advance(r, 1 * S);
    assert_true(r->dropped);
    assert_int_equal(rig_event(r, TG_EVENT_SESSION)->err, TG_ERR_TIMEOUT);
    rig_await_attempt(r);
    rig_accept(r);
    r->session.count = 0; /* no WELCOME */
    rig_advance(r, r->deadline_ns - r->now_ns);
    assert_true(r->dropped);
    assert_non_null(strstr(rig_event(r, TG_EVENT_SESSION)->text, "no WELCOME within 10 s"));
    rig_close(r);
}

static void late_events_of_an_older_connection_change_nothing(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    const uint32_t old = r->generation;
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    rig_await_attempt(r);
    rig_go_live(r);
    static const uint8_t mandatory[] = {0xfe};
    tg__input message = {
        .kind = TG__INPUT_MESSAGE, .generation = old, .as.message = {mandatory, 1, r->now_ns}};
    tg__input closed = {
        .kind = TG__INPUT_CLOSED, .generation = old, .as.closed = {TG__CAUSE_LOST, 0, 0, ""}};
    tg__input connected = {.kind = TG__INPUT_CONNECTED, .generation = old};
    assert_int_equal(rig_input(r, &message), TG_OK);
    assert_int_equal(rig_input(r, &closed), TG_OK);
    assert_int_equal(rig_input(r, &connected), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    assert_int_equal(COUNT(r, late_inputs), 3);
    rig_close(r);
}

static void a_reconnect_within_one_generation_asks_by_id_and_confirms(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_subscribe(r, 1, 7);
    rig_go_live(r);
    assert_int_equal(r->session.by_id, 0);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    rig_await_attempt(r);
    rig_go_live(r);
    assert_int_equal(r->session.by_id, 2);
    tg_row row;
    assert_int_equal(rig_row(r, 7, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_LIVE); /* confirmed, though nothing traded */
    tg_store_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_store_counters_get(r->store, &counters), TG_OK);
    assert_int_equal(counters.confirmed, 2);
    rig_close(r);
}

static void another_lineage_starts_over_by_name(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    r->market.lineage = 0x22;
    rig_await_attempt(r);
    rig_go_live(r);
    assert_int_equal(r->session.by_id, 0);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 1003);
    rig_close(r);
}

static void a_dictionary_of_another_generation_reconnects_and_starts_over(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    r->market.generation = 2;
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    sim_session_overflow(&r->session); /* restates the dictionary, now of generation 2 */
    rig_deliver(r);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    rig_await_attempt(r);
    rig_go_live(r);
    assert_int_equal(r->session.by_id, 0);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    rig_close(r);
}

static void a_page_of_another_generation_is_asked_for_anew(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    r->market.generation = 2;
    sim_market_step(&r->market);
    sim_session_frame(&r->session); /* the gateway has the new dictionary now */
    rig_deliver(r);
    const tg__find find = {.request = 5, .limit = 5};
    tg__input input = {.kind = TG__INPUT_FIND, .as.find = &find};
    assert_int_equal(rig_input(r, &input), TG_OK);
    rig_deliver(r);
    assert_int_equal(r->found_pages, 0);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    rig_await_attempt(r);
    rig_go_live(r);
    assert_int_equal(r->found_pages, 1);
    rig_close(r);
}

static void stop_says_good_bye_and_start_begins_again(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    assert_int_equal(rig_plain(r, TG__INPUT_STOP), TG_OK);
    assert_int_equal(r->close_code, TG__CLOSE_NORMAL);
    assert_int_equal(state_of(r), TG__ENGINE_IDLE);
    assert_int_equal(r->deadline_ns, INT64_MAX);
    assert_int_equal(rig_plain(r, TG__INPUT_STOP), TG_OK); /* idempotent */
    rig_go_live(r);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_retry_is_jittered_over_its_whole_window),
        cmocka_unit_test(the_next_attempt_comes_at_its_time_and_not_before),
        cmocka_unit_test(a_timer_that_rings_too_early_is_set_again),
        cmocka_unit_test(after_an_attempt_that_hung_the_window_is_a_wide_one),
        cmocka_unit_test(after_a_join_that_hung_the_window_is_a_wide_one_too),
        cmocka_unit_test(who_was_away_and_then_reads_keeps_the_session_and_hears_of_the_gap),
        cmocka_unit_test(a_delay_that_the_gateway_gives_is_a_floor),
        cmocka_unit_test(the_budget_is_not_forgotten_by_a_snapshot_alone),
        cmocka_unit_test(the_budget_is_forgotten_after_a_stable_time_of_applied_data),
        cmocka_unit_test(the_budget_is_not_forgotten_by_a_long_session_without_applied_data),
        cmocka_unit_test(a_budget_that_was_forgotten_is_not_remembered_for_a_hole),
        cmocka_unit_test(answers_make_a_session_stable_that_follows_nothing),
        cmocka_unit_test(answers_do_not_make_a_session_stable_that_follows_something),
        cmocka_unit_test(a_fleet_that_is_told_its_spread_comes_back_over_it),
        cmocka_unit_test(policies_stop_where_trying_again_cannot_help),
        cmocka_unit_test(a_mandatory_feature_that_is_not_known_refuses_the_session),
        cmocka_unit_test(every_end_is_counted_by_its_cause_alone),
        cmocka_unit_test(a_silent_link_is_cut_and_not_closed_politely),
        cmocka_unit_test(a_link_that_echoes_but_brings_no_frames_is_not_taken_for_alive),
        cmocka_unit_test(a_quiet_market_with_heartbeats_stays_live),
        cmocka_unit_test(the_round_trip_is_measured),
        cmocka_unit_test(attempts_and_welcomes_that_never_come_time_out),
        cmocka_unit_test(late_events_of_an_older_connection_change_nothing),
        cmocka_unit_test(a_reconnect_within_one_generation_asks_by_id_and_confirms),
        cmocka_unit_test(another_lineage_starts_over_by_name),
        cmocka_unit_test(a_dictionary_of_another_generation_reconnects_and_starts_over),
        cmocka_unit_test(a_page_of_another_generation_is_asked_for_anew),
        cmocka_unit_test(stop_says_good_bye_and_start_begins_again),
    };
    return cmocka_run_group_tests_name("sdk.engine_link", tests, NULL, NULL);
}
