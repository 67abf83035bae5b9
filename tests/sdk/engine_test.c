#include "tg_cmocka.h"

#include <string.h>

#include "engine_rig.h"

static rig *make(void)
{
    static rig r;
    rig_open(&r, 64);
    return &r;
}

static rig *make_with_tokens(void)
{
    static rig r;
    rig_open_with_tokens(&r, 64);
    return &r;
}

static uint64_t count(const rig *r, const _Atomic uint64_t *counter)
{
    (void)r;
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#define COUNT(r, name) count((r), &tg__engine_counters_of((r)->engine)->name)

static tg__engine_state state_of(const rig *r)
{
    return tg__engine_state_of(r->engine);
}

/* --- the state table --- */

static void every_state_has_a_row_for_every_input(void **state)
{
    (void)state;
    for (int s = 0; s < TG__ENGINE_STATE_COUNT; s++) {
        for (int i = 0; i < TG__INPUT_COUNT; i++) {
            const char *name = tg__engine_row_name((tg__engine_state)s, (tg__input_kind)i);
            if (name[0] == '\0') {
                fail_msg("state %d has no row for input %d", s, i);
            }
        }
    }
}

static void bring_to(rig *r, tg__engine_state wanted)
{
    rig_subscribe(r, 0, 3);
    switch (wanted) {
    case TG__ENGINE_IDLE:
        return;
    case TG__ENGINE_CONNECTING:
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        return;
    case TG__ENGINE_OPENING:
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        rig_accept(r);
        return;
    case TG__ENGINE_JOINING:
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        rig_accept(r);
        r->deaf = true;
        rig_deliver(r);
        r->deaf = false;
        return;
    case TG__ENGINE_LIVE:
        rig_go_live(r);
        return;
    case TG__ENGINE_RESYNCING:
        rig_go_live(r);
        r->deaf = true;
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        (void)sim_session_take(&r->session); /* lost */
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        rig_deliver(r);
        return;
    case TG__ENGINE_WAITING:
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        assert_int_equal(rig_closed(r, TG__CAUSE_CONNECT, 0, 0), TG_OK);
        return;
    case TG__ENGINE_TOKEN:
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
        return;
    case TG__ENGINE_STATE_COUNT:
        break;
    }
    fail();
}

/* What each row must do, written down apart from the table: N next state as a digit, E an error. */
static const char *const expected[TG__ENGINE_STATE_COUNT] = {
    /* START STOP REQUESTED CONNECTED MESSAGE PROGRESS CLOSED TIMER SUBSCRIBE UNSUBSCRIBE FIND
     * PRIORITISE TOKEN CLOCK VISIBLE */
    [TG__ENGINE_IDLE] = "10EEEEE000E0E00",    [TG__ENGINE_CONNECTING] = "E012EE611111111",
    [TG__ENGINE_OPENING] = "E0EE62622222222", [TG__ENGINE_JOINING] = "E0EE33633333333",
    [TG__ENGINE_LIVE] = "E0EE44644444444",    [TG__ENGINE_RESYNCING] = "E0EE55655555555",
    [TG__ENGINE_WAITING] = "E0EEEEE66666666", [TG__ENGINE_TOKEN] = "E0EEEEE77777177",
};

static tg_err apply(rig *r, tg__input_kind kind)
{
    static const tg__find find = {.request = 1, .limit = 10};
    static const uint8_t optional_unknown[] = {0x3f};
    switch (kind) {
    case TG__INPUT_MESSAGE:
        /* Before WELCOME this ends the attempt only if it is not optional: use a DELTA there. */
        if (state_of(r) == TG__ENGINE_OPENING) {
            static const uint8_t delta[] = {TG__KIND_DELTA};
            return rig_message(r, delta, sizeof delta);
        }
        return rig_message(r, optional_unknown, sizeof optional_unknown);
    case TG__INPUT_CLOSED:
        return rig_closed(r, TG__CAUSE_LOST, 0, 0);
    case TG__INPUT_SUBSCRIBE:
        return rig_subscribe_name(r, 1, SIM_VENUE, "S04");
    case TG__INPUT_UNSUBSCRIBE:
        return rig_unsubscribe(r, 0);
    case TG__INPUT_FIND: {
        tg__input input = {.kind = kind, .as.find = &find};
        return rig_input(r, &input);
    }
    case TG__INPUT_PRIORITISE:
        return rig_prioritise(r, 0, true);
    case TG__INPUT_TOKEN:
        return rig_token(r, true);
    case TG__INPUT_CLOCK:
        return rig_sleep(r, 1000 * RIG_MS);
    case TG__INPUT_VISIBLE:
        return rig_set_visible(r, 0, false);
    case TG__INPUT_START:
    case TG__INPUT_STOP:
    case TG__INPUT_REQUESTED:
    case TG__INPUT_CONNECTED:
    case TG__INPUT_PROGRESS:
    case TG__INPUT_TIMER:
    case TG__INPUT_COUNT:
        break;
    }
    return rig_plain(r, kind);
}

static void every_row_does_what_the_table_of_this_test_says(void **state)
{
    (void)state;
    for (int s = 0; s < TG__ENGINE_STATE_COUNT; s++) {
        for (int i = 0; i < TG__INPUT_COUNT; i++) {
            rig *r = s == TG__ENGINE_TOKEN ? make_with_tokens() : make();
            bring_to(r, (tg__engine_state)s);
            assert_int_equal(state_of(r), s);
            /* In IDLE and WAITING no connection is open; the engine's own generation is not known
             * to a driver then, and an input of the last one is late. */
            const bool closed =
                s == TG__ENGINE_IDLE || s == TG__ENGINE_WAITING || s == TG__ENGINE_TOKEN;
            const uint64_t late = COUNT(r, late_inputs);
            const tg_err err = apply(r, (tg__input_kind)i);
            const char want = expected[s][i];
            if (want == 'E' && closed && i >= TG__INPUT_REQUESTED && i <= TG__INPUT_CLOSED) {
                if (err == TG_OK && COUNT(r, late_inputs) != late + 1) {
                    fail_msg("state %d input %d: neither late nor refused", s, i);
                }
            } else if (want == 'E'
                           ? err != TG_ERR_STATE
                           : err != TG_OK || state_of(r) != (tg__engine_state)(want - '0')) {
                fail_msg("state %d input %d: error %s, state %d, expected %c", s, i,
                         tg_err_name(err), (int)state_of(r), want);
            }
            rig_close(r);
        }
    }
}

static tg_store_counters counters_of_store(const rig *r)
{
    tg_store_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_store_counters_get(r->store, &counters), TG_OK);
    return counters;
}

/* --- joining --- */

static void a_session_joins_and_shows_its_images(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_subscribe(r, 1, 7);
    rig_go_live(r);
    assert_int_equal(r->session.subscribes, 1);
    assert_int_equal(r->answers, 2);
    tg_row row;
    assert_int_equal(rig_row(r, 7, &row), TG_OK);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 1007);
    assert_int_equal(row.quality, TG_QUALITY_LIVE);
    assert_int_equal(rig_event(r, TG_EVENT_SESSION)->state, TG_SESSION_LIVE);
    rig_close(r);
}

static void deltas_reach_the_reader(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    sim_market_tick(&r->market, 3, 2000);
    sim_market_tick(&r->market, 3, 2001);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 2001);
    assert_int_equal(row.image.seq, 3);
    assert_int_equal(COUNT(r, frames), 2);
    tg_store_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_store_counters_get(r->store, &counters), TG_OK);
    assert_int_equal(counters.covered_ticks, 2);
    rig_close(r);
}

static void without_subscriptions_a_session_is_live_at_once(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    assert_int_equal(r->session.subscribes, 0);
    rig_close(r);
}

static void answers_are_told_for_each_subscription(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_subscribe(r, 1, 21); /* not entitled */
    assert_int_equal(rig_subscribe_name(r, 2, SIM_VENUE, "NOPE"), TG_OK);
    rig_subscribe(r, 3, 3); /* a second view of the same instrument */
    rig_go_live(r);
    assert_int_equal(r->answers, 4);
    assert_int_equal(r->session.items, 3);
    assert_int_equal(r->session.set_count, 1);
    rig_close(r);
}

static void a_low_rate_spreads_the_items(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    const tg__limits limits = {SIM_INSTRUMENTS, 4, SIM_MESSAGE_SIZE, 5, 0};
    sim_message *message = sim_session_put(&r->session);
    assert_int_equal(tg__limits_encode(&limits, message->bytes, SIM_MESSAGE_SIZE, &message->size),
                     TG_OK);
    rig_deliver(r);
    for (uint32_t i = 0; i < 12; i++) {
        rig_subscribe(r, i, (tg_instrument_id)i);
    }
    rig_advance(r, 0);
    assert_int_equal(r->session.items, 5); /* a second's worth */
    for (int tenth = 0; tenth < 30; tenth++) {
        rig_deliver(r);
        rig_advance(r, 100 * RIG_MS);
        assert_true((int)r->session.items <= 5 + 5 * (tenth + 1) / 10 + 1);
    }
    rig_deliver(r);
    assert_int_equal(r->session.items, 12);
    assert_int_equal(r->session.set_count, 12);
    rig_close(r);
}

static void any_advertised_rate_is_survived(void **state)
{
    (void)state;
    static const uint32_t rates[] = {1, 999999999, 1000000000, 1000000001, UINT32_MAX};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        rig *r = make();
        rig_go_live(r);
        const tg__limits limits = {SIM_INSTRUMENTS, 4, SIM_MESSAGE_SIZE, rates[i], 0};
        sim_message *message = sim_session_put(&r->session);
        assert_int_equal(
            tg__limits_encode(&limits, message->bytes, SIM_MESSAGE_SIZE, &message->size), TG_OK);
        rig_deliver(r);
        rig_subscribe(r, 0, 3);
        rig_advance(r, 0);
        rig_deliver(r);
        assert_int_equal(r->session.set_count, 1);
        rig_close(r);
    }
}

static void too_fast_is_asked_again_later(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    rig_accept(r);
    r->session.too_fast_once = true;
    rig_deliver(r);
    assert_int_equal(state_of(r), TG__ENGINE_JOINING);
    rig_advance(r, 500 * RIG_MS);
    rig_deliver(r);
    assert_int_equal(r->session.subscribes, 1);
    rig_advance(r, 1500 * RIG_MS);
    rig_deliver(r);
    assert_int_equal(r->session.subscribes, 2);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    rig_close(r);
}

static void a_pending_answer_is_completed_by_the_next(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    rig_accept(r);
    r->session.pending_answers = true;
    rig_deliver(r);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    assert_int_equal(r->answers, 1);
    rig_close(r);
}

static void an_unsubscription_leaves_other_views_alone(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_subscribe(r, 1, 3);
    rig_subscribe(r, 2, 4);
    rig_go_live(r);
    assert_int_equal(rig_unsubscribe(r, 0), TG_OK);
    rig_advance(r, 10 * RIG_MS);
    rig_deliver(r);
    assert_int_equal(r->session.set_count, 2);
    assert_int_equal(rig_unsubscribe(r, 1), TG_OK);
    assert_int_equal(rig_unsubscribe(r, 1), TG_ERR_NOT_FOUND);
    rig_advance(r, 10 * RIG_MS);
    rig_deliver(r);
    assert_int_equal(r->session.set_count, 1);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    /* What was left behind keeps its last price, and says that it is one. */
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_STALE);
    assert_int_equal(row.cause, TG_QUALITY_CAUSE_UNSUBSCRIBED);
    assert_int_equal(rig_row(r, 4, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_LIVE);
    rig_subscribe(r, 3, 3);
    rig_advance(r, 10 * RIG_MS);
    rig_deliver(r);
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_LIVE);
    rig_close(r);
}

/* An ADD of an instrument as the simulated gateway describes it, but for its symbol. */
static tg_err give_entry(rig *r, tg_instrument_id id, const char *symbol)
{
    tg__dictionary_entry entry;
    uint8_t bytes[256];
    size_t size = 0;
    const tg_view *view = tg_reader_pin(r->reader);
    memset(&entry, 0, sizeof entry);
    entry.op = TG__DICTIONARY_ADD;
    assert_int_equal(tg_view_instrument(view, id, &entry.as.instrument), TG_OK);
    tg_reader_unpin(r->reader);
    memset(entry.as.instrument.symbol, 0, TG_SYMBOL_SIZE);
    memcpy(entry.as.instrument.symbol, symbol, strlen(symbol));
    assert_int_equal(
        tg__dictionary_encode(r->market.generation, &entry, 1, bytes, sizeof bytes, &size), TG_OK);
    return rig_message(r, bytes, size);
}

static void a_rename_that_came_while_the_client_was_away_is_taken(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    rig_await_attempt(r);
    rig_accept(r);
    const sim_message *welcome = sim_session_take(&r->session);
    assert_int_equal(rig_message(r, welcome->bytes, welcome->size), TG_OK);
    assert_int_equal(give_entry(r, 3, "RENAMED"), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_JOINING);
    tg_instrument renamed;
    assert_int_equal(tg_view_instrument(tg_reader_pin(r->reader), 3, &renamed), TG_OK);
    assert_string_equal(renamed.symbol, "RENAMED");
    tg_reader_unpin(r->reader);
    /* Once in a session: after that the id would mean two things. */
    assert_int_equal(give_entry(r, 3, "AGAIN"), TG_OK);
    assert_int_not_equal(state_of(r), TG__ENGINE_JOINING);
    assert_int_equal(r->close_code, TG__CLOSE_BAD_MESSAGE);
    rig_close(r);
}

static void an_instrument_wanted_again_while_it_leaves_comes_back(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_subscribe(r, 1, 4);
    rig_go_live(r);
    assert_int_equal(rig_unsubscribe(r, 0), TG_OK);
    rig_advance(r, 10 * RIG_MS); /* UNSUBSCRIBE is under way */
    rig_subscribe(r, 5, 3);
    rig_deliver(r);
    rig_advance(r, 10 * RIG_MS);
    rig_deliver(r);
    assert_int_equal(r->session.set_count, 2);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    rig_close(r);
}

static void a_set_that_differs_from_our_account_ends_the_session(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    rig_accept(r);
    r->session.set[0] = 9; /* the gateway believes in an instrument that was never asked for */
    r->session.set_count = 1;
    rig_deliver(r);
    assert_int_equal(COUNT(r, set_mismatches), 1);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    assert_int_equal(r->close_code, TG__CLOSE_BAD_MESSAGE);
    rig_close(r);
}

static void find_pages_through_the_directory(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    const tg__find first = {.request = 5, .limit = 20, .prefix = "S"};
    tg__input input = {.kind = TG__INPUT_FIND, .as.find = &first};
    assert_int_equal(rig_input(r, &input), TG_OK);
    rig_deliver(r);
    assert_int_equal(r->found_entries, 20);
    assert_true(r->found_more);
    const tg__find next = {.request = 6, .limit = 20, .prefix = "S", .after_symbol = "S19"};
    input.as.find = &next;
    assert_int_equal(rig_input(r, &input), TG_OK);
    rig_deliver(r);
    assert_int_equal(r->found_entries, 24);
    assert_false(r->found_more);
    rig_close(r);
}

static void a_search_that_a_lost_connection_swallowed_is_asked_again(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    r->deaf = true;
    const tg__find find = {.request = 5, .limit = 5};
    tg__input input = {.kind = TG__INPUT_FIND, .as.find = &find};
    assert_int_equal(rig_input(r, &input), TG_OK);
    r->deaf = false;
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    rig_await_attempt(r);
    rig_go_live(r);
    assert_int_equal(r->found_pages, 1);
    rig_close(r);
}

/* --- holes and faults --- */

static void lose_one_frame(rig *r)
{
    sim_market_tick(&r->market, 3, 3000);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    assert_non_null(sim_session_take(&r->session));
    sim_market_tick(&r->market, 3, 3001);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
}

static void a_lost_frame_is_noticed_and_repaired(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    lose_one_frame(r);
    r->deaf = true;
    rig_deliver(r);
    assert_int_equal(state_of(r), TG__ENGINE_RESYNCING);
    assert_int_equal(COUNT(r, gaps), 1);
    assert_int_equal(COUNT(r, frames_unfit), 1);
    assert_non_null(rig_event(r, TG_EVENT_GAP));
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_RESYNCING);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 1003);
    /* That RESYNC was lost; the next one, half a second to one and a half later, is not. Frames
     * meanwhile do not fit. */
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    assert_int_equal(COUNT(r, gaps), 1);
    assert_int_equal(COUNT(r, frames_unfit), 2);
    r->deaf = false;
    rig_advance(r, 499 * RIG_MS);
    assert_int_equal(COUNT(r, resyncs), 1);
    rig_advance(r, 1001 * RIG_MS);
    rig_deliver(r);
    assert_int_equal(COUNT(r, resyncs), 2);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    assert_non_null(rig_event(r, TG_EVENT_RESYNCED));
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_LIVE);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 3001);
    rig_close(r);
}

/* Clients that lost the same frame, told apart by their draws alone. */
static void repeats_of_a_request_for_images_are_spread(void **state)
{
    (void)state;
    int64_t least = INT64_MAX;
    int64_t most = 0;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    for (int i = 0; i < 60; i++) {
        rig_go_live(r);
        lose_one_frame(r);
        r->deaf = true;
        rig_deliver(r);
        const uint64_t asked = COUNT(r, resyncs);
        const int64_t from = r->now_ns;
        while (COUNT(r, resyncs) == asked) {
            rig_advance(r, 10 * RIG_MS);
        }
        const int64_t gap = r->now_ns - from;
        least = gap < least ? gap : least;
        most = gap > most ? gap : most;
        r->deaf = false;
        r->event_count = 0;
        assert_int_equal(rig_plain(r, TG__INPUT_STOP), TG_OK);
    }
    assert_true(least >= 500 * RIG_MS && least < 600 * RIG_MS);
    assert_true(most <= 1510 * RIG_MS && most > 1400 * RIG_MS);
    rig_close(r);
}

/* A gateway of many clients may have lost it for all: these spread over an eighth of its time. */
static void a_frame_that_may_be_lost_for_many_is_asked_for_by_turns(void **state)
{
    (void)state;
    int64_t most = 0;
    int64_t least = INT64_MAX;
    rig *r = make();
    r->market.reconnect_spread_ms = 8000;
    rig_subscribe(r, 0, 3);
    for (int i = 0; i < 60; i++) {
        rig_go_live(r);
        const uint64_t asked = COUNT(r, resyncs);
        lose_one_frame(r);
        rig_deliver(r);
        assert_int_equal(state_of(r), TG__ENGINE_RESYNCING); /* it shows at once */
        const int64_t from = r->now_ns;
        while (COUNT(r, resyncs) == asked) {
            rig_advance(r, 10 * RIG_MS);
        }
        const int64_t lag = r->now_ns - from;
        least = lag < least ? lag : least;
        most = lag > most ? lag : most;
        r->event_count = 0;
        assert_int_equal(rig_plain(r, TG__INPUT_STOP), TG_OK);
    }
    assert_true(least < 100 * RIG_MS);
    assert_true(most > 900 * RIG_MS && most <= 1010 * RIG_MS);
    rig_close(r);
}

static void holes_right_after_repairs_are_paced(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    for (int i = 0; i < 100; i++) {
        lose_one_frame(r);
        rig_deliver(r);
        rig_advance(r, 100 * RIG_MS);
        rig_deliver(r);
    }
    /* 10 s of holes: at once, then after 1, 2, 4 … s halves, never ten times a second. */
    assert_true(COUNT(r, resyncs) >= 3);
    assert_true(COUNT(r, resyncs) <= 8);
    rig_close(r);
}

static void resyncs_that_bring_nothing_end_the_connection(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    lose_one_frame(r);
    r->deaf = true;
    rig_deliver(r);
    for (int i = 0; i < 400 && state_of(r) == TG__ENGINE_RESYNCING; i++) {
        sim_market_step(&r->market); /* the link lives: echoes are answered by hand */
        sim_session_frame(&r->session);
        rig_deliver(r);
        rig_advance(r, 100 * RIG_MS);
    }
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    assert_true(r->dropped);
    assert_int_equal(rig_event(r, TG_EVENT_SESSION)->err, TG_ERR_TIMEOUT);
    rig_close(r);
}

static void a_rejected_frame_names_its_place_and_is_repaired(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    sim_market_tick(&r->market, 3, 4000);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    const sim_message *frame = sim_session_take(&r->session);
    assert_int_equal(rig_message(r, frame->bytes, frame->size - 1), TG_OK);
    const tg_event *fault = rig_event(r, TG_EVENT_FAULT);
    assert_non_null(fault);
    assert_int_equal(fault->err, TG_ERR_TRUNCATED);
    assert_non_null(strstr(fault->text, "DELTA rejected"));
    assert_non_null(strstr(fault->text, "offset"));
    assert_int_equal(COUNT(r, frames_rejected), 1);
    rig_deliver(r);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 4000);
    rig_close(r);
}

static void a_peer_that_keeps_sending_bad_frames_is_dropped(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    static const uint8_t bad[] = {TG__KIND_DELTA, 0xff};
    int sent = 0;
    for (; sent < 20 && state_of(r) != TG__ENGINE_WAITING; sent++) {
        assert_int_equal(rig_message(r, bad, sizeof bad), TG_OK);
        rig_advance(r, 1500 * RIG_MS);
        rig_deliver(r);
    }
    assert_int_equal(sent, 5);
    assert_int_equal(r->close_code, TG__CLOSE_BAD_MESSAGE);
    assert_true(rig_event(r, TG_EVENT_SESSION)->wait_ms >= 15000); /* slowly */
    rig_close(r);
}

static void unknown_optional_messages_are_counted_and_mandatory_ones_refused(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    static const uint8_t optional[] = {0x3e, 1, 2, 3};
    static const uint8_t mandatory[] = {0xfe, 1, 2, 3};
    assert_int_equal(rig_message(r, optional, sizeof optional), TG_OK);
    assert_int_equal(COUNT(r, unknown_messages), 1);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    assert_int_equal(rig_message(r, mandatory, sizeof mandatory), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    assert_int_equal(r->close_code, TG__CLOSE_BAD_MESSAGE);
    assert_int_equal(rig_event(r, TG_EVENT_FAULT)->err, TG_ERR_MANDATORY_UNKNOWN);
    rig_close(r);
}

static void a_message_over_the_limit_closes_with_1009(void **state)
{
    (void)state;
    rig *r = make();
    rig_go_live(r);
    static uint8_t big[SIM_MESSAGE_SIZE + 1];
    big[0] = 0x3e;
    assert_int_equal(rig_message(r, big, sizeof big), TG_OK);
    assert_int_equal(r->close_code, TG__CLOSE_TOO_BIG);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    rig_close(r);
}

static void a_snapshot_of_an_overflow_counts_as_a_repaired_gap(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    sim_market_tick(&r->market, 3, 5000);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    sim_session_overflow(&r->session);
    sim_market_tick(&r->market, 3, 5001);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    assert_int_equal(COUNT(r, gaps), 1);
    assert_non_null(rig_event(r, TG_EVENT_RESYNCED));
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 5001);
    rig_close(r);
}

/* The market's image of an instrument, by the priority channel. */
static void give_priority_tick(rig *r, tg_instrument_id id, const tg_book *book)
{
    tg__tick tick;
    memset(&tick, 0, sizeof tick);
    tick.update.id = id;
    tick.update.image = r->market.images[id];
    tick.update.covered = 1;
    tick.has_book = book != NULL;
    if (book != NULL) {
        tick.book = *book;
    }
    uint8_t bytes[512];
    size_t size = 0;
    assert_int_equal(tg__ticks_encode(sim_market_utc_ns(&r->market), SIM_RESOLUTION_NS, &tick, 1,
                                      bytes, sizeof bytes, &size),
                     TG_OK);
    assert_int_equal(rig_message(r, bytes, size), TG_OK);
}

static void a_row_that_is_older_than_the_stores_is_refused_alone(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_subscribe(r, 1, 7);
    rig_go_live(r);
    sim_market_tick(&r->market, 3, 6000);
    sim_market_tick(&r->market, 7, 6007);
    sim_market_step(&r->market);
    sim_session_frame(&r->session); /* on its way, and overtaken */
    sim_market_tick(&r->market, 3, 7000);
    give_priority_tick(r, 3, NULL);
    rig_deliver(r);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 7000);
    assert_int_equal(rig_row(r, 7, &row), TG_OK);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 6007);
    assert_int_equal(COUNT(r, gaps), 0);
    const tg_store_counters counters = counters_of_store(r);
    assert_int_equal(counters.rejected_regression, 1);
    assert_int_equal(counters.superseded, 1);
    assert_int_equal(counters.lost, 0);
    assert_int_equal(counters.lane_ticks, counters.received + counters.superseded);
    rig_close(r);
}

static void a_priority_tick_reaches_row_and_book_and_leaves_the_channel_alone(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    assert_int_equal(rig_prioritise(r, 0, true), TG_OK);
    rig_advance(r, RIG_MS);
    rig_deliver(r);
    sim_market_tick(&r->market, 3, 6000);
    const tg_book book = {.bid_count = 1, .bid = {{6000, 0}}};
    give_priority_tick(r, 3, &book);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.image.value[TG_FIELD_BID_PRICE], 6000);
    assert_int_equal(COUNT(r, books_refused), 0);
    /* The same tick in the next frame confirms; the frame fits. */
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    assert_int_equal(COUNT(r, gaps), 0);
    tg_store_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_store_counters_get(r->store, &counters), TG_OK);
    assert_int_equal(counters.confirmed, 2); /* and the one that priority begins with */
    rig_close(r);
}

static void a_row_of_an_unknown_id_ends_the_session(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    tg__tick tick;
    memset(&tick, 0, sizeof tick);
    tick.update.id = 9;
    tick.update.image = r->market.images[9];
    uint8_t bytes[512];
    size_t size = 0;
    assert_int_equal(tg__ticks_encode(sim_market_utc_ns(&r->market), SIM_RESOLUTION_NS, &tick, 1,
                                      bytes, sizeof bytes, &size),
                     TG_OK);
    assert_int_equal(rig_message(r, bytes, size), TG_OK);
    assert_int_equal(COUNT(r, unknown_rows), 1);
    assert_int_equal(state_of(r), TG__ENGINE_WAITING);
    rig_close(r);
}

static void rows_are_resyncing_and_not_live_until_their_images_come(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_DISCONNECTED);
    rig_await_attempt(r);
    rig_accept(r);
    r->deaf = true; /* no SUBSCRIBE arrives, so no image comes */
    rig_deliver(r);
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_RESYNCING);
    rig_close(r);
}

/* The next transition after since must be this one; its number. */
static uint64_t assert_told(rig *r, uint64_t since, tg_instrument_id id, tg_quality from,
                            tg_quality to, tg_quality_cause cause)
{
    tg_transition told;
    assert_int_equal(tg_store_transitions(r->store, since, &told, 1), 1);
    assert_int_equal(told.id, id);
    assert_int_equal(told.from, from);
    assert_int_equal(told.to, to);
    assert_int_equal(told.cause, cause);
    return told.number;
}

static void each_change_of_quality_is_told_with_its_cause(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    uint64_t at = assert_told(r, 0, 3, TG_QUALITY_UNKNOWN, TG_QUALITY_LIVE, TG_QUALITY_CAUSE_NONE);
    const int64_t live_ns = r->now_ns;
    while (counters_of_store(r).transitions == at) { /* frames come, but no tick: time alone */
        rig_advance(r, 10 * RIG_MS);
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        rig_deliver(r);
        assert_true(r->now_ns <= live_ns + (SIM_CADENCE_MS + 250 + 10) * RIG_MS);
    }
    assert_true(r->now_ns > live_ns + SIM_CADENCE_MS * RIG_MS);
    at = assert_told(r, at, 3, TG_QUALITY_LIVE, TG_QUALITY_QUIET, TG_QUALITY_CAUSE_CADENCE);
    sim_market_tick(&r->market, 3, 2000);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    at = assert_told(r, at, 3, TG_QUALITY_QUIET, TG_QUALITY_LIVE, TG_QUALITY_CAUSE_NONE);
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    (void)assert_told(r, at, 3, TG_QUALITY_LIVE, TG_QUALITY_DISCONNECTED, TG_QUALITY_CAUSE_LINK);
    rig_close(r);
}

static void a_stale_venue_makes_its_rows_stale_until_the_gateway_says_otherwise(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_go_live(r);
    const tg__venue_state stale = {1, TG__VENUE_STALE, 1};
    uint8_t bytes[64];
    size_t size = 0;
    assert_int_equal(tg__venue_state_encode(&stale, bytes, sizeof bytes, &size), TG_OK);
    assert_int_equal(rig_message(r, bytes, size), TG_OK);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_STALE);
    /* The next session's gateway says anew which venues are stale: none. */
    assert_int_equal(rig_closed(r, TG__CAUSE_LOST, 0, 0), TG_OK);
    rig_await_attempt(r);
    rig_go_live(r);
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_LIVE);
    rig_close(r);
}

/* After a frame that came twice the chain goes on, and rows prove themselves; then one is lost. */
static void a_hole_behind_a_hole_doubts_what_came_between(void **state)
{
    (void)state;
    rig *r = make();
    rig_subscribe(r, 0, 3);
    rig_subscribe(r, 1, 7);
    rig_go_live(r);
    r->deaf = true; /* the RESYNC is lost */
    sim_market_tick(&r->market, 3, 2000);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    const sim_message twice = *sim_session_take(&r->session);
    assert_int_equal(rig_message(r, twice.bytes, twice.size), TG_OK);
    assert_int_equal(rig_message(r, twice.bytes, twice.size), TG_OK);
    assert_int_equal(state_of(r), TG__ENGINE_RESYNCING);
    sim_market_tick(&r->market, 3, 2001);
    sim_market_step(&r->market);
    sim_session_frame(&r->session);
    rig_deliver(r);
    tg_row row;
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_LIVE);
    for (int i = 0; i < 2; i++) {
        sim_market_tick(&r->market, 3, 2002 + i);
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        if (i == 0) {
            (void)sim_session_take(&r->session); /* lost */
        }
    }
    rig_deliver(r);
    assert_int_equal(rig_row(r, 3, &row), TG_OK);
    assert_int_equal(row.quality, TG_QUALITY_RESYNCING);
    r->deaf = false;
    rig_advance(r, 2000 * RIG_MS);
    rig_deliver(r);
    assert_int_equal(state_of(r), TG__ENGINE_LIVE);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_has_a_row_for_every_input),
        cmocka_unit_test(every_row_does_what_the_table_of_this_test_says),
        cmocka_unit_test(a_session_joins_and_shows_its_images),
        cmocka_unit_test(deltas_reach_the_reader),
        cmocka_unit_test(without_subscriptions_a_session_is_live_at_once),
        cmocka_unit_test(answers_are_told_for_each_subscription),
        cmocka_unit_test(a_low_rate_spreads_the_items),
        cmocka_unit_test(any_advertised_rate_is_survived),
        cmocka_unit_test(a_hole_behind_a_hole_doubts_what_came_between),
        cmocka_unit_test(too_fast_is_asked_again_later),
        cmocka_unit_test(a_pending_answer_is_completed_by_the_next),
        cmocka_unit_test(an_unsubscription_leaves_other_views_alone),
        cmocka_unit_test(a_rename_that_came_while_the_client_was_away_is_taken),
        cmocka_unit_test(an_instrument_wanted_again_while_it_leaves_comes_back),
        cmocka_unit_test(a_set_that_differs_from_our_account_ends_the_session),
        cmocka_unit_test(find_pages_through_the_directory),
        cmocka_unit_test(a_search_that_a_lost_connection_swallowed_is_asked_again),
        cmocka_unit_test(a_lost_frame_is_noticed_and_repaired),
        cmocka_unit_test(repeats_of_a_request_for_images_are_spread),
        cmocka_unit_test(a_frame_that_may_be_lost_for_many_is_asked_for_by_turns),
        cmocka_unit_test(holes_right_after_repairs_are_paced),
        cmocka_unit_test(resyncs_that_bring_nothing_end_the_connection),
        cmocka_unit_test(a_rejected_frame_names_its_place_and_is_repaired),
        cmocka_unit_test(a_peer_that_keeps_sending_bad_frames_is_dropped),
        cmocka_unit_test(unknown_optional_messages_are_counted_and_mandatory_ones_refused),
        cmocka_unit_test(a_message_over_the_limit_closes_with_1009),
        cmocka_unit_test(a_snapshot_of_an_overflow_counts_as_a_repaired_gap),
        cmocka_unit_test(a_row_that_is_older_than_the_stores_is_refused_alone),
        cmocka_unit_test(a_priority_tick_reaches_row_and_book_and_leaves_the_channel_alone),
        cmocka_unit_test(a_row_of_an_unknown_id_ends_the_session),
        cmocka_unit_test(rows_are_resyncing_and_not_live_until_their_images_come),
        cmocka_unit_test(each_change_of_quality_is_told_with_its_cause),
        cmocka_unit_test(a_stale_venue_makes_its_rows_stale_until_the_gateway_says_otherwise),
    };
    return cmocka_run_group_tests_name("sdk.engine", tests, NULL, NULL);
}
