#include "sim_gateway.h"

#include "tg_cmocka.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/internal/dictionary.h>

int64_t sim_market_utc_ns(const sim_market *market)
{
    const int64_t utc_ns = market->utc_ns + *market->now_ns;
    return utc_ns - utc_ns % SIM_RESOLUTION_NS;
}

int64_t sim_market_true_ns(const sim_market *market)
{
    return sim_market_utc_ns(market) - market->stepped_ns;
}

void sim_market_set_clock(sim_market *market, int64_t by_ns)
{
    market->utc_ns += by_ns;
    market->stepped_ns += by_ns;
}

void sim_market_go_on(sim_market *market, int64_t ns)
{
    market->utc_ns += ns;
}

void sim_market_init(sim_market *market, uint64_t lineage, const int64_t *now_ns)
{
    memset(market, 0, sizeof *market);
    market->lineage = lineage;
    market->generation = 1;
    market->boundary = 100;
    market->utc_ns = INT64_C(1700000000000000000);
    market->now_ns = now_ns;
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        market->images[id].epoch = 1;
        sim_market_tick(market, (tg_instrument_id)id, 1000 + (int64_t)id);
    }
}

void sim_symbol(tg_instrument_id id, char symbol[TG_SYMBOL_SIZE])
{
    (void)snprintf(symbol, TG_SYMBOL_SIZE, "S%02u", (unsigned)id);
}

void sim_market_tick(sim_market *market, tg_instrument_id id, int64_t bid)
{
    tg_image *image = &market->images[id];
    image->seq++;
    image->present |= TG_FIELD_BIT(TG_FIELD_BID_PRICE) | TG_FIELD_BIT(TG_FIELD_ASK_PRICE) |
                      TG_FIELD_BIT(TG_FIELD_BID_QUANTITY);
    image->value[TG_FIELD_BID_PRICE] = bid;
    image->value[TG_FIELD_ASK_PRICE] = bid + 1;
    /* The sequence again, as a value: a reader can tell that value and version belong together. */
    image->value[TG_FIELD_BID_QUANTITY] = (int64_t)image->seq;
    market->newest[id] = tg_image_version(image);
}

void sim_market_step(sim_market *market)
{
    market->boundary++;
}

sim_message *sim_session_put(sim_session *session)
{
    assert_true(session->count < SIM_MESSAGES_MAX);
    if (session->count == 0) {
        session->head = session->head == 1; /* near; but what was taken last stays whole */
    }
    sim_message *message = &session->messages[(session->head + session->count) % SIM_MESSAGES_MAX];
    session->count++;
    message->size = 0;
    message->echo = 0;
    message->echo_ns = 0;
    message->made_ns = sim_market_true_ns(session->market);
    message->verdict = SIM_NO_VERDICT;
    message->row_count = 0;
    return message;
}

static void note_row(sim_message *message, const tg__update *update, uint64_t covered,
                     bool has_book)
{
    message->rows[message->row_count++] =
        (sim_row){update->id, has_book, tg_image_version(&update->image), covered};
}

void sim_message_copy(sim_message *to, const sim_message *from)
{
    memcpy(to, from, offsetof(sim_message, bytes) + from->size);
}

const sim_message *sim_session_take(sim_session *session)
{
    if (session->count == 0) {
        return NULL;
    }
    const sim_message *message = &session->messages[session->head];
    session->head = (session->head + 1) % SIM_MESSAGES_MAX;
    session->count--;
    return message;
}

void sim_session_open(sim_session *session, const sim_market *market, sim_message *messages)
{
    memset(session, 0, sizeof *session);
    session->market = market;
    session->cut = *market;
    session->messages = messages;
    session->limits.instruments_max = SIM_INSTRUMENTS;
    session->limits.priority_max = 4;
    session->limits.message_size_max = SIM_MESSAGE_SIZE;
    session->limits.subscribe_per_second =
        market->subscribe_per_second != 0 ? market->subscribe_per_second : 1000;
    session->limits.reconnect_spread_ms = market->reconnect_spread_ms;
    tg__channel_init(&session->channel, session->ids, session->images, SIM_INSTRUMENTS,
                     SIM_RESOLUTION_NS);
    session->channel.boundary = market->boundary;
    session->token_end_ns =
        market->token_lifetime_s == 0
            ? INT64_MAX
            : sim_market_true_ns(market) + market->token_lifetime_s * INT64_C(1000000000);
    const tg__welcome welcome = {
        .instance = 1,
        .lineage = market->lineage,
        .boundary = market->boundary,
        .features = session->features,
        .ts_gateway_ns = sim_market_utc_ns(market),
        .dictionary_generation = market->generation,
        .dictionary_size = SIM_INSTRUMENTS,
        .frame_interval_ms = 40,
        .heartbeat_interval_ms = SIM_HEARTBEAT_MS,
        .time_resolution_ns = SIM_RESOLUTION_NS,
        .token_lifetime_s = market->token_lifetime_s,
        .limits = session->limits,
    };
    sim_message *message = sim_session_put(session);
    assert_int_equal(tg__welcome_encode(&welcome, message->bytes, SIM_MESSAGE_SIZE, &message->size),
                     TG_OK);
}

void sim_session_tell_limits(sim_session *session)
{
    session->limits.reconnect_spread_ms = session->market->reconnect_spread_ms;
    sim_message *message = sim_session_put(session);
    assert_int_equal(
        tg__limits_encode(&session->limits, message->bytes, SIM_MESSAGE_SIZE, &message->size),
        TG_OK);
}

static void fill_instrument(tg_instrument *instrument, tg_instrument_id id)
{
    memset(instrument, 0, sizeof *instrument);
    instrument->id = id;
    instrument->venue = 1;
    instrument->price_exponent = -2;
    instrument->band_count = 1;
    instrument->epoch = 1;
    instrument->cadence_ms = SIM_CADENCE_MS;
    instrument->multiplier.mantissa = 1;
    instrument->band[0].tick_size = 1;
    sim_symbol(id, instrument->symbol);
}

static void put_dictionary(sim_session *session, const tg_instrument_id *ids, uint32_t count)
{
    tg__dictionary_entry entries[SIM_INSTRUMENTS + 1];
    memset(entries, 0, sizeof entries);
    entries[0].op = TG__DICTIONARY_VENUE;
    entries[0].as.venue.id = 1;
    (void)snprintf(entries[0].as.venue.name, TG_VENUE_NAME_SIZE, SIM_VENUE);
    for (uint32_t i = 0; i < count; i++) {
        entries[i + 1].op = TG__DICTIONARY_ADD;
        fill_instrument(&entries[i + 1].as.instrument, ids[i]);
    }
    sim_message *message = sim_session_put(session);
    assert_int_equal(tg__dictionary_encode(session->cut.generation, entries, count + 1,
                                           message->bytes, SIM_MESSAGE_SIZE, &message->size),
                     TG_OK);
}

static void put_snapshot(sim_session *session, tg__snapshot_reason reason)
{
    tg__update rows[SIM_INSTRUMENTS];
    memset(rows, 0, sizeof rows);
    for (uint32_t i = 0; i < session->set_count; i++) {
        rows[i].id = session->set[i];
        rows[i].image = session->cut.images[session->set[i]];
    }
    const tg__frame frame = {
        .base = session->cut.boundary,
        .boundary = session->cut.boundary,
        .ts_gateway_ns = sim_market_utc_ns(session->market),
        .set_digest = tg__set_digest(session->set, session->set_count),
        .count = session->set_count,
    };
    sim_message *message = sim_session_put(session);
    size_t used = 0;
    assert_int_equal(tg__snapshot_header_encode(&frame, reason, SIM_RESOLUTION_NS, message->bytes,
                                                SIM_MESSAGE_SIZE, &used),
                     TG_OK);
    for (uint32_t i = 0; i < session->set_count; i++) {
        size_t row_size = 0;
        assert_int_equal(tg__snapshot_row_encode(&rows[i], SIM_RESOLUTION_NS, message->bytes + used,
                                                 SIM_MESSAGE_SIZE - used, &row_size),
                         TG_OK);
        used += row_size;
        note_row(message, &rows[i], 0, false); /* a SNAPSHOT does not say */
    }
    message->size = used;
    tg__channel_replace(&session->channel, &frame, rows);
}

static int32_t id_of(const tg__name *name)
{
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        char symbol[TG_SYMBOL_SIZE];
        sim_symbol((tg_instrument_id)id, symbol);
        const bool named = strcmp(name->venue, SIM_VENUE) == 0 && strcmp(name->symbol, symbol) == 0;
        if (name->id == TG_INSTRUMENT_NONE ? named : name->id == id) {
            return (int32_t)id;
        }
    }
    return -1;
}

/* The set of a channel. */
static tg_instrument_id *set_of(sim_session *session, tg__channel_kind channel, uint32_t **count)
{
    const bool priority = channel == TG__CHANNEL_PRIORITY;
    *count = priority ? &session->priority_count : &session->set_count;
    return priority ? session->priority : session->set;
}

static void set_add(sim_session *session, tg__channel_kind channel, tg_instrument_id id)
{
    uint32_t *count = NULL;
    tg_instrument_id *set = set_of(session, channel, &count);
    uint32_t at = 0;
    while (at < *count && set[at] < id) {
        at++;
    }
    if (at < *count && set[at] == id) {
        return;
    }
    if (channel == TG__CHANNEL_PRIORITY) {
        session->ticked[id] = (tg_version){0, 0};
    }
    memmove(&set[at + 1], &set[at], (*count - at) * sizeof set[0]);
    set[at] = id;
    (*count)++;
}

static void set_drop(sim_session *session, tg__channel_kind channel, tg_instrument_id id)
{
    uint32_t *count = NULL;
    tg_instrument_id *set = set_of(session, channel, &count);
    for (uint32_t at = 0; at < *count; at++) {
        if (set[at] == id) {
            (*count)--;
            memmove(&set[at], &set[at + 1], (*count - at) * sizeof set[0]);
            return;
        }
    }
}

static void put_tick(sim_session *session, tg_instrument_id id, bool has_book)
{
    tg__tick tick;
    memset(&tick, 0, sizeof tick);
    tick.update.id = id;
    tick.update.image = session->market->images[id];
    tick.has_book = has_book;
    if (has_book) {
        const tg_version now = tg_image_version(&tick.update.image);
        const tg_version then = session->ticked[id];
        tick.update.covered = then.seq != 0 && then.epoch == now.epoch ? now.seq - then.seq : 0;
        session->ticked[id] = now;
    }
    tick.book.bid_count = 1;
    tick.book.bid[0].price = tick.update.image.value[TG_FIELD_BID_PRICE];
    sim_message *message = sim_session_put(session);
    assert_int_equal(tg__ticks_encode(sim_market_utc_ns(session->market), SIM_RESOLUTION_NS, &tick,
                                      1, message->bytes, SIM_MESSAGE_SIZE, &message->size),
                     TG_OK);
    note_row(message, &tick.update, tick.update.covered, has_book);
}

void sim_session_tick(sim_session *session, tg_instrument_id id)
{
    put_tick(session, id, true);
}

void sim_session_ticks(sim_session *session)
{
    for (uint32_t i = 0; i < session->priority_count; i++) {
        const tg_instrument_id id = session->priority[i];
        const tg_version now = tg_image_version(&session->market->images[id]);
        if (tg_version_compare(session->ticked[id], now) < 0) {
            put_tick(session, id, true);
        }
    }
}

static void put_answer(sim_session *session, const tg__request *request, const tg__result *results,
                       uint32_t count)
{
    uint32_t *set_count = NULL;
    const tg_instrument_id *set = set_of(session, request->channel, &set_count);
    const tg__answer answer = {
        .request = request->request,
        .channel = request->channel,
        .set_count = *set_count,
        .set_digest = tg__set_digest(set, *set_count),
        .count = count,
    };
    sim_message *message = sim_session_put(session);
    assert_int_equal(
        tg__answer_encode(&answer, results, message->bytes, SIM_MESSAGE_SIZE, &message->size),
        TG_OK);
}

/* Instruments from 20 on exist, but are not for this client. */
static tg__answer_code judge(const sim_session *session, const tg__request *request, int32_t id)
{
    if (id < 0) {
        return TG__ANSWER_UNKNOWN;
    }
    if (id >= 20 || (session->market->revoked & (UINT32_C(1) << id)) != 0) {
        return TG__ANSWER_NOT_ENTITLED;
    }
    if (request->channel == TG__CHANNEL_PRIORITY) {
        const bool more = request->kind == TG__KIND_SUBSCRIBE;
        return more && session->priority_count >= session->limits.priority_max ? TG__ANSWER_LIMIT
                                                                               : TG__ANSWER_OK;
    }
    return session->set_count < session->limits.instruments_max ? TG__ANSWER_OK : TG__ANSWER_LIMIT;
}

static void receive_request(sim_session *session, const uint8_t *bytes, size_t size)
{
    tg__request request;
    tg__name_reader reader;
    tg__fault fault;
    assert_int_equal(tg__request_decode(bytes, size, &request, &reader, &fault), TG_OK);
    if (request.kind == TG__KIND_RESYNC && reader.left > 0) {
        tg__name row;
        while (tg__name_next(&reader, &row)) {
            session->rows_asked++;
            put_tick(session, (tg_instrument_id)id_of(&row), false);
        }
        return;
    }
    if (request.kind == TG__KIND_RESYNC && request.channel == TG__CHANNEL_PRIORITY) {
        session->priority_resyncs++;
        for (uint32_t i = 0; i < session->priority_count; i++) {
            sim_session_tick(session, session->priority[i]);
        }
        return;
    }
    if (request.kind == TG__KIND_RESYNC) {
        session->resyncs++;
        put_snapshot(session, TG__SNAPSHOT_RESYNC);
        return;
    }
    session->subscribes++;
    tg__result results[512];
    tg__result first[512];
    tg_instrument_id added[SIM_INSTRUMENTS];
    uint32_t added_count = 0;
    uint32_t count = 0;
    const bool too_fast = session->too_fast_once;
    session->too_fast_once = false;
    tg__name name;
    while (tg__name_next(&reader, &name)) {
        assert_true(count < 512);
        session->items++;
        session->by_id += name.id != TG_INSTRUMENT_NONE;
        const int32_t id = id_of(&name);
        results[count].code = too_fast ? TG__ANSWER_TOO_FAST : judge(session, &request, id);
        results[count].id = id < 0 ? TG_INSTRUMENT_NONE : (tg_instrument_id)id;
        if (results[count].code == TG__ANSWER_OK && request.kind == TG__KIND_SUBSCRIBE) {
            set_add(session, request.channel, (tg_instrument_id)id);
            added[added_count++ % SIM_INSTRUMENTS] = (tg_instrument_id)id;
        } else if (results[count].code == TG__ANSWER_OK) {
            set_drop(session, request.channel, (tg_instrument_id)id);
        }
        first[count].code = TG__ANSWER_PENDING;
        first[count].id = TG_INSTRUMENT_NONE;
        count++;
    }
    if (added_count > 0) {
        put_dictionary(session, added,
                       added_count < SIM_INSTRUMENTS ? added_count : SIM_INSTRUMENTS);
    }
    if (session->pending_answers && request.kind == TG__KIND_SUBSCRIBE &&
        request.channel == TG__CHANNEL_CONFLATED) {
        const uint32_t set_count = session->set_count;
        session->set_count = 0; /* nothing is in the set before the second answer */
        put_answer(session, &request, first, count);
        session->set_count = set_count;
    }
    put_answer(session, &request, results, count);
    if (request.channel == TG__CHANNEL_CONFLATED) {
        put_snapshot(session, TG__SNAPSHOT_SET_CHANGE);
        return;
    }
    for (uint32_t i = 0; i < added_count; i++) {
        sim_session_tick(session, added[i]);
    }
}

static void receive_find(sim_session *session, const uint8_t *bytes, size_t size)
{
    tg__find find;
    tg__fault fault;
    assert_int_equal(tg__find_decode(bytes, size, &find, &fault), TG_OK);
    tg__dictionary_entry entries[SIM_INSTRUMENTS + 1];
    memset(entries, 0, sizeof entries);
    entries[0].op = TG__DICTIONARY_VENUE;
    entries[0].as.venue.id = 1;
    (void)snprintf(entries[0].as.venue.name, TG_VENUE_NAME_SIZE, SIM_VENUE);
    uint32_t count = 0;
    bool more = false;
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        char symbol[TG_SYMBOL_SIZE];
        sim_symbol((tg_instrument_id)id, symbol);
        if (strncmp(symbol, find.prefix, strlen(find.prefix)) != 0 ||
            strcmp(symbol, find.after_symbol) <= 0) {
            continue;
        }
        if (count == find.limit) {
            more = true;
            break;
        }
        entries[++count].op = TG__DICTIONARY_ADD;
        fill_instrument(&entries[count].as.instrument, (tg_instrument_id)id);
    }
    const tg__found found = {find.request, session->cut.generation, more};
    sim_message *message = sim_session_put(session);
    assert_int_equal(tg__found_encode(&found, entries, count + 1, message->bytes, SIM_MESSAGE_SIZE,
                                      &message->size),
                     TG_OK);
}

size_t sim_token_encode(const sim_token *token, uint8_t *out, size_t capacity)
{
    char text[SIM_TOKEN_SIZE];
    size_t size = 0;
    const int length =
        snprintf(text, sizeof text, "%" PRIu32 ".%" PRId64, token->number, token->end_ns);
    assert_int_equal(tg__token_encode(text, (size_t)length, out, capacity, &size), TG_OK);
    return size;
}

void sim_session_answer_token(sim_session *session, bool accepted, uint32_t lifetime_s)
{
    const tg__token_answer answer = {accepted, lifetime_s};
    sim_message *message = sim_session_put(session);
    message->verdict = accepted ? SIM_ACCEPTED : SIM_REFUSED;
    assert_int_equal(
        tg__token_answer_encode(&answer, message->bytes, SIM_MESSAGE_SIZE, &message->size), TG_OK);
}

static void receive_token(sim_session *session, const uint8_t *bytes, size_t size)
{
    const char *token = NULL;
    size_t token_size = 0;
    tg__fault fault;
    char text[SIM_TOKEN_SIZE];
    uint32_t number = 0;
    int64_t end_ns = 0;
    assert_int_equal(tg__token_decode(bytes, size, &token, &token_size, &fault), TG_OK);
    assert_true(token_size < sizeof text);
    memcpy(text, token, token_size);
    text[token_size] = '\0';
    assert_int_equal(sscanf(text, "%" SCNu32 ".%" SCNd64, &number, &end_ns), 2);
    if (session->token_habit == SIM_TOKEN_IGNORE) {
        return;
    }
    const int64_t now_ns = sim_market_true_ns(session->market);
    const int64_t left_s = (end_ns - now_ns) / 1000000000;
    if (session->token_habit == SIM_TOKEN_REFUSE || end_ns <= now_ns) {
        sim_session_answer_token(session, false, 0);
        return;
    }
    const uint32_t told_s = left_s > 0 ? (uint32_t)left_s : 1; /* 0 would be for ever */
    session->token_end_ns = now_ns + told_s * INT64_C(1000000000);
    sim_session_answer_token(session, true, told_s);
}

void sim_session_receive(sim_session *session, const uint8_t *bytes, size_t size)
{
    uint8_t kind = 0;
    assert_int_equal(tg__message_kind(bytes, size, &kind), TG_OK);
    if (kind == TG__KIND_ECHO) {
        uint64_t cookie = 0;
        tg__fault fault;
        assert_int_equal(tg__echo_decode(bytes, size, &cookie, &fault), TG_OK);
        session->echoes++;
        const tg__echo_reply reply = {cookie, sim_market_utc_ns(session->market)};
        sim_message *message = sim_session_put(session);
        message->echo = session->echoes;
        message->echo_ns = message->made_ns;
        assert_int_equal(
            tg__echo_reply_encode(&reply, message->bytes, SIM_MESSAGE_SIZE, &message->size), TG_OK);
    } else if (kind == TG__KIND_FIND) {
        receive_find(session, bytes, size);
    } else if (kind == TG__KIND_REPORT) {
        tg__report report;
        tg__fault fault;
        assert_int_equal(tg__report_decode(bytes, size, &report, &fault), TG_OK);
    } else if (kind == TG__KIND_TOKEN) {
        receive_token(session, bytes, size);
    } else {
        receive_request(session, bytes, size);
    }
}

void sim_session_frame(sim_session *session)
{
    if (session->cut.boundary >= session->market->boundary) {
        return; /* this gateway is not behind any more, and never goes back */
    }
    session->cut = *session->market;
    tg__update updates[SIM_INSTRUMENTS];
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < session->set_count; slot++) {
        const tg_image *now = &session->cut.images[session->set[slot]];
        const tg_image *then = &session->channel.images[slot];
        if (tg_version_compare(tg_image_version(then), tg_image_version(now)) != 0) {
            memset(&updates[count], 0, sizeof updates[count]);
            updates[count].id = session->set[slot];
            updates[count].slot = (uint16_t)slot;
            updates[count].image = *now;
            updates[count].covered = now->epoch == then->epoch ? now->seq - then->seq : 1;
            count++;
        }
    }
    const tg__frame frame = {
        .base = session->channel.boundary,
        .boundary = session->cut.boundary,
        .ts_gateway_ns = sim_market_utc_ns(session->market),
        .set_digest = session->channel.set_digest,
        .count = count,
        .state_digest = session->state_digests,
    };
    sim_message *message = sim_session_put(session);
    for (uint32_t i = 0; i < count; i++) {
        note_row(message, &updates[i], updates[i].covered, false);
    }
    assert_int_equal(tg__delta_encode(&session->channel, &frame, updates, message->bytes,
                                      SIM_MESSAGE_SIZE, &message->size),
                     TG_OK);
    tg__channel_apply(&session->channel, &frame, updates);
}

void sim_session_overflow(sim_session *session)
{
    session->head = 0;
    session->count = 0;
    put_dictionary(session, session->set, session->set_count);
    put_snapshot(session, TG__SNAPSHOT_GAP);
}
