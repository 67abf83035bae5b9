/* WELCOME, dictionary, limits, venue states, echoes. */
#include <string.h>

#include "engine_state.h"

#define FEATURES_KNOWN    TG__FEATURE_STATE_DIGEST
#define HEARTBEAT_MIN_MS  100u
#define HEARTBEAT_MAX_MS  60000u
#define ALIVE_HEARTBEATS  3
#define ALIVE_EXTRA_NS    (2 * TG__S_NS) /* a lost packet is sent again within that */
#define ECHO_FORGOTTEN_NS (10 * TG__S_NS)

static uint32_t clamp(uint32_t value, uint32_t low, uint32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Another lineage or generation: nothing that was known of ids holds any longer. */
static void forget_dictionary(tg__engine *engine, uint64_t lineage, uint32_t generation)
{
    tg__knowledge *knowledge = &engine->knowledge;
    memset(knowledge, 0, sizeof *knowledge);
    knowledge->known = true;
    knowledge->lineage = lineage;
    knowledge->dictionary_generation = generation;
    tg__store_restart(engine->store, lineage, generation);
}

/*
 * Depth that nobody keeps up to date any more: it came while the UNSUBSCRIBE was under way whose
 * ANSWER was lost with the connection. Under another dictionary none is kept: it would come back
 * with its row, whether anybody still wants it by then or not.
 */
static void drop_old_books(tg__engine *engine, bool same_ids)
{
    const tg__desired *priority = &engine->priority;
    for (uint32_t i = 0; i < priority->want_capacity; i++) {
        const tg__want *want = &priority->wants[i];
        if (want->state != TG__WANT_FREE && want->id != TG_INSTRUMENT_NONE &&
            (want->interests == 0 || !same_ids)) {
            tg__store_drop_book(engine->store, want->id);
        }
    }
}

/* The gateway says anew which venues are stale. */
static void revive_venues(tg__engine *engine)
{
    tg__knowledge *knowledge = &engine->knowledge;
    for (uint32_t venue = 0; venue < TG_VENUE_MAX; venue++) {
        if ((knowledge->stale_venues[venue / 8] & (1u << (venue % 8))) != 0) {
            tg__store_set_venue_stale(engine->store, (tg_venue_id)venue, false);
        }
    }
    memset(knowledge->stale_venues, 0, sizeof knowledge->stale_venues);
}

void tg__engine_take_limits(tg__engine *engine, const tg__limits *limits)
{
    engine->session.limits = *limits;
    tg__backoff_spread(&engine->backoff, limits->reconnect_spread_ms);
    atomic_store_explicit(&engine->counters.reconnect_spread_ms, limits->reconnect_spread_ms,
                          memory_order_relaxed);
}

static void enter_session(tg__engine *engine, int64_t now_ns, const tg__welcome *welcome)
{
    const tg__knowledge *knowledge = &engine->knowledge;
    const bool same = knowledge->known && knowledge->lineage == welcome->lineage &&
                      knowledge->dictionary_generation == welcome->dictionary_generation;
    drop_old_books(engine, same); /* by the ids of the session before */
    if (!same) {
        forget_dictionary(engine, welcome->lineage, welcome->dictionary_generation);
    }
    revive_venues(engine);
    tg__desired_begin(&engine->desired, same);
    tg__desired_begin(&engine->priority, same);
    atomic_store_explicit(&engine->counters.priority_held, 0, memory_order_relaxed);
    tg__channel_init(&engine->channel, engine->channel_ids, engine->channel_images,
                     engine->channel_capacity, welcome->time_resolution_ns);
    engine->channel.boundary = welcome->boundary;

    tg__session *session = &engine->session;
    session->welcome = *welcome;
    session->place = (uint32_t)tg__random_next(&engine->random);
    tg__engine_take_limits(engine, &welcome->limits);
    session->alive_ns =
        ALIVE_HEARTBEATS * TG__MS_NS *
            clamp(welcome->heartbeat_interval_ms, HEARTBEAT_MIN_MS, HEARTBEAT_MAX_MS) +
        ALIVE_EXTRA_NS;
    session->step_at_ns = now_ns + TG__JOIN_NS;
    session->link_at_ns = now_ns + session->alive_ns;
    session->echo_at_ns = now_ns;
    session->paced_ns = now_ns;
    tg__engine_report_begin(engine, now_ns);
    session->sweep_at_ns = tg__store_is_watched(engine->store) ? now_ns + TG__SWEEP_NS : TG__NEVER;
    engine->audit_at_ns = engine->audit_at_ns != 0 ? engine->audit_at_ns : now_ns + TG__AUDIT_NS;
    tg__engine_begin_lateness(engine);
    tg__store_set_channel_timeout(engine->store, session->alive_ns);
    tg__store_set_link(engine->store, TG__LINK_RESYNCING, now_ns);
    engine->dirty = true;
}

tg_err tg__on_welcome(tg__engine *engine, const tg__input *input)
{
    tg__welcome welcome;
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err =
        tg__welcome_decode(input->as.message.bytes, input->as.message.size, &welcome, &fault);
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    const uint64_t unknown = welcome.features & TG__FEATURES_MANDATORY & ~FEATURES_KNOWN;
    if (unknown != 0) {
        tg__engine_leave(engine, input->now_ns, TG__CAUSE_PEER_FAULT, TG__CLOSE_BAD_MESSAGE,
                         "WELCOME demands features 0x%llx, which this client does not know",
                         (unsigned long long)unknown);
        return TG_OK;
    }
    engine->state = TG__ENGINE_JOINING;
    enter_session(engine, input->now_ns, &welcome);
    engine->tokens_refused = 0;
    tg__engine_token_lives(engine, input->now_ns, welcome.token_lifetime_s);
    tg__count(&engine->counters.connects, 1);
    (void)tg__engine_event(engine, TG_EVENT_SESSION, input->now_ns, TG_OK,
                           "joined lineage %016llx; waiting for images",
                           (unsigned long long)welcome.lineage);
    tg__engine_echo(engine, input->now_ns);
    tg__engine_pump(engine, input->now_ns);
    tg__engine_check_live(engine, input->now_ns);
    return TG_OK;
}

/* The same id under another symbol: an instrument that is wanted by name stays wanted. */
static tg_err rename_instrument(tg__engine *engine, tg_instrument_id id, const char *symbol)
{
    tg__desired_rename(&engine->desired, id, symbol);
    tg__desired_rename(&engine->priority, id, symbol);
    return tg__store_rename(engine->store, id, symbol);
}

/*
 * The first ADD of an id in a session may carry another symbol than the one that is known: the
 * RENAME came while this client was away. PROTOCOL.md 5.2, M37.
 */
static tg_err introduce(tg__engine *engine, const tg_instrument *instrument)
{
    uint8_t *const byte = &engine->session.introduced[instrument->id / 8u];
    const uint8_t bit = (uint8_t)(1u << instrument->id % 8u);
    tg_err err = tg__store_define_instrument(engine->store, instrument);
    if (err == TG_ERR_ID_REUSED && (*byte & bit) == 0 &&
        tg__store_has(engine->store, instrument->id, instrument->venue)) {
        err = rename_instrument(engine, instrument->id, instrument->symbol);
        if (err == TG_OK) {
            err = tg__store_define_instrument(engine->store, instrument);
        }
    }
    if (err == TG_OK) {
        *byte |= bit;
    }
    return err;
}

static tg_err define(tg__engine *engine, const tg__dictionary_entry *entry)
{
    switch (entry->op) {
    case TG__DICTIONARY_VENUE:
        if (entry->as.venue.id < TG_VENUE_MAX) {
            engine->knowledge.venues[entry->as.venue.id] = entry->as.venue;
        }
        return tg__store_define_venue(engine->store, &entry->as.venue);
    case TG__DICTIONARY_ADD:
        return introduce(engine, &entry->as.instrument);
    case TG__DICTIONARY_RENAME:
        return rename_instrument(engine, entry->as.instrument.id, entry->as.instrument.symbol);
    case TG__DICTIONARY_TOMBSTONE:
        tg__desired_tombstone(&engine->desired, entry->as.instrument.id);
        tg__desired_tombstone(&engine->priority, entry->as.instrument.id);
        return tg__store_remove(engine->store, entry->as.instrument.id);
    case TG__DICTIONARY_SCALE:
        return tg__store_rescale(engine->store, &entry->as.instrument);
    }
    return TG_OK;
}

/* An id that never had an entry here may be renamed, rescaled or removed: no concern of ours. */
static bool is_harmless(const tg__dictionary_entry *entry, tg_err err)
{
    return err == TG_OK || (err == TG_ERR_NOT_FOUND && entry->op != TG__DICTIONARY_VENUE &&
                            entry->op != TG__DICTIONARY_ADD);
}

bool tg__engine_is_generation(tg__engine *engine, uint32_t generation, int64_t now_ns)
{
    if (generation == engine->knowledge.dictionary_generation) {
        return true;
    }
    /* Every id means something else now. The next WELCOME names the generation and starts over; the
     * window of the attempt, as wide as the gateway told, keeps a fleet from doing it at once. */
    tg__engine_leave(engine, now_ns, TG__CAUSE_LOST, TG__CLOSE_NORMAL,
                     "the dictionary has generation %lu now, not %lu", (unsigned long)generation,
                     (unsigned long)engine->knowledge.dictionary_generation);
    return false;
}

tg_err tg__on_dictionary(tg__engine *engine, const tg__input *input)
{
    uint32_t generation = 0;
    tg__dictionary_reader reader;
    tg__fault fault = {0, TG__NO_ROW};
    tg_err err = tg__dictionary_decode(input->as.message.bytes, input->as.message.size, &generation,
                                       &reader, &fault);
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    if (!tg__engine_is_generation(engine, generation, input->now_ns)) {
        return TG_OK;
    }
    engine->dirty = true;
    tg__dictionary_entry entry;
    for (uint32_t row = 0; tg__dictionary_next(&reader, &entry); row++) {
        err = define(engine, &entry);
        if (is_harmless(&entry, err)) {
            continue;
        }
        (void)tg__engine_event(engine, TG_EVENT_FAULT, input->now_ns, err,
                               "DICTIONARY entry %lu not taken: %s", (unsigned long)row,
                               tg_err_text(err));
        if (tg_err_class_of(err) == TG_ERR_CLASS_PEER) {
            tg__engine_leave(engine, input->now_ns, TG__CAUSE_PEER_FAULT, TG__CLOSE_BAD_MESSAGE,
                             "DICTIONARY entry %lu: %s", (unsigned long)row, tg_err_text(err));
            return TG_OK;
        }
        engine->session.store_full = true;
        break; /* what follows would be refused, too, and said once is enough */
    }
    return TG_OK;
}

tg_err tg__on_limits(tg__engine *engine, const tg__input *input)
{
    tg__limits limits;
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err =
        tg__limits_decode(input->as.message.bytes, input->as.message.size, &limits, &fault);
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    const tg__limits *before = &engine->session.limits;
    if (limits.instruments_max > before->instruments_max) {
        tg__desired_ask_again(&engine->desired);
    }
    if (limits.priority_max > before->priority_max) {
        tg__desired_ask_again(&engine->priority);
    }
    tg__engine_take_limits(engine, &limits);
    tg__engine_pump(engine, input->now_ns);
    return TG_OK;
}

tg_err tg__on_venue_state(tg__engine *engine, const tg__input *input)
{
    tg__venue_state state;
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err =
        tg__venue_state_decode(input->as.message.bytes, input->as.message.size, &state, &fault);
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    if (state.venue < TG_VENUE_MAX) {
        const bool stale = state.condition == TG__VENUE_STALE;
        uint8_t *bits = &engine->knowledge.stale_venues[state.venue / 8];
        const uint8_t bit = (uint8_t)(1u << (state.venue % 8));
        *bits = (uint8_t)(stale ? *bits | bit : *bits & ~bit);
        tg__store_set_venue_stale(engine->store, state.venue, stale);
        engine->dirty = true;
    }
    return TG_OK;
}

void tg__engine_echo(tg__engine *engine, int64_t now_ns)
{
    tg__session *session = &engine->session;
    session->echo_at_ns = now_ns + TG__ECHO_NS;
    const bool waiting =
        session->echo_sent_ns != TG__NEVER && now_ns - session->echo_sent_ns < ECHO_FORGOTTEN_NS;
    if (waiting || tg__engine_room(engine) == 0) {
        return;
    }
    size_t capacity = 0;
    size_t size = 0;
    uint8_t *out = tg__engine_out(engine, &capacity);
    const uint64_t cookie = tg__random_next(&engine->random);
    if (tg__echo_encode(cookie, out, capacity, &size) == TG_OK) {
        session->echo_cookie = cookie;
        session->echo_sent_ns = now_ns;
        tg__engine_send(engine, size);
    }
}

tg_err tg__on_echo_reply(tg__engine *engine, const tg__input *input)
{
    tg__echo_reply reply;
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err =
        tg__echo_reply_decode(input->as.message.bytes, input->as.message.size, &reply, &fault);
    if (err != TG_OK) {
        tg__engine_reject(engine, input, err, &fault);
        return TG_OK;
    }
    tg__session *session = &engine->session;
    if (session->echo_sent_ns == TG__NEVER || reply.cookie != session->echo_cookie) {
        return TG_OK; /* of an echo that was given up */
    }
    const int64_t received_ns = input->as.message.received_mono_ns;
    atomic_store_explicit(&engine->counters.rtt_ns, received_ns - session->echo_sent_ns,
                          memory_order_relaxed);
    atomic_store_explicit(&engine->counters.rtt_mono_ns, received_ns, memory_order_relaxed);
    tg__lateness_echo(&session->lateness, session->echo_sent_ns, received_ns, reply.ts_gateway_ns);
    session->echo_sent_ns = TG__NEVER;
    if (engine->state == TG__ENGINE_LIVE && engine->channel.count == 0 &&
        tg__engine_is_current(engine)) {
        /* The empty set need not have heartbeats (PROTOCOL.md 8.8): who follows nothing is served
         * well by answers, and would have no stable session otherwise. */
        tg__engine_count_stable(engine, input->now_ns);
    }
    tg__engine_answered(engine, input->now_ns);
    return TG_OK;
}
