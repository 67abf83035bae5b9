/*
 * Losses that concern less than the whole channel, and are repaired for less: what they do not
 * concern stays as it is.
 */
#include "engine_state.h"

/* False: there is no room for it in what this input sends. */
static bool send(tg__engine *engine, tg__channel_kind channel, const tg__name *names,
                 uint32_t count)
{
    const tg__request request = {TG__KIND_RESYNC, tg__engine_request_number(engine), channel};
    size_t capacity = 0;
    size_t size = 0;
    uint8_t *out = tg__engine_out(engine, &capacity);
    if (tg__engine_room(engine) < 4 ||
        tg__request_encode(&request, names, count, out, capacity, &size) != TG_OK) {
        return false;
    }
    tg__engine_send(engine, size);
    return true;
}

void tg__engine_resync_priority(tg__engine *engine)
{
    if (engine->priority.held_count > 0) {
        (void)send(engine, TG__CHANNEL_PRIORITY, NULL, 0);
    }
}

static bool is_book_doubted(const tg__engine *engine)
{
    for (uint32_t i = 0; i < engine->priority.held_count; i++) {
        if (tg__store_is_book_doubted(engine->store, engine->priority.held[i])) {
            return true;
        }
    }
    return false;
}

static void ask_for_books(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    session->books_tries++;
    session->books_at_ns = now_ns + TG__BOOKS_NS;
    tg__count(&engine->counters.resyncs, 1);
    tg__engine_resync_priority(engine);
}

/*
 * The conflated channel carries the same instruments and goes on: their rows are as new as all
 * others. Only depth comes by TICKS alone.
 */
void tg__engine_ticks_lost(tg__engine *engine, int64_t now_ns, tg_err err)
{
    tg__session *session = &engine->session;
    if (engine->priority.held_count == 0) {
        /* Nobody knows what it was to bring, then: a row that was asked for, perhaps. */
        tg__engine_gap(engine, now_ns, err, "ticks were rejected");
        return;
    }
    for (uint32_t i = 0; i < engine->priority.held_count; i++) {
        tg__store_doubt_book(engine->store, engine->priority.held[i]);
    }
    engine->dirty = true; /* also of what was restated since the loss that is being repaired */
    if (session->books_gap || !is_book_doubted(engine)) {
        return; /* what is asked for restates this, too; or it had no depth */
    }
    session->books_gap = true;
    session->books_tries = 0;
    tg__count(&engine->counters.gaps, 1);
    (void)tg__engine_event(engine, TG_EVENT_GAP, now_ns, err,
                           "gap: ticks of the priority channel were rejected");
    const int64_t lag_ns = tg__engine_resync_lag_ns(engine, err);
    if (lag_ns == 0) {
        ask_for_books(engine, now_ns);
    } else {
        session->books_at_ns = now_ns + lag_ns; /* a fleet may have been sent the same */
    }
}

void tg__engine_ticks_applied(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    if (!session->books_gap || is_book_doubted(engine)) {
        return;
    }
    session->books_gap = false;
    session->books_at_ns = TG__NEVER;
    (void)tg__engine_event(engine, TG_EVENT_RESYNCED, now_ns, TG_OK,
                           "the priority channel was restated");
}

void tg__engine_books_overdue(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    session->books_at_ns = TG__NEVER;
    tg__engine_ticks_applied(engine, now_ns); /* what was in doubt may have been given up */
    if (!session->books_gap) {
        return;
    }
    if (session->books_tries < TG__BOOKS_TRIES) {
        ask_for_books(engine, now_ns);
    } else {
        tg__engine_leave(engine, now_ns, TG__CAUSE_TIMEOUT, 0,
                         "%u RESYNCs did not bring the priority channel", TG__BOOKS_TRIES);
    }
}

static bool is_asked_for(const tg__session *session, tg_instrument_id id)
{
    for (uint32_t i = 0; i < session->contradicted_count; i++) {
        if (session->contradicted[i] == id) {
            return true;
        }
    }
    return false;
}

void tg__engine_contradicted(tg__engine *engine, tg_instrument_id id)
{
    tg__session *session = &engine->session;
    if (session->contradicted_count < TG__CONTRADICTIONS && !is_asked_for(session, id)) {
        session->contradicted[session->contradicted_count++] = id;
    }
}

/*
 * One of the two was damaged, and nobody knows which: the store shows GAP, and what the gateway has
 * now is asked for, once. Another version settles it.
 */
void tg__engine_ask_for_contradicted(tg__engine *engine)
{
    tg__session *session = &engine->session;
    const uint32_t count = session->contradicted_count - session->contradicted_asked;
    if (count == 0) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        engine->names[i].id = session->contradicted[session->contradicted_asked + i];
    }
    if (send(engine, TG__CHANNEL_CONFLATED, engine->names, count)) {
        session->contradicted_asked = session->contradicted_count;
        tg__count(&engine->counters.resyncs, 1);
    }
}
