#include "engine_rig.h"

#include "tg_cmocka.h"

#include <stdlib.h>
#include <string.h>

static int64_t rig_mono_ns(void *ctx)
{
    return ((rig *)ctx)->now_ns;
}

static int64_t rig_utc_ns(void *ctx)
{
    return sim_market_utc_ns(&((rig *)ctx)->market);
}

/* What a test does not choose is set here. */
static void open_engine(rig *r, uint32_t instruments_max, tg__engine_options options)
{
    memset(r, 0, sizeof *r);
    r->now_ns = 1000 * RIG_MS;
    r->clock.mono_ns = rig_mono_ns;
    r->clock.utc_ns = rig_utc_ns;
    r->clock.ctx = r;
    r->deadline_ns = INT64_MAX;
    sim_market_init(&r->market, 0x11, &r->now_ns);
    r->gateway = &r->market;
    r->messages = calloc(SIM_MESSAGES_MAX, sizeof *r->messages);
    assert_non_null(r->messages);
    const tg__store_options store = {
        .instruments_max = instruments_max, .readers_max = 2, .transitions_max = 256};
    assert_int_equal(tg__store_open(&store, &r->store), TG_OK);
    assert_int_equal(tg_reader_open(r->store, &r->reader), TG_OK);
    options.store = r->store;
    options.instruments_max = instruments_max;
    options.endpoint_count = options.endpoint_count != 0 ? options.endpoint_count : 1;
    options.interests_max = 2 * instruments_max;
    options.backoff_first_ms = 500;
    options.backoff_cap_ms = 15000;
    options.random_seed = options.random_seed != 0 ? options.random_seed : 7;
    options.clock = &r->clock;
    assert_int_equal(tg__engine_open(&options, &r->engine), TG_OK);
}

void rig_open(rig *r, uint32_t instruments_max)
{
    open_engine(r, instruments_max, (tg__engine_options){0});
}

void rig_open_with_tokens(rig *r, uint32_t instruments_max)
{
    open_engine(r, instruments_max, (tg__engine_options){.renews_tokens = true});
}

void rig_open_with_endpoints(rig *r, uint32_t instruments_max, uint32_t endpoint_count)
{
    open_engine(r, instruments_max, (tg__engine_options){.endpoint_count = endpoint_count});
}

void rig_open_with_reports(rig *r, uint32_t instruments_max, uint32_t share_ppm, uint64_t seed)
{
    open_engine(r, instruments_max,
                (tg__engine_options){.random_seed = seed, .report_share_ppm = share_ppm});
}

void rig_close(rig *r)
{
    tg__engine_close(r->engine);
    tg_reader_close(r->reader);
    tg__store_close(r->store);
    free(r->messages);
}

static void count_found(rig *r, const tg__action *action)
{
    tg__dictionary_reader reader = action->as.found.reader;
    tg__dictionary_entry entry;
    while (tg__dictionary_next(&reader, &entry)) {
        r->found_entries += entry.op == TG__DICTIONARY_ADD;
    }
    r->found_pages++;
    r->found_more = action->as.found.found.more;
}

static void end_connection(rig *r)
{
    r->connected = false;
    r->connecting = false;
    r->session.count = 0;
}

static void perform(rig *r, const tg__action *action)
{
    if (r->on_action != NULL) {
        r->on_action(r->on_action_ctx, r->now_ns, action);
    }
    switch (action->kind) {
    case TG__ACTION_CONNECT:
        assert_false(r->connected);
        r->connecting = true;
        r->generation = action->generation;
        r->endpoint = action->as.endpoint;
        break;
    case TG__ACTION_SEND:
        if (r->connected && !r->deaf) {
            assert_int_equal(action->generation, r->generation);
            sim_session_receive(&r->session, action->as.send.bytes, action->as.send.size);
        }
        break;
    case TG__ACTION_TOKEN:
        r->token_asks++;
        r->token_reason = action->as.token_reason;
        break;
    case TG__ACTION_SEND_TOKEN:
        assert_true(r->connected);
        assert_int_equal(action->generation, r->generation);
        r->tokens_sent++;
        break;
    case TG__ACTION_TIMER:
        r->deadline_ns = action->as.deadline_ns;
        break;
    case TG__ACTION_CLOSE:
        r->close_code = action->as.close_code;
        end_connection(r);
        break;
    case TG__ACTION_DROP:
        r->dropped = true;
        end_connection(r);
        break;
    case TG__ACTION_EVENT:
        r->events[r->event_count++ % RIG_EVENTS_MAX] = action->as.event;
        break;
    case TG__ACTION_ANSWER:
        r->answers++;
        break;
    case TG__ACTION_PRIORITY:
        r->priority_answers++;
        r->priority_answer = action->as.answer;
        break;
    case TG__ACTION_FOUND:
        count_found(r, action);
        break;
    case TG__ACTION_PUBLISHED:
        r->published++;
        break;
    case TG__ACTION_AUDIT:
        r->audits++;
        break;
    }
}

tg_err rig_input(rig *r, tg__input *input)
{
    input->now_ns = r->now_ns;
    const tg_err err = tg__engine_input(r->engine, input);
    tg__action action;
    while (tg__engine_next(r->engine, &action)) {
        perform(r, &action);
    }
    return err;
}

tg_err rig_plain(rig *r, tg__input_kind kind)
{
    tg__input input = {.kind = kind, .generation = r->generation};
    return rig_input(r, &input);
}

void rig_subscribe(rig *r, uint32_t sub, tg_instrument_id id)
{
    char symbol[TG_SYMBOL_SIZE];
    sim_symbol(id, symbol);
    assert_int_equal(rig_subscribe_name(r, sub, SIM_VENUE, symbol), TG_OK);
}

tg_err rig_subscribe_name(rig *r, uint32_t sub, const char *venue, const char *symbol)
{
    tg__input input = {.kind = TG__INPUT_SUBSCRIBE,
                       .as.subscribe = {{UINT32_C(0x10000) | sub}, venue, symbol}};
    return rig_input(r, &input);
}

tg_err rig_unsubscribe(rig *r, uint32_t sub)
{
    tg__input input = {.kind = TG__INPUT_UNSUBSCRIBE, .as.unsubscribe = {UINT32_C(0x10000) | sub}};
    return rig_input(r, &input);
}

tg_err rig_prioritise(rig *r, uint32_t sub, bool on)
{
    tg__input input = {.kind = TG__INPUT_PRIORITISE,
                       .as.prioritise = {{UINT32_C(0x10000) | sub}, on}};
    return rig_input(r, &input);
}

tg_err rig_token(rig *r, bool given)
{
    tg__input input = {.kind = TG__INPUT_TOKEN, .as.token_given = given};
    return rig_input(r, &input);
}

tg_err rig_sleep(rig *r, int64_t ns)
{
    sim_market_go_on(&r->market, ns);
    tg__input input = {.kind = TG__INPUT_CLOCK, .as.clock = {ns, 0}};
    return rig_input(r, &input);
}

tg_err rig_set_clock(rig *r, int64_t by_ns)
{
    tg__input input = {.kind = TG__INPUT_CLOCK, .as.clock = {0, by_ns}};
    return rig_input(r, &input);
}

tg_err rig_set_visible(rig *r, uint32_t sub, bool visible)
{
    tg__input input = {.kind = TG__INPUT_VISIBLE,
                       .as.visible = {{UINT32_C(0x10000) | sub}, visible}};
    return rig_input(r, &input);
}

tg_err rig_message(rig *r, const uint8_t *bytes, size_t size)
{
    tg__input input = {.kind = TG__INPUT_MESSAGE,
                       .generation = r->generation,
                       .as.message = {bytes, size, r->now_ns}};
    return rig_input(r, &input);
}

tg_err rig_progress(rig *r, size_t size)
{
    tg__input input = {
        .kind = TG__INPUT_PROGRESS, .generation = r->generation, .as.progress = size};
    return rig_input(r, &input);
}

tg_err rig_closed(rig *r, tg__cause cause, uint16_t code, uint32_t floor_ms)
{
    tg__input input = {.kind = TG__INPUT_CLOSED,
                       .generation = r->generation,
                       .as.closed = {cause, code, floor_ms, ""}};
    end_connection(r);
    return rig_input(r, &input);
}

void rig_accept(rig *r)
{
    assert_true(r->connecting);
    r->connecting = false;
    r->connected = true;
    r->dropped = false;
    r->close_code = 0;
    sim_session_open(&r->session, r->gateway, r->messages);
    assert_int_equal(rig_plain(r, TG__INPUT_REQUESTED), TG_OK);
    assert_int_equal(rig_plain(r, TG__INPUT_CONNECTED), TG_OK);
}

tg_err rig_refuse(rig *r, uint16_t status, uint32_t floor_ms)
{
    assert_true(r->connecting);
    assert_int_equal(rig_plain(r, TG__INPUT_REQUESTED), TG_OK);
    return rig_closed(r, TG__CAUSE_HTTP_STATUS, status, floor_ms);
}

void rig_deliver(rig *r)
{
    const sim_message *message = NULL;
    while (r->connected && (message = sim_session_take(&r->session)) != NULL) {
        assert_int_equal(rig_message(r, message->bytes, message->size), TG_OK);
    }
}

void rig_advance(rig *r, int64_t ns)
{
    const int64_t until = r->now_ns + ns;
    while (r->deadline_ns <= until) {
        r->now_ns = r->deadline_ns > r->now_ns ? r->deadline_ns : r->now_ns;
        assert_int_equal(rig_plain(r, TG__INPUT_TIMER), TG_OK);
        assert_true(r->deadline_ns > r->now_ns); /* a deadline that stays is a busy loop */
    }
    r->now_ns = until;
}

void rig_await_attempt(rig *r)
{
    while (!r->connecting) {
        assert_true(r->deadline_ns != INT64_MAX);
        rig_advance(r, r->deadline_ns - r->now_ns);
    }
}

void rig_go_live(rig *r)
{
    if (tg__engine_state_of(r->engine) == TG__ENGINE_IDLE) {
        assert_int_equal(rig_plain(r, TG__INPUT_START), TG_OK);
    }
    rig_accept(r);
    rig_deliver(r);
    assert_int_equal(tg__engine_state_of(r->engine), TG__ENGINE_LIVE);
}

const tg_event *rig_event(const rig *r, tg_event_kind kind)
{
    assert_true(r->event_count <= RIG_EVENTS_MAX);
    for (uint32_t i = r->event_count; i > 0; i--) {
        if (r->events[i - 1].kind == kind) {
            return &r->events[i - 1];
        }
    }
    return NULL;
}

tg_err rig_row(rig *r, tg_instrument_id id, tg_row *row)
{
    const tg_view *view = tg_reader_pin(r->reader);
    const tg_err err = tg_view_row(view, id, r->now_ns, row);
    tg_reader_unpin(r->reader);
    return err;
}
