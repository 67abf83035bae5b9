#include "vector_message.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control.h>
#include <tickglass/internal/dictionary.h>
#include <tickglass/internal/frame.h>

#define ROWS_LISTED_MAX 16u

/* What a reader is told and where it failed; json belongs to the caller of the reader. */
typedef struct reading {
    vector_channel *channel;
    const uint8_t *bytes;
    size_t size;
    cJSON *message;
    tg__fault fault;
} reading;

static void add_limits(cJSON *message, const tg__limits *limits)
{
    cJSON *to = cJSON_AddObjectToObject(message, "limits");
    cJSON_AddNumberToObject(to, "instruments_max", limits->instruments_max);
    cJSON_AddNumberToObject(to, "priority_max", limits->priority_max);
    cJSON_AddNumberToObject(to, "message_size_max", limits->message_size_max);
    cJSON_AddNumberToObject(to, "subscribe_per_second", limits->subscribe_per_second);
    if (limits->reconnect_spread_ms != 0) {
        cJSON_AddNumberToObject(to, "reconnect_spread_ms", limits->reconnect_spread_ms);
    }
}

static tg_err read_welcome(reading *r)
{
    tg__welcome w;
    const tg_err err = tg__welcome_decode(r->bytes, r->size, &w, &r->fault);
    if (err != TG_OK) {
        return err;
    }
    vector_add_u64(r->message, "instance", w.instance);
    vector_add_u64(r->message, "lineage", w.lineage);
    vector_add_u64(r->message, "boundary", w.boundary);
    vector_add_u64(r->message, "features", w.features);
    vector_add_i64(r->message, "ts_gateway_ns", w.ts_gateway_ns);
    cJSON_AddNumberToObject(r->message, "dictionary_generation", w.dictionary_generation);
    cJSON_AddNumberToObject(r->message, "dictionary_size", w.dictionary_size);
    cJSON_AddNumberToObject(r->message, "frame_interval_ms", w.frame_interval_ms);
    cJSON_AddNumberToObject(r->message, "heartbeat_interval_ms", w.heartbeat_interval_ms);
    cJSON_AddNumberToObject(r->message, "time_resolution_ns", w.time_resolution_ns);
    cJSON_AddNumberToObject(r->message, "token_lifetime_s", w.token_lifetime_s);
    add_limits(r->message, &w.limits);
    return TG_OK;
}

static tg_err read_limits(reading *r)
{
    tg__limits limits;
    const tg_err err = tg__limits_decode(r->bytes, r->size, &limits, &r->fault);
    if (err == TG_OK) {
        add_limits(r->message, &limits);
    }
    return err;
}

static tg_err read_venue_state(reading *r)
{
    tg__venue_state state;
    const tg_err err = tg__venue_state_decode(r->bytes, r->size, &state, &r->fault);
    if (err == TG_OK) {
        cJSON_AddNumberToObject(r->message, "venue", state.venue);
        cJSON_AddStringToObject(r->message, "condition",
                                state.condition == TG__VENUE_LIVE ? "live" : "stale");
        vector_add_u64(r->message, "boundary", state.boundary);
    }
    return err;
}

static tg_err read_token(reading *r)
{
    const char *token = NULL;
    size_t token_size = 0;
    const tg_err err = tg__token_decode(r->bytes, r->size, &token, &token_size, &r->fault);
    if (err == TG_OK) {
        char *text = calloc(1, token_size + 1);
        memcpy(text, token, token_size);
        cJSON_AddStringToObject(r->message, "token", text);
        free(text);
    }
    return err;
}

static tg_err read_token_answer(reading *r)
{
    tg__token_answer answer;
    const tg_err err = tg__token_answer_decode(r->bytes, r->size, &answer, &r->fault);
    if (err == TG_OK) {
        cJSON_AddBoolToObject(r->message, "accepted", answer.accepted);
        cJSON_AddNumberToObject(r->message, "lifetime_s", answer.lifetime_s);
    }
    return err;
}

static tg_err read_echo(reading *r)
{
    uint64_t cookie = 0;
    const tg_err err = tg__echo_decode(r->bytes, r->size, &cookie, &r->fault);
    if (err == TG_OK) {
        vector_add_u64(r->message, "cookie", cookie);
    }
    return err;
}

static tg_err read_echo_reply(reading *r)
{
    tg__echo_reply reply;
    const tg_err err = tg__echo_reply_decode(r->bytes, r->size, &reply, &r->fault);
    if (err == TG_OK) {
        vector_add_u64(r->message, "cookie", reply.cookie);
        vector_add_i64(r->message, "ts_gateway_ns", reply.ts_gateway_ns);
    }
    return err;
}

static tg_err read_report(reading *r)
{
    tg__report report;
    const tg_err err = tg__report_decode(r->bytes, r->size, &report, &r->fault);
    if (err == TG_OK) {
        char *text = calloc(1, report.text_size + 1);
        memcpy(text, report.text, report.text_size);
        cJSON_AddNumberToObject(r->message, "stage", report.stage);
        cJSON_AddNumberToObject(r->message, "interval_ms", report.interval_ms);
        cJSON_AddStringToObject(r->message, "text", text);
        free(text);
    }
    return err;
}

static void add_instrument(cJSON *to, const tg_instrument *from)
{
    cJSON_AddNumberToObject(to, "id", from->id);
    cJSON_AddNumberToObject(to, "venue", from->venue);
    cJSON_AddNumberToObject(to, "asset_class", from->asset_class);
    cJSON_AddNumberToObject(to, "price_format", from->price_format);
    cJSON_AddNumberToObject(to, "price_exponent", from->price_exponent);
    cJSON_AddNumberToObject(to, "quantity_exponent", from->quantity_exponent);
    cJSON_AddBoolToObject(to, "delayed", from->delayed);
    cJSON_AddNumberToObject(to, "epoch", from->epoch);
    cJSON_AddNumberToObject(to, "cadence_ms", from->cadence_ms);
    vector_add_i64(to, "multiplier", from->multiplier.mantissa);
    cJSON_AddNumberToObject(to, "multiplier_exponent", from->multiplier.exponent);
    cJSON *bands = cJSON_AddArrayToObject(to, "bands");
    for (uint32_t n = 0; n < from->band_count; n++) {
        cJSON *band = cJSON_CreateObject();
        vector_add_i64(band, "from_price", from->band[n].from_price);
        vector_add_i64(band, "tick_size", from->band[n].tick_size);
        cJSON_AddItemToArray(bands, band);
    }
    cJSON_AddStringToObject(to, "symbol", from->symbol);
    cJSON_AddStringToObject(to, "currency", from->currency);
}

static void add_entry(cJSON *entries, const tg__dictionary_entry *entry)
{
    cJSON *to = cJSON_CreateObject();
    cJSON_AddItemToArray(entries, to);
    switch (entry->op) {
    case TG__DICTIONARY_VENUE:
        cJSON_AddStringToObject(to, "operation", "VENUE");
        cJSON_AddNumberToObject(to, "venue", entry->as.venue.id);
        cJSON_AddStringToObject(to, "name", entry->as.venue.name);
        break;
    case TG__DICTIONARY_ADD:
        cJSON_AddStringToObject(to, "operation", "ADD");
        add_instrument(to, &entry->as.instrument);
        break;
    case TG__DICTIONARY_SCALE:
        cJSON_AddStringToObject(to, "operation", "SCALE");
        add_instrument(to, &entry->as.instrument);
        break;
    case TG__DICTIONARY_RENAME:
        cJSON_AddStringToObject(to, "operation", "RENAME");
        cJSON_AddNumberToObject(to, "id", entry->as.instrument.id);
        cJSON_AddStringToObject(to, "symbol", entry->as.instrument.symbol);
        break;
    case TG__DICTIONARY_TOMBSTONE:
        cJSON_AddStringToObject(to, "operation", "TOMBSTONE");
        cJSON_AddNumberToObject(to, "id", entry->as.instrument.id);
        break;
    }
}

static void add_entries(cJSON *message, tg__dictionary_reader *reader)
{
    tg__dictionary_entry entry;
    cJSON *entries = cJSON_AddArrayToObject(message, "entries");
    while (tg__dictionary_next(reader, &entry)) {
        add_entry(entries, &entry);
    }
    cJSON_AddNumberToObject(message, "unknown", reader->unknown);
}

static tg_err read_dictionary(reading *r)
{
    uint32_t generation = 0;
    tg__dictionary_reader reader;
    const tg_err err = tg__dictionary_decode(r->bytes, r->size, &generation, &reader, &r->fault);
    if (err == TG_OK) {
        cJSON_AddNumberToObject(r->message, "generation", generation);
        add_entries(r->message, &reader);
    }
    return err;
}

static tg_err read_found(reading *r)
{
    tg__found found;
    tg__dictionary_reader reader;
    const tg_err err = tg__found_decode(r->bytes, r->size, &found, &reader, &r->fault);
    if (err == TG_OK) {
        cJSON_AddBoolToObject(r->message, "more", found.more);
        cJSON_AddNumberToObject(r->message, "request", found.request);
        cJSON_AddNumberToObject(r->message, "generation", found.generation);
        add_entries(r->message, &reader);
    }
    return err;
}

static const char *answer_name(tg__answer_code code)
{
    switch (code) {
    case TG__ANSWER_OK:
        return "ok";
    case TG__ANSWER_NOT_ENTITLED:
        return "not_entitled";
    case TG__ANSWER_LIMIT:
        return "limit";
    case TG__ANSWER_PENDING:
        return "pending";
    case TG__ANSWER_TOO_FAST:
        return "too_fast";
    case TG__ANSWER_UNKNOWN:
        break;
    }
    return "unknown";
}

static tg_err read_answer(reading *r)
{
    static tg__result results[TG__ITEM_MAX];
    tg__answer answer;
    const tg_err err =
        tg__answer_decode(r->bytes, r->size, &answer, results, TG__ITEM_MAX, &r->fault);
    if (err != TG_OK) {
        return err;
    }
    cJSON_AddNumberToObject(r->message, "channel", answer.channel);
    cJSON_AddNumberToObject(r->message, "request", answer.request);
    cJSON_AddNumberToObject(r->message, "size", answer.set_count);
    cJSON_AddNumberToObject(r->message, "digest", answer.set_digest);
    cJSON *answers = cJSON_AddArrayToObject(r->message, "answers");
    for (uint32_t n = 0; n < answer.count; n++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "code", answer_name(results[n].code));
        cJSON_AddNumberToObject(item, "id", results[n].id);
        cJSON_AddItemToArray(answers, item);
    }
    return TG_OK;
}

static tg_err read_request(reading *r)
{
    tg__request request;
    tg__name_reader reader;
    tg__name name;
    const tg_err err = tg__request_decode(r->bytes, r->size, &request, &reader, &r->fault);
    if (err != TG_OK) {
        return err;
    }
    cJSON_AddNumberToObject(r->message, "channel", request.channel);
    cJSON_AddNumberToObject(r->message, "request", request.request);
    cJSON *names = cJSON_AddArrayToObject(r->message, "names");
    while (tg__name_next(&reader, &name)) {
        cJSON *item = cJSON_CreateObject();
        if (name.id != TG_INSTRUMENT_NONE) {
            cJSON_AddNumberToObject(item, "id", name.id);
        } else {
            cJSON_AddStringToObject(item, "venue", name.venue);
            cJSON_AddStringToObject(item, "symbol", name.symbol);
        }
        cJSON_AddItemToArray(names, item);
    }
    return TG_OK;
}

static tg_err read_find(reading *r)
{
    tg__find find;
    const tg_err err = tg__find_decode(r->bytes, r->size, &find, &r->fault);
    if (err == TG_OK) {
        cJSON_AddNumberToObject(r->message, "request", find.request);
        cJSON_AddNumberToObject(r->message, "limit", find.limit);
        cJSON_AddStringToObject(r->message, "prefix", find.prefix);
        cJSON_AddStringToObject(r->message, "venue", find.venue);
        cJSON_AddStringToObject(r->message, "after_venue", find.after_venue);
        cJSON_AddStringToObject(r->message, "after_symbol", find.after_symbol);
    }
    return err;
}

static void add_frame(cJSON *message, const tg__frame *frame, const tg__update *rows)
{
    vector_add_u64(message, "boundary", frame->boundary);
    vector_add_i64(message, "ts_gateway_ns", frame->ts_gateway_ns);
    cJSON_AddNumberToObject(message, "unknown_fields", frame->unknown_fields);
    cJSON_AddNumberToObject(message, "row_count", frame->count);
    if (frame->count <= ROWS_LISTED_MAX) {
        cJSON *list = cJSON_AddArrayToObject(message, "rows");
        for (uint32_t n = 0; n < frame->count; n++) {
            cJSON_AddItemToArray(list, vector_row(rows[n].id, &rows[n].image, &rows[n].covered));
        }
    }
}

static tg__update updates[TG__SET_MAX];

static tg_err read_delta(reading *r)
{
    tg__frame frame;
    tg__channel *channel = &r->channel->channel;
    const tg_err err =
        tg__delta_decode(channel, r->bytes, r->size, &frame, updates, TG__SET_MAX, &r->fault);
    if (err == TG_OK) {
        add_frame(r->message, &frame, updates);
        tg__channel_apply(channel, &frame, updates);
    }
    return err;
}

static tg_err read_snapshot(reading *r)
{
    tg__frame frame;
    tg__snapshot_reason reason;
    tg__channel *channel = &r->channel->channel;
    const tg_err err = tg__snapshot_decode(r->bytes, r->size, channel->time_resolution_ns, &frame,
                                           &reason, updates, TG__SET_MAX, &r->fault);
    if (err == TG_OK) {
        cJSON_AddNumberToObject(r->message, "reason", reason);
        add_frame(r->message, &frame, updates);
        tg__channel_replace(channel, &frame, updates);
    }
    return err;
}

static void add_side(cJSON *book, const char *name, const tg_level *levels, uint32_t count)
{
    cJSON *side = cJSON_AddArrayToObject(book, name);
    for (uint32_t n = 0; n < count; n++) {
        cJSON *level = cJSON_CreateObject();
        vector_add_i64(level, "price", levels[n].price);
        vector_add_i64(level, "quantity", levels[n].quantity);
        cJSON_AddItemToArray(side, level);
    }
}

static tg_err read_ticks(reading *r)
{
    tg__ticks_reader reader;
    tg__tick tick;
    int64_t ts_gateway_ns = 0;
    const tg_err err = tg__ticks_decode(r->bytes, r->size, r->channel->channel.time_resolution_ns,
                                        &ts_gateway_ns, &reader, &r->fault);
    if (err != TG_OK) {
        return err;
    }
    vector_add_i64(r->message, "ts_gateway_ns", ts_gateway_ns);
    cJSON_AddNumberToObject(r->message, "row_count", reader.left);
    cJSON *rows = cJSON_CreateArray();
    while (tg__ticks_next(&reader, &tick)) {
        cJSON *row = vector_row(tick.update.id, &tick.update.image, &tick.update.covered);
        if (tick.has_book) {
            cJSON *book = cJSON_AddObjectToObject(row, "book");
            add_side(book, "bids", tick.book.bid, tick.book.bid_count);
            add_side(book, "asks", tick.book.ask, tick.book.ask_count);
        }
        cJSON_AddItemToArray(rows, row);
    }
    if (cJSON_GetArraySize(rows) <= (int)ROWS_LISTED_MAX) {
        cJSON_AddItemToObject(r->message, "rows", rows);
    } else {
        cJSON_Delete(rows);
    }
    return TG_OK;
}

static const struct kind_of_message {
    uint8_t kind;
    bool from_gateway;
    bool is_data;
    const char *name;
    tg_err (*read)(reading *r);
} kinds[] = {
    {TG__KIND_FOUND, true, false, "FOUND", read_found},
    {TG__KIND_ECHO_REPLY, true, false, "ECHO_REPLY", read_echo_reply},
    {TG__KIND_VENUE_STATE, true, false, "VENUE_STATE", read_venue_state},
    {TG__KIND_LIMITS, true, false, "LIMITS", read_limits},
    {TG__KIND_TOKEN_ANSWER, true, false, "TOKEN_ANSWER", read_token_answer},
    {TG__KIND_WELCOME, true, false, "WELCOME", read_welcome},
    {TG__KIND_DICTIONARY, true, false, "DICTIONARY", read_dictionary},
    {TG__KIND_ANSWER, true, false, "ANSWER", read_answer},
    {TG__KIND_SNAPSHOT, true, true, "SNAPSHOT", read_snapshot},
    {TG__KIND_DELTA, true, true, "DELTA", read_delta},
    {TG__KIND_TICKS, true, true, "TICKS", read_ticks},
    {TG__KIND_ECHO, false, false, "ECHO", read_echo},
    {TG__KIND_FIND, false, false, "FIND", read_find},
    {TG__KIND_REPORT, false, false, "REPORT", read_report},
    {TG__KIND_SUBSCRIBE, false, false, "SUBSCRIBE", read_request},
    {TG__KIND_UNSUBSCRIBE, false, false, "UNSUBSCRIBE", read_request},
    {TG__KIND_RESYNC, false, false, "RESYNC", read_request},
    {TG__KIND_TOKEN, false, false, "TOKEN", read_token},
};

static cJSON *refusal(tg_err err, const tg__fault *fault)
{
    cJSON *told = cJSON_CreateObject();
    cJSON_AddStringToObject(told, "error", tg_err_name(err) + strlen("TG_ERR_"));
    cJSON_AddNumberToObject(told, "offset", (double)fault->offset);
    if (fault->row != TG__NO_ROW) {
        cJSON_AddNumberToObject(told, "row", fault->row);
    }
    return told;
}

static const struct kind_of_message *find_kind(uint8_t kind, bool from_gateway)
{
    for (size_t n = 0; n < sizeof kinds / sizeof kinds[0]; n++) {
        if (kinds[n].kind == kind && kinds[n].from_gateway == from_gateway) {
            return &kinds[n];
        }
    }
    return NULL;
}

cJSON *vector_outcome(vector_channel *channel, bool from_gateway, const uint8_t *bytes, size_t size)
{
    uint8_t kind = 0;
    reading r = {.channel = channel, .bytes = bytes, .size = size, .fault = {0, TG__NO_ROW}};
    tg_err err = tg__message_kind(bytes, size, &kind);
    const struct kind_of_message *known = find_kind(kind, from_gateway);
    if (err == TG_OK && known == NULL && kind >= 0x80) {
        err = TG_ERR_MANDATORY_UNKNOWN;
    }
    if (err != TG_OK) {
        return refusal(err, &r.fault);
    }
    cJSON *told = cJSON_CreateObject();
    r.message = cJSON_AddObjectToObject(told, "message");
    cJSON_AddStringToObject(r.message, "kind", known == NULL ? "UNKNOWN" : known->name);
    if (known != NULL && (err = known->read(&r)) != TG_OK) {
        cJSON_Delete(told);
        return refusal(err, &r.fault);
    }
    if (known != NULL && known->is_data) {
        cJSON_AddItemToObject(told, "channel", vector_channel_state(&channel->channel));
    }
    return told;
}
