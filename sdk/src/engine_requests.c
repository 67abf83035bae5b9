/* Subscriptions and searches: what is asked, how fast, and what the answers mean. */
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "engine_state.h"

#define PACE_BURST_NS TG__S_NS /* a second's worth of items may go at once */
/* A name at its longest, and what stands around all of them. */
#define NAME_BYTES_MAX (3u + TG_VENUE_NAME_SIZE + TG_SYMBOL_SIZE)
#define HEAD_BYTES_MAX 16u

void tg__engine_forget_requests(tg__engine *engine)
{
    for (uint32_t i = 0; i < TG__REQUESTS_MAX; i++) {
        engine->requests[i].number = 0;
    }
    for (uint32_t i = 0; i < TG__FINDS_MAX; i++) {
        engine->finds[i].sent = false; /* asked again in the next session */
    }
}

uint32_t tg__engine_request_number(tg__engine *engine)
{
    const uint32_t number = engine->next_request;
    engine->next_request = number == UINT32_MAX ? 1 : number + 1;
    return number;
}

bool tg__engine_is_unanswered(const tg__engine *engine)
{
    for (uint32_t i = 0; i < TG__REQUESTS_MAX; i++) {
        if (engine->requests[i].number != 0 && !engine->requests[i].answered) {
            return true;
        }
    }
    return false;
}

static bool is_unanswered_on(const tg__engine *engine, tg__channel_kind channel)
{
    for (uint32_t i = 0; i < TG__REQUESTS_MAX; i++) {
        const tg__pending_request *pending = &engine->requests[i];
        if (pending->number != 0 && !pending->answered && pending->channel == channel) {
            return true;
        }
    }
    return false;
}

static tg__desired *desired_of(tg__engine *engine, tg__channel_kind channel)
{
    return channel == TG__CHANNEL_PRIORITY ? &engine->priority : &engine->desired;
}

static bool in_session(const tg__engine *engine)
{
    return engine->state == TG__ENGINE_JOINING || engine->state == TG__ENGINE_LIVE ||
           engine->state == TG__ENGINE_RESYNCING;
}

static tg__pending_request *free_request(tg__engine *engine)
{
    for (uint32_t i = 0; i < TG__REQUESTS_MAX; i++) {
        if (engine->requests[i].number == 0) {
            return &engine->requests[i];
        }
    }
    return NULL;
}

static int64_t item_ns(const tg__engine *engine)
{
    const uint32_t rate = engine->session.limits.subscribe_per_second;
    return rate == 0 ? TG__S_NS : rate < TG__S_NS ? TG__S_NS / rate : 1;
}

/* How many items a request may have for its size alone. */
static int64_t fitting_items(const tg__engine *engine)
{
    const uint32_t size_max = engine->session.limits.message_size_max;
    if (size_max < HEAD_BYTES_MAX + NAME_BYTES_MAX) {
        return 1; /* no gateway says so little */
    }
    const uint32_t items = (size_max - HEAD_BYTES_MAX) / NAME_BYTES_MAX;
    return items < TG__REQUEST_ITEMS ? items : TG__REQUEST_ITEMS;
}

/* How many items the advertised rate allows now (generic cell rate, burst of one second). */
static uint32_t allowed_items(const tg__engine *engine, int64_t now_ns)
{
    const int64_t from = engine->session.paced_ns > now_ns ? engine->session.paced_ns : now_ns;
    const int64_t items = (now_ns + PACE_BURST_NS - from) / item_ns(engine);
    if (items <= 0) {
        return 0; /* the gateway called us too fast: the time of the next item lies further off */
    }
    const int64_t most = fitting_items(engine);
    return (uint32_t)(items < most ? items : most);
}

static void pay(tg__engine *engine, int64_t now_ns, uint32_t items)
{
    tg__session *session = &engine->session;
    const int64_t from = session->paced_ns > now_ns ? session->paced_ns : now_ns;
    session->paced_ns = from + items * item_ns(engine);
}

/* Sends one SUBSCRIBE (ask) or UNSUBSCRIBE with what is due, as far as the rate allows. */
static void send_request(tg__engine *engine, int64_t now_ns, tg__channel_kind channel, bool ask)
{
    const uint32_t allowed = allowed_items(engine, now_ns);
    if (allowed == 0) {
        /* A quarter of the burst again, so that the rest does not go out in single items. */
        engine->session.pump_at_ns = now_ns + PACE_BURST_NS / 4;
        return;
    }
    tg__pending_request *pending = free_request(engine);
    if (pending == NULL) {
        return; /* every record waits for results that the gateway called pending */
    }
    const uint32_t count =
        tg__desired_take(desired_of(engine, channel), ask, pending->wants, engine->names, allowed);
    if (count == 0) {
        return;
    }
    const tg__request request = {ask ? TG__KIND_SUBSCRIBE : TG__KIND_UNSUBSCRIBE,
                                 tg__engine_request_number(engine), channel};
    size_t capacity = 0;
    size_t size = 0;
    uint8_t *out = tg__engine_out(engine, &capacity);
    if (tg__request_encode(&request, engine->names, count, out, capacity, &size) != TG_OK) {
        /* No room beside what this input already sent: back to the state before. */
        const tg__result again = {TG__ANSWER_TOO_FAST, TG_INSTRUMENT_NONE};
        for (uint32_t i = 0; i < count; i++) {
            (void)tg__desired_answer(desired_of(engine, channel), pending->wants[i], &again);
        }
        engine->session.pump_at_ns = now_ns + TG__MS_NS;
        return;
    }
    tg__engine_send(engine, size);
    pending->number = request.request;
    pending->count = count;
    pending->channel = channel;
    pending->ask = ask;
    pending->answered = false;
    pay(engine, now_ns, count);
    if (engine->session.step_at_ns == TG__NEVER) {
        engine->session.step_at_ns = now_ns + TG__JOIN_NS;
    }
}

static void send_finds(tg__engine *engine)
{
    for (uint32_t i = 0; i < TG__FINDS_MAX; i++) {
        tg__pending_find *pending = &engine->finds[i];
        if (!pending->used || pending->sent || tg__engine_room(engine) < 4) {
            continue;
        }
        size_t capacity = 0;
        size_t size = 0;
        uint8_t *out = tg__engine_out(engine, &capacity);
        if (tg__find_encode(&pending->find, out, capacity, &size) == TG_OK) {
            tg__engine_send(engine, size);
            pending->sent = true;
        }
    }
}

/* One change of a channel's set is under way at a time: the next follows from its answer. What is
 * given back goes first, because it makes room under the gateway's limit. */
static void pump_channel(tg__engine *engine, int64_t now_ns, tg__channel_kind channel)
{
    const tg__desired *desired = desired_of(engine, channel);
    if (is_unanswered_on(engine, channel) || tg__engine_room(engine) < 4) {
        return;
    }
    if (desired->unwanted > 0) {
        send_request(engine, now_ns, channel, false);
    }
    if (desired->unasked > 0 && !is_unanswered_on(engine, channel)) {
        send_request(engine, now_ns, channel, true);
    }
}

void tg__engine_pump(tg__engine *engine, int64_t now_ns)
{
    engine->session.pump_at_ns = TG__NEVER;
    if (!in_session(engine)) {
        return;
    }
    send_finds(engine);
    /* Order tickets first: they are few, and somebody waits. */
    pump_channel(engine, now_ns, TG__CHANNEL_PRIORITY);
    pump_channel(engine, now_ns, TG__CHANNEL_CONFLATED);
}

/* Not at once: a burst of commands becomes one request. */
static void pump_soon(tg__engine *engine, int64_t now_ns, const tg__desired *desired)
{
    if (in_session(engine) && (desired->unasked > 0 || desired->unwanted > 0)) {
        engine->session.pump_at_ns = tg__min_ns(engine->session.pump_at_ns, now_ns);
    }
}

/* Depth that nobody keeps up to date is not shown, and its place is free for another. */
static void give_up_priority(tg__engine *engine, tg_sub_id sub, int64_t now_ns)
{
    const tg__want *want = tg__desired_want(&engine->priority, sub);
    if (want != NULL && want->interests == 1 && want->id != TG_INSTRUMENT_NONE) {
        tg__store_drop_book(engine->store, want->id);
        engine->dirty = true;
    }
    if (tg__desired_remove(&engine->priority, sub) == TG_OK) {
        pump_soon(engine, now_ns, &engine->priority);
    }
}

tg_err tg__on_subscribe(tg__engine *engine, const tg__input *input)
{
    TG_TRY(tg__desired_add(&engine->desired, input->as.subscribe.sub, input->as.subscribe.venue,
                           input->as.subscribe.symbol));
    pump_soon(engine, input->now_ns, &engine->desired);
    return TG_OK;
}

tg_err tg__on_unsubscribe(tg__engine *engine, const tg__input *input)
{
    give_up_priority(engine, input->as.unsubscribe, input->now_ns);
    TG_TRY(tg__desired_remove(&engine->desired, input->as.unsubscribe));
    pump_soon(engine, input->now_ns, &engine->desired);
    return TG_OK;
}

tg_err tg__on_prioritise(tg__engine *engine, const tg__input *input)
{
    const tg_sub_id sub = input->as.prioritise.sub;
    const tg__want *want = tg__desired_want(&engine->desired, sub);
    TG_ENSURE(want != NULL, TG_ERR_NOT_FOUND);
    if (!input->as.prioritise.on) {
        give_up_priority(engine, sub, input->now_ns);
        return TG_OK;
    }
    const tg_err err = tg__desired_add(&engine->priority, sub, want->venue, want->symbol);
    pump_soon(engine, input->now_ns, &engine->priority);
    return err == TG_ERR_STATE ? TG_OK : err; /* it is on already */
}

/* Only the order of what is not asked for yet follows from it. On the priority channel everybody is
 * on screen. */
tg_err tg__on_visible(tg__engine *engine, const tg__input *input)
{
    return tg__desired_set_visible(&engine->desired, input->as.visible.sub, input->as.visible.on);
}

tg_err tg__on_find(tg__engine *engine, const tg__input *input)
{
    for (uint32_t i = 0; i < TG__FINDS_MAX; i++) {
        tg__pending_find *pending = &engine->finds[i];
        if (!pending->used) {
            pending->used = true;
            pending->sent = false;
            pending->find = *input->as.find;
            tg__engine_pump(engine, input->now_ns);
            return TG_OK;
        }
    }
    return TG_ERR_FULL;
}

static tg__pending_request *request_of(tg__engine *engine, uint32_t number)
{
    for (uint32_t i = 0; i < TG__REQUESTS_MAX && number != 0; i++) {
        if (engine->requests[i].number == number) {
            return &engine->requests[i];
        }
    }
    return NULL;
}

static void take_results(tg__engine *engine, tg__pending_request *pending, int64_t now_ns)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < pending->count; i++) {
        const tg__want_number want = pending->wants[i];
        if (want == TG__NO_WANT) {
            continue;
        }
        const tg__result *result = &engine->results[i];
        if (!tg__desired_answer(desired_of(engine, pending->channel), want, result)) {
            open++;
            continue;
        }
        pending->wants[i] = TG__NO_WANT;
        if (result->code == TG__ANSWER_TOO_FAST) {
            engine->session.paced_ns = now_ns + 2 * PACE_BURST_NS; /* nothing for a second */
        }
        if (pending->channel == TG__CHANNEL_PRIORITY) {
            if (!pending->ask && result->id != TG_INSTRUMENT_NONE) {
                tg__store_drop_book(engine->store, result->id); /* came while it was under way */
            }
        } else if (result->id != TG_INSTRUMENT_NONE) {
            tg__store_set_not_entitled(engine->store, result->id,
                                       result->code == TG__ANSWER_NOT_ENTITLED);
        }
    }
    if (!pending->ask) {
        tg__desired_ask_again(desired_of(engine, pending->channel)); /* there is room now */
    }
    pending->answered = true;
    if (open == 0) {
        pending->number = 0;
    }
}

tg_err tg__on_answer(tg__engine *engine, const tg__input *input)
{
    tg__answer answer;
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err = tg__answer_decode(input->as.message.bytes, input->as.message.size, &answer,
                                         engine->results, TG__ITEM_MAX, &fault);
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    tg__pending_request *pending = request_of(engine, answer.request);
    if (pending == NULL || answer.channel != pending->channel) {
        return TG_OK; /* of a RESYNC, or of nothing that is open any more */
    }
    if (answer.count != pending->count) {
        tg__engine_reject(engine, input, TG_ERR_COUNT_LIMIT, &fault);
        return TG_OK;
    }
    take_results(engine, pending, input->now_ns);
    engine->dirty = true;
    const tg__desired *desired = desired_of(engine, answer.channel);
    atomic_store_explicit(&engine->counters.priority_held, engine->priority.held_count,
                          memory_order_relaxed);
    if (answer.set_count != desired->held_count ||
        answer.set_digest != tg__desired_digest(desired)) {
        tg__count(&engine->counters.set_mismatches, 1);
        tg__engine_leave(engine, input->now_ns, TG__CAUSE_PEER_FAULT, TG__CLOSE_BAD_MESSAGE,
                         "ANSWER: the gateway holds %lu instruments for us, our account %lu",
                         (unsigned long)answer.set_count, (unsigned long)desired->held_count);
        return TG_OK;
    }
    engine->session.step_at_ns = input->now_ns + TG__JOIN_NS;
    tg__engine_pump(engine, input->now_ns);
    tg__engine_check_live(engine, input->now_ns);
    return TG_OK;
}

tg_err tg__on_found(tg__engine *engine, const tg__input *input)
{
    tg__found found;
    tg__dictionary_reader reader;
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err =
        tg__found_decode(input->as.message.bytes, input->as.message.size, &found, &reader, &fault);
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    if (!tg__engine_is_generation(engine, found.generation, input->now_ns)) {
        return TG_OK; /* the search is asked again in the next session */
    }
    for (uint32_t i = 0; i < TG__FINDS_MAX; i++) {
        tg__pending_find *pending = &engine->finds[i];
        if (!pending->used || !pending->sent || pending->find.request != found.request) {
            continue;
        }
        tg__dictionary_reader venues = reader;
        tg__dictionary_entry entry;
        while (tg__dictionary_next(&venues, &entry)) {
            if (entry.op == TG__DICTIONARY_VENUE && entry.as.venue.id < TG_VENUE_MAX) {
                engine->knowledge.venues[entry.as.venue.id] = entry.as.venue;
            }
        }
        pending->used = false;
        tg__action *action = tg__engine_push(engine, TG__ACTION_FOUND);
        if (action != NULL) {
            action->as.found.found = found;
            action->as.found.reader = reader;
        }
        break;
    }
    return TG_OK;
}
