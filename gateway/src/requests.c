/* What clients ask for. PROTOCOL.md sections 4 and 11. */
#include "hub.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "bits.h"

#define ENTRIES_PER_MESSAGE 1024u
#define FOUND_MAX           512u

static tg_instrument_id resolve(const tg__directory *directory, const tg__name *name)
{
    if (name->id != TG_INSTRUMENT_NONE) {
        return name->id < directory->count ? name->id : TG_INSTRUMENT_NONE;
    }
    return tg__directory_find_name(directory, name->venue, name->symbol);
}

static bool is_entitled(const tg__hub *hub, const tg__peer *peer, tg_instrument_id id)
{
    return tg__entitlement_covers(&peer->entitlement,
                                  hub->options.directory->instruments[id].venue);
}

/* ---- dictionary ---- */

static tg_err send_dictionary(tg__hub *hub, tg__peer *peer, size_t count)
{
    size_t size = 0;
    if (count == 0) {
        return TG_OK;
    }
    TG_TRY(tg__dictionary_encode(hub->options.directory->generation, hub->entries, count,
                                 hub->message, TG__MESSAGE_SIZE_MAX, &size));
    return tg__hub_send_control(hub, peer, size);
}

static void put_venue(const tg__hub *hub, size_t at, tg_venue_id venue)
{
    tg__dictionary_entry *entry = &hub->entries[at];
    memset(entry, 0, sizeof *entry);
    entry->op = TG__DICTIONARY_VENUE;
    entry->as.venue = hub->options.directory->venues[venue];
}

static void put_instrument(const tg__hub *hub, size_t at, tg_instrument_id id)
{
    tg__dictionary_entry *entry = &hub->entries[at];
    memset(entry, 0, sizeof *entry);
    entry->op = TG__DICTIONARY_ADD;
    entry->as.instrument = hub->options.directory->instruments[id];
}

/* The entries of the accepted instruments that this connection has not had yet. */
static tg_err introduce(tg__hub *hub, tg__peer *peer, uint32_t result_count)
{
    size_t count = 0;
    for (uint32_t i = 0; i < result_count; i++) {
        const tg_instrument_id id = hub->results[i].id;
        if (hub->results[i].code != TG__ANSWER_OK || tg__bit_get(peer->known, id)) {
            continue;
        }
        const tg_venue_id venue = hub->options.directory->instruments[id].venue;
        if (!tg__bit_get(peer->known_venues, venue)) {
            tg__bit_set(peer->known_venues, venue);
            put_venue(hub, count++, venue);
        }
        tg__bit_set(peer->known, id);
        put_instrument(hub, count++, id);
        if (count >= ENTRIES_PER_MESSAGE - 1) {
            TG_TRY(send_dictionary(hub, peer, count));
            count = 0;
        }
    }
    return send_dictionary(hub, peer, count);
}

/* ---- sets ---- */

static uint32_t current_set(const tg__peer *peer, tg__channel_kind channel, tg_instrument_id *ids)
{
    if (channel == TG__CHANNEL_CONFLATED) {
        const tg__channel *own = &peer->group->channel;
        memcpy(ids, own->ids, own->count * sizeof *ids);
        return own->count;
    }
    for (uint32_t i = 0; i < peer->priority_count; i++) {
        ids[i] = peer->priority[i].id;
    }
    return peer->priority_count;
}

typedef struct set_change {
    bool adds;
    uint32_t limit;
    uint32_t count; /* marked instruments */
} set_change;

static tg__answer_code mark(tg__hub *hub, tg__peer *peer, set_change *change, tg_instrument_id id,
                            int64_t mono_ns)
{
    if (!tg__token_bucket_take(&peer->subscribe_rate, mono_ns)) {
        return TG__ANSWER_TOO_FAST;
    }
    if (id == TG_INSTRUMENT_NONE) {
        return TG__ANSWER_UNKNOWN;
    }
    if (change->adds && !is_entitled(hub, peer, id)) {
        return TG__ANSWER_NOT_ENTITLED;
    }
    if (tg__bit_get(hub->marks, id) == change->adds) {
        return TG__ANSWER_OK;
    }
    if (!change->adds) {
        tg__bit_clear(hub->marks, id);
        change->count--;
        return TG__ANSWER_OK;
    }
    if (change->count == change->limit) {
        return TG__ANSWER_LIMIT;
    }
    tg__bit_set(hub->marks, id);
    change->count++;
    return TG__ANSWER_OK;
}

/*
 * Fills hub->results and leaves the set after the request in hub->ids, ascending. Returns the
 * number of results; *count that of ids.
 */
static uint32_t change_set(tg__hub *hub, tg__peer *peer, const tg__request *request,
                           tg__name_reader *names, int64_t mono_ns, uint32_t *count)
{
    const uint32_t before = current_set(peer, request->channel, hub->ids);
    set_change change = {
        .adds = request->kind == TG__KIND_SUBSCRIBE,
        .limit = request->channel == TG__CHANNEL_CONFLATED ? hub->options.limits.instruments_max
                                                           : hub->options.limits.priority_max,
        .count = before,
    };
    for (uint32_t i = 0; i < before; i++) {
        tg__bit_set(hub->marks, hub->ids[i]);
    }
    uint32_t results = 0;
    tg__name name;
    while (tg__name_next(names, &name)) {
        tg__result *result = &hub->results[results++];
        result->id = resolve(hub->options.directory, &name);
        result->code = mark(hub, peer, &change, result->id, mono_ns);
    }
    *count = 0;
    for (uint32_t id = 0; id < hub->options.directory->count; id++) {
        if (tg__bit_get(hub->marks, id)) {
            tg__bit_clear(hub->marks, id);
            hub->ids[(*count)++] = (tg_instrument_id)id;
        }
    }
    return results;
}

static tg_err send_answer(tg__hub *hub, tg__peer *peer, const tg__request *request,
                          uint32_t result_count, uint32_t set_count)
{
    const tg__answer answer = {
        .request = request->request,
        .channel = request->channel,
        .set_count = set_count,
        .set_digest = tg__set_digest(hub->ids, set_count),
        .count = result_count,
    };
    size_t size = 0;
    TG_TRY(tg__answer_encode(&answer, hub->results, hub->message, TG__MESSAGE_SIZE_MAX, &size));
    return tg__hub_send_control(hub, peer, size);
}

/* A fresh absolute row is due for what is new; kept slots keep what they have sent. */
static tg_err change_priority(tg__hub *hub, tg__peer *peer, uint32_t count)
{
    tg__priority_slot *slots = calloc((size_t)count + 1, sizeof *slots);
    TG_ENSURE(slots != NULL, TG_ERR_NO_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        const tg__priority_slot *kept = tg__peer_priority_slot(peer, hub->ids[i]);
        if (kept != NULL) {
            slots[i] = *kept;
            continue;
        }
        slots[i].id = hub->ids[i];
        slots[i].peer = peer;
        slots[i].image = hub->table.images[hub->ids[i]].image;
        slots[i].sent_seq = slots[i].image.seq; /* what this first row covers is not known */
        slots[i].dirty = true;
        peer->priority_dirty = true;
        peer->priority_begun = true;
        hub->priority_begun = true;
    }
    tg__priority_unlink(hub->priority_heads, peer->priority, peer->priority_count);
    tg__priority_link(hub->priority_heads, slots, count);
    free(peer->priority);
    peer->priority = slots;
    peer->priority_count = count;
    tg__hub_wake(hub, peer);
    return TG_OK;
}

static tg_err answer_set_request(tg__hub *hub, tg__peer *peer, const tg__request *request,
                                 tg__name_reader *names, tg__moment now)
{
    uint32_t count = 0;
    const uint32_t before = request->channel == TG__CHANNEL_CONFLATED ? peer->group->channel.count
                                                                      : peer->priority_count;
    const uint32_t results = change_set(hub, peer, request, names, now.mono_ns, &count);
    hub->subscriptions_ever += count > before ? count - before : 0;
    TG_TRY(introduce(hub, peer, results));
    TG_TRY(send_answer(hub, peer, request, results, count));
    if (request->channel == TG__CHANNEL_PRIORITY) {
        return change_priority(hub, peer, count);
    }
    if (tg__group_has_set(peer->group, tg__set_digest(hub->ids, count), hub->ids, count)) {
        return TG_OK; /* the set is what it was: nothing to restate */
    }
    return tg__hub_join(hub, peer, hub->ids, count, now);
}

/* ---- RESYNC ---- */

#define BOOK_MAX (2u + 2u * TG_BOOK_DEPTH_MAX * 20u) /* bytes: every number at its widest */

_Static_assert((TG__SNAPSHOT_ROW_MAX + 1) * TG__ITEM_MAX + BOOK_MAX * TG__PRIORITY_MAX + 64 <=
                   TG__MESSAGE_SIZE_MAX,
               "all names of one RESYNC, and depth of what may be followed, fit one message");

/*
 * On the priority channel with the depth of what the connection follows there, and of no more books
 * than that: a name that stands in the request many times must not make the message too large.
 */
static tg_err send_rows(tg__hub *hub, tg__peer *peer, tg__channel_kind channel,
                        tg__name_reader *names, tg__moment now)
{
    size_t count = 0;
    uint32_t books = channel == TG__CHANNEL_PRIORITY ? peer->priority_count : 0;
    tg__name name;
    while (tg__name_next(names, &name)) {
        const tg_instrument_id id = resolve(hub->options.directory, &name);
        if (id == TG_INSTRUMENT_NONE || !tg__bit_get(peer->known, id) ||
            !is_entitled(hub, peer, id)) {
            continue;
        }
        tg__tick *tick = &hub->ticks[count++];
        memset(tick, 0, sizeof *tick);
        tick->update.id = id;
        tick->update.image = hub->table.images[id].image;
        if (books > 0 && tg__peer_priority_slot(peer, id) != NULL) {
            tg__hub_add_depth(hub, tick);
            books--;
        }
    }
    size_t size = 0;
    TG_TRY(tg__ticks_encode(tg__hub_stamp_ns(hub, now), hub->options.time_resolution_ns, hub->ticks,
                            count, hub->message, TG__MESSAGE_SIZE_MAX, &size));
    return tg__hub_send_control(hub, peer, size);
}

static tg_err answer_resync(tg__hub *hub, tg__peer *peer, const tg__request *request,
                            tg__name_reader *names, tg__moment now)
{
    if (names->left > 0) {
        return send_rows(hub, peer, request->channel, names, now);
    }
    if (request->channel == TG__CHANNEL_CONFLATED) {
        tg__hub_queue_snapshot(hub, peer, TG__SNAPSHOT_RESYNC);
        return TG_OK;
    }
    tg__hub_restate_priority(hub, peer, TG__VENUE_ALL);
    return TG_OK;
}

static tg_err take_request(tg__hub *hub, tg__peer *peer, const uint8_t *message, size_t size,
                           tg__moment now, tg__fault *fault)
{
    tg__request request;
    tg__name_reader names;
    TG_TRY(tg__request_decode(message, size, &request, &names, fault));
    return request.kind == TG__KIND_RESYNC ? answer_resync(hub, peer, &request, &names, now)
                                           : answer_set_request(hub, peer, &request, &names, now);
}

/* ---- the others ---- */

static tg_err take_find(tg__hub *hub, tg__peer *peer, const uint8_t *message, size_t size,
                        tg__fault *fault)
{
    tg__find find;
    TG_TRY(tg__find_decode(message, size, &find, fault));
    const uint32_t limit = find.limit < FOUND_MAX ? find.limit : FOUND_MAX;
    tg__found found = {.request = find.request, .generation = hub->options.directory->generation};
    const uint32_t ids =
        tg__directory_page(hub->options.directory, &find, hub->ids, limit, &found.more);
    size_t count = 0;
    uint8_t named[sizeof peer->known_venues] = {0};
    for (uint32_t i = 0; i < ids; i++) {
        const tg_venue_id venue = hub->options.directory->instruments[hub->ids[i]].venue;
        if (!tg__bit_get(named, venue)) {
            tg__bit_set(named, venue);
            put_venue(hub, count++, venue);
        }
        put_instrument(hub, count++, hub->ids[i]);
    }
    size_t out = 0;
    TG_TRY(tg__found_encode(&found, hub->entries, count, hub->message, TG__MESSAGE_SIZE_MAX, &out));
    return tg__hub_send_control(hub, peer, out);
}

static tg_err take_echo(tg__hub *hub, tg__peer *peer, const uint8_t *message, size_t size,
                        tg__moment now, tg__fault *fault)
{
    tg__echo_reply reply = {.ts_gateway_ns = now.utc_ns};
    TG_TRY(tg__echo_decode(message, size, &reply.cookie, fault));
    tg__metrics_echo(hub->options.metrics, peer->number, reply.cookie, now.mono_ns);
    size_t out = 0;
    TG_TRY(tg__echo_reply_encode(&reply, hub->message, TG__MESSAGE_SIZE_MAX, &out));
    return tg__hub_send_control(hub, peer, out);
}

static tg_err take_token(tg__hub *hub, tg__peer *peer, const uint8_t *message, size_t size,
                         tg__moment now, tg__fault *fault)
{
    const char *token = NULL;
    size_t token_size = 0;
    TG_TRY(tg__token_decode(message, size, &token, &token_size, fault));
    /* One at a time: answers carry no number, so that a second one could not be told from it. */
    static const tg__door_answer busy = {.verdict = TG__TOKEN_BUSY};
    if (peer->renewal != 0) {
        return tg__hub_answer_token(hub, peer, &busy, now);
    }
    const tg__door_answer answer = tg__door_ask(hub->options.door, token, token_size, now.utc_ns);
    if (answer.ticket == 0) {
        return tg__hub_answer_token(hub, peer, &answer, now);
    }
    peer->renewal = answer.ticket;
    tg__door_own(hub->options.door, answer.ticket, peer->owner);
    return TG_OK;
}

/* Whatever is wrong with it: statistics are no reason to end a session. */
static void take_report(tg__hub *hub, tg__peer *peer, const uint8_t *message, size_t size,
                        tg__moment now)
{
    hub->counts.reports[tg__client_reports_take(hub->reports, hub->options.metrics,
                                                &peer->report_pace, message, size, now.mono_ns)]++;
}

static tg_err dispatch(tg__hub *hub, tg__peer *peer, const uint8_t *message, size_t size,
                       tg__moment now, tg__fault *fault)
{
    uint8_t kind = 0;
    TG_TRY(tg__message_kind(message, size, &kind));
    switch (kind) {
    case TG__KIND_SUBSCRIBE:
    case TG__KIND_UNSUBSCRIBE:
    case TG__KIND_RESYNC:
        return take_request(hub, peer, message, size, now, fault);
    case TG__KIND_FIND:
        return take_find(hub, peer, message, size, fault);
    case TG__KIND_ECHO:
        return take_echo(hub, peer, message, size, now, fault);
    case TG__KIND_TOKEN:
        return take_token(hub, peer, message, size, now, fault);
    case TG__KIND_REPORT:
        take_report(hub, peer, message, size, now);
        return TG_OK;
    default:
        break;
    }
    TG_ENSURE(kind < 0x80, TG_ERR_MANDATORY_UNKNOWN);
    hub->counts.unknown_messages++;
    return TG_OK;
}

tg_err tg__hub_receive(tg__hub *hub, tg__peer *peer, const uint8_t *message, size_t size,
                       tg__moment now, tg__cause *cause)
{
    if (peer->close_code != 0) {
        return TG_OK; /* it is on its way out: what it still says has no effect */
    }
    tg__fault fault = {0, TG__NO_ROW};
    const tg_err err = dispatch(hub, peer, message, size, now, &fault);
    if (err == TG_OK) {
        return TG_OK;
    }
    if (err == TG_ERR_FULL) {
        return tg__cause_set(cause, err, "its answers are not read: the control queue is full");
    }
    if (err == TG_ERR_NO_MEMORY) {
        tg__hub_close_peer(hub, peer, TG__CLOSE_TRY_AGAIN_LATER, 1000);
        return tg__cause_set(cause, err, "%s", tg_err_text(err));
    }
    hub->counts.bad_messages++;
    tg__hub_close_peer(hub, peer, TG__CLOSE_BAD_MESSAGE, 1000);
    if (fault.row == TG__NO_ROW) {
        return tg__cause_set(cause, err, "message of kind 0x%02x and %zu bytes: %s (offset %zu)",
                             size > 0 ? message[0] : 0u, size, tg_err_text(err), fault.offset);
    }
    return tg__cause_set(cause, err,
                         "message of kind 0x%02x and %zu bytes: %s (offset %zu, item %u)",
                         message[0], size, tg_err_text(err), fault.offset, (unsigned)fault.row);
}
