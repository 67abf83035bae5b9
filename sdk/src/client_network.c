/* The client on its network thread: engine, connection and commands tied together. */
#include <stdio.h>
#include <string.h>

#include "audit.h"
#include "client_state.h"
#include "tls_trust.h"

#define LEAVE_NS     INT64_C(300000000)
#define COMMANDS_MAX 64u /* at a time, so that a step ends */

void tg__client_set_error(tg_client *client, const char *text)
{
    (void)pthread_mutex_lock(&client->error_lock);
    (void)snprintf(client->last_error, sizeof client->last_error, "%s", text);
    (void)pthread_mutex_unlock(&client->error_lock);
}

/* Whoever looks at a session must see that it may be with anybody. */
static void warn_of_danger(tg_event *event)
{
    if (event->kind == TG_EVENT_SESSION && event->state != TG_SESSION_IDLE &&
        event->state != TG_SESSION_WAITING) {
        const size_t used = strlen(event->text);
        (void)snprintf(event->text + used, sizeof event->text - used,
                       "; DANGEROUS: the certificate is not verified");
    }
}

static void emit(tg_client *client, tg_event *event)
{
    if (client->options.dangerous_disable_verification) {
        warn_of_danger(event);
    }
    /* Relaxed: the state is a fact of its own; no memory is read because of it. */
    atomic_store_explicit(&client->state, (int)event->state, memory_order_relaxed);
    if (event->err != TG_OK && event->kind != TG_EVENT_ANSWER && event->kind != TG_EVENT_PRIORITY) {
        tg__client_set_error(client, event->text);
    }
    if (client->options.on_event != NULL) {
        client->options.on_event(client->options.ctx, event);
    }
    tg__event_queue_put(&client->events, event);
}

static void tell_answer(tg_client *client, tg_event_kind kind, const tg__sub_answer *answer,
                        const char *good)
{
    const tg__slot *slot = tg__slots_name(&client->slots, answer->sub);
    tg_event event;
    memset(&event, 0, sizeof event);
    event.kind = kind;
    event.state = tg__engine_session_state(client->engine);
    event.err = answer->err;
    event.sub = answer->sub;
    event.id = answer->id;
    event.mono_ns = tg_clock_mono_ns(&client->clock);
    (void)snprintf(event.text, sizeof event.text, "%s:%s: %s", slot->venue, slot->symbol,
                   answer->err == TG_OK ? good : tg_err_text(answer->err));
    emit(client, &event);
}

static void emit_answer(tg_client *client, const tg__sub_answer *answer)
{
    tg__slots_answer_set(&client->slots, answer->sub, answer->err, answer->id);
    if (answer->err != TG_ERR_STATE) { /* an answer that no longer holds; the next one follows */
        tell_answer(client, TG_EVENT_ANSWER, answer, "subscribed");
    }
}

static void emit_priority(tg_client *client, const tg__sub_answer *answer)
{
    if (answer->err != TG_ERR_STATE) {
        tell_answer(client, TG_EVENT_PRIORITY, answer, "every tick and depth");
    }
}

static void give_found(tg_client *client, const tg__found *found, tg__dictionary_reader reader)
{
    if (client->options.on_found == NULL) {
        return;
    }
    void *ctx = client->options.ctx;
    tg__dictionary_entry entry;
    while (tg__dictionary_next(&reader, &entry)) {
        if (entry.op == TG__DICTIONARY_ADD) {
            const tg_instrument *instrument = &entry.as.instrument;
            client->options.on_found(ctx, found->request,
                                     tg__engine_venue_name(client->engine, instrument->venue),
                                     instrument, true);
        }
    }
    client->options.on_found(ctx, found->request, NULL, NULL, found->more);
}

static void tell_published(tg_client *client)
{
    if (client->options.on_publish == NULL) {
        return;
    }
    /* The store may have put the publication off; then there is nothing new to draw. */
    const uint64_t number = tg_view_number(tg_reader_pin(client->reader));
    tg_reader_unpin(client->reader);
    if (number != client->view_number) {
        client->view_number = number;
        client->options.on_publish(client->options.ctx, number);
    }
}

/* The engine has looked at its own books; what other threads see of them is here. */
static void audit_slots(tg_client *client)
{
    const char *fault = tg__audit_slots(&client->slots, tg__engine_desired(client->engine));
    if (fault == NULL) {
        return;
    }
    tg_event event;
    memset(&event, 0, sizeof event);
    event.kind = TG_EVENT_AUDIT;
    event.state = tg__engine_session_state(client->engine);
    event.err = TG_ERR_STATE;
    event.id = TG_INSTRUMENT_NONE;
    event.mono_ns = tg_clock_mono_ns(&client->clock);
    (void)snprintf(event.text, sizeof event.text, "audit: subscriptions: %s", fault);
    /* Relaxed: one writer, and no counter guards other memory. */
    atomic_fetch_add_explicit(&client->slot_audits_failed, 1, memory_order_relaxed);
    emit(client, &event);
}

/* The token passes from its one place to the connection; the copies on the way are wiped. */
static void send_token(tg_client *client, uint32_t generation)
{
    char token[TG__TOKEN_SIZE_MAX + 1];
    uint8_t message[TG__TOKEN_SIZE_MAX + 8];
    size_t size = 0;
    const size_t token_size = tg__credential_hand_over(&client->credential, token);
    tg_err err = tg__token_encode(token, token_size, message, sizeof message, &size);
    if (err == TG_OK) {
        err = tg__io_send_secret(client->io, generation, message, size);
    }
    tg__wipe(token, sizeof token);
    tg__wipe(message, sizeof message);
    if (err != TG_OK) {
        client->overflowed = generation;
    }
}

static void perform(tg_client *client, tg__action *action)
{
    switch (action->kind) {
    case TG__ACTION_CONNECT:
        atomic_store_explicit(&client->dialled_ns, -1, memory_order_relaxed);
        atomic_store_explicit(&client->requested_ns, -1, memory_order_relaxed);
        tg__io_connect(client->io, action->generation, action->as.endpoint);
        break;
    case TG__ACTION_SEND:
        if (tg__io_send(client->io, action->generation, action->as.send.bytes,
                        action->as.send.size) != TG_OK) {
            client->overflowed = action->generation;
        }
        break;
    case TG__ACTION_TOKEN:
        tg__credential_ask(&client->credential);
        client->options.token_provider(client->options.ctx, client, action->as.token_reason);
        break;
    case TG__ACTION_SEND_TOKEN:
        send_token(client, action->generation);
        break;
    case TG__ACTION_TIMER:
        tg__io_timer(client->io, action->as.deadline_ns);
        break;
    case TG__ACTION_CLOSE:
        tg__io_close_connection(client->io, action->generation, action->as.close_code);
        break;
    case TG__ACTION_DROP:
        tg__io_drop(client->io, action->generation);
        break;
    case TG__ACTION_EVENT:
        emit(client, &action->as.event);
        break;
    case TG__ACTION_ANSWER:
        emit_answer(client, &action->as.answer);
        break;
    case TG__ACTION_PRIORITY:
        emit_priority(client, &action->as.answer);
        break;
    case TG__ACTION_FOUND:
        give_found(client, &action->as.found.found, action->as.found.reader);
        break;
    case TG__ACTION_PUBLISHED:
        tell_published(client);
        break;
    case TG__ACTION_AUDIT:
        audit_slots(client);
        break;
    }
}

/* One input and all that follows from it. What the engine refuses it has counted, or told the
 * subscription concerned. */
static tg_err feed(tg_client *client, const tg__input *input)
{
    const tg_err err = tg__engine_input(client->engine, input);
    tg__action action;
    while (tg__engine_next(client->engine, &action)) {
        perform(client, &action);
    }
    if (client->overflowed != 0) {
        const uint32_t generation = client->overflowed;
        client->overflowed = 0;
        tg__io_drop(client->io, generation);
        const tg__input closed = {
            .kind = TG__INPUT_CLOSED,
            .generation = generation,
            .now_ns = tg_clock_mono_ns(&client->clock),
            .as.closed = {TG__CAUSE_LOST, 0, 0, "the gateway does not take what is sent"},
        };
        (void)feed(client, &closed);
    }
    return err;
}

static void feed_plain(tg_client *client, tg__input_kind kind, uint32_t generation)
{
    const tg__input input = {
        .kind = kind,
        .generation = generation,
        .now_ns = tg_clock_mono_ns(&client->clock),
    };
    (void)feed(client, &input);
}

/* Before anything that came is handed over: what lay in the socket over a sleep is not of now. */
static void look_at_clocks(tg_client *client, int64_t mono_ns)
{
    tg__input input = {.kind = TG__INPUT_CLOCK, .now_ns = mono_ns};
    if (tg__clock_watch_look(&client->clock_watch, mono_ns, &input.as.clock)) {
        (void)feed(client, &input);
    }
}

static void note_time(const tg_client *client, _Atomic int64_t *time_ns)
{
    atomic_store_explicit(time_ns, tg_clock_mono_ns(&client->clock), memory_order_relaxed);
}

static void on_dialled(void *ctx, uint32_t generation)
{
    tg_client *client = ctx;
    (void)generation;
    client->activity++;
    note_time(client, &client->dialled_ns);
}

static void on_requested(void *ctx, uint32_t generation)
{
    tg_client *client = ctx;
    client->activity++;
    note_time(client, &client->requested_ns);
    feed_plain(client, TG__INPUT_REQUESTED, generation);
}

static void on_connected(void *ctx, uint32_t generation, const char *peer)
{
    tg_client *client = ctx;
    client->activity++;
    const tg__input input = {
        .kind = TG__INPUT_CONNECTED,
        .generation = generation,
        .now_ns = tg_clock_mono_ns(&client->clock),
        .as.peer = peer,
    };
    (void)feed(client, &input);
}

static void on_message(void *ctx, uint32_t generation, const uint8_t *bytes, size_t size,
                       int64_t received_mono_ns)
{
    tg_client *client = ctx;
    client->activity++;
    if (client->options.on_message != NULL) {
        client->options.on_message(client->options.ctx, bytes, size, received_mono_ns);
    }
    look_at_clocks(client, received_mono_ns);
    /* The time of arrival is "now" as well: the clock is not read again for it. */
    const tg__input input = {
        .kind = TG__INPUT_MESSAGE,
        .generation = generation,
        .now_ns = received_mono_ns,
        .as.message = {bytes, size, received_mono_ns},
    };
    (void)feed(client, &input);
}

static void on_progress(void *ctx, uint32_t generation, size_t size)
{
    tg_client *client = ctx;
    client->activity++;
    const tg__input input = {
        .kind = TG__INPUT_PROGRESS,
        .generation = generation,
        /* Only large messages come in parts: the clock is not read for the others. */
        .now_ns = tg_clock_mono_ns(&client->clock),
        .as.progress = size,
    };
    (void)feed(client, &input);
}

static void on_closed(void *ctx, uint32_t generation, const tg__closed *closed)
{
    tg_client *client = ctx;
    client->activity++;
    const tg__input input = {
        .kind = TG__INPUT_CLOSED,
        .generation = generation,
        .now_ns = tg_clock_mono_ns(&client->clock),
        .as.closed = *closed,
    };
    (void)feed(client, &input);
}

static void on_timer(void *ctx)
{
    tg_client *client = ctx;
    client->activity++;
    client->leave_over = client->leaving;
    look_at_clocks(client, tg_clock_mono_ns(&client->clock));
    feed_plain(client, TG__INPUT_TIMER, 0);
}

static void on_wake(void *ctx)
{
    tg_client *client = ctx;
    client->activity++;
    tg__client_take_commands(client);
}

tg__io_handler tg__client_handler(tg_client *client)
{
    const tg__io_handler handler = {on_dialled, on_requested, on_connected, on_message, on_progress,
                                    on_closed,  on_timer,     on_wake,      client};
    return handler;
}

static void take_subscribe(tg_client *client, tg_sub_id sub)
{
    const tg__slot *slot = tg__slots_name(&client->slots, sub);
    const tg__input input = {
        .kind = TG__INPUT_SUBSCRIBE,
        .now_ns = tg_clock_mono_ns(&client->clock),
        .as.subscribe = {sub, slot->venue, slot->symbol},
    };
    (void)feed(client, &input);
}

static void take_unsubscribe(tg_client *client, tg_sub_id sub)
{
    const tg__input input = {
        .kind = TG__INPUT_UNSUBSCRIBE,
        .now_ns = tg_clock_mono_ns(&client->clock),
        .as.unsubscribe = sub,
    };
    (void)feed(client, &input);
    tg__slots_free(&client->slots, sub);
}

static void take_prioritise(tg_client *client, tg_sub_id sub)
{
    const tg__input input = {
        .kind = TG__INPUT_PRIORITISE,
        .now_ns = tg_clock_mono_ns(&client->clock),
        .as.prioritise = {sub, tg__slots_priority(&client->slots, sub)},
    };
    (void)feed(client, &input);
}

static void take_visible(tg_client *client, tg_sub_id sub)
{
    const tg__input input = {
        .kind = TG__INPUT_VISIBLE,
        .now_ns = tg_clock_mono_ns(&client->clock),
        .as.visible = {sub, tg__slots_visible(&client->slots, sub)},
    };
    (void)feed(client, &input);
}

static void take_find(tg_client *client, uint32_t slot)
{
    const tg__find find = client->commands.finds[slot];
    tg__command_queue_free_find(&client->commands, slot);
    const tg__input input = {
        .kind = TG__INPUT_FIND,
        .now_ns = tg_clock_mono_ns(&client->clock),
        .as.find = &find,
    };
    if (feed(client, &input) != TG_OK && client->options.on_found != NULL) {
        /* No session any more, or too many searches: an empty page, so that nobody waits. */
        client->options.on_found(client->options.ctx, find.request, NULL, NULL, false);
    }
}

static void take_token(tg_client *client)
{
    tg__input input = {.kind = TG__INPUT_TOKEN};
    if (!tg__credential_take_answer(&client->credential, &input.as.token_given)) {
        return;
    }
    client->activity++;
    input.now_ns = tg_clock_mono_ns(&client->clock);
    if (feed(client, &input) != TG_OK) {
        tg__credential_forget(&client->credential); /* stopped in the meantime */
    }
}

void tg__client_take_commands(tg_client *client)
{
    take_token(client);
    tg__command command;
    for (uint32_t i = 0; i < COMMANDS_MAX; i++) {
        if (!tg__command_queue_take(&client->commands, &command)) {
            break;
        }
        client->activity++;
        switch (command.kind) {
        case TG__COMMAND_SUBSCRIBE:
            take_subscribe(client, (tg_sub_id){command.number});
            break;
        case TG__COMMAND_UNSUBSCRIBE:
            take_unsubscribe(client, (tg_sub_id){command.number});
            break;
        case TG__COMMAND_PRIORITISE:
            take_prioritise(client, (tg_sub_id){command.number});
            break;
        case TG__COMMAND_SET_VISIBLE:
            take_visible(client, (tg_sub_id){command.number});
            break;
        case TG__COMMAND_FIND:
            take_find(client, command.number);
            break;
        }
    }
    if (!tg__command_queue_is_empty(&client->commands)) {
        tg__io_wake(client->io);
        return;
    }
    /* Acquire: pairs with the release in tg_client_stop(); commands given before it were taken. */
    if (atomic_exchange_explicit(&client->stop_requested, false, memory_order_acquire)) {
        feed_plain(client, TG__INPUT_STOP, 0);
        tg__credential_forget(&client->credential);
    }
}

void tg__client_connect(tg_client *client)
{
    feed_plain(client, TG__INPUT_START, 0);
    tg__client_take_commands(client);
}

void tg__client_leave(tg_client *client)
{
    client->leaving = true;
    feed_plain(client, TG__INPUT_STOP, 0);
    if (tg__io_leaving(client->io) == 0) {
        return;
    }
    client->leave_over = false;
    tg__io_timer(client->io, tg_clock_mono_ns(&client->clock) + LEAVE_NS);
    while (tg__io_leaving(client->io) > 0 && !client->leave_over) {
        tg__io_service(client->io, true);
    }
}
