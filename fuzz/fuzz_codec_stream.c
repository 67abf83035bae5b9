/*
 * A client's view of a whole session: the messages of an input, one behind the other in a stream
 * that is cut at arbitrary places, must leave the same state as the same messages taken whole.
 *
 * The first byte picks the start channel, the second seeds the cuts; then messages behind 16 bits
 * each, as in fuzz_codec_decode.c. The stream's own reassembly is here: in the SDK, WebSocket
 * messages are put together inside the library's callback.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control.h>
#include <tickglass/internal/crc32c.h>
#include <tickglass/internal/dictionary.h>

#include "repairing_mutator.h"
#include "start_channel.h"

#define HEAD_SIZE 2u

const size_t repairing_mutator_head_size = HEAD_SIZE;

/* Everything that a session's messages have told. */
typedef struct session {
    start_channel start;
    uint32_t accepted; /* messages */
    uint32_t rejected;
    uint32_t told; /* digest over errors, places and values, in order */
} session;

static tg__update updates[START_SET_MAX];

static void tell(session *s, uint64_t value)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
    s->told = tg__crc32c(s->told, bytes, sizeof bytes);
}

static bool tell_result(session *s, tg_err err, const tg__fault *fault)
{
    tell(s, (uint64_t)err);
    if (err != TG_OK) {
        tell(s, fault->offset);
        tell(s, fault->row);
        s->rejected++;
        return false;
    }
    s->accepted++;
    return true;
}

static void take_delta(session *s, const uint8_t *message, size_t size)
{
    tg__channel *const channel = &s->start.channel;
    tg__frame frame;
    tg__fault fault;
    if (tell_result(
            s, tg__delta_decode(channel, message, size, &frame, updates, START_SET_MAX, &fault),
            &fault)) {
        tg__channel_apply(channel, &frame, updates);
        tell(s, frame.unknown_fields);
        for (uint32_t i = 0; i < frame.count; i++) {
            tell(s, updates[i].covered);
        }
    }
}

static void take_snapshot(session *s, const uint8_t *message, size_t size)
{
    tg__channel *const channel = &s->start.channel;
    tg__frame frame;
    tg__fault fault;
    tg__snapshot_reason reason = TG__SNAPSHOT_GAP;
    if (tell_result(s,
                    tg__snapshot_decode(message, size, channel->time_resolution_ns, &frame, &reason,
                                        updates, START_SET_MAX, &fault),
                    &fault)) {
        tg__channel_replace(channel, &frame, updates);
        tell(s, (uint64_t)reason);
    }
}

static void take_ticks(session *s, const uint8_t *message, size_t size)
{
    tg__ticks_reader reader;
    tg__fault fault;
    tg__tick tick;
    int64_t ts_gateway_ns = 0;
    if (tell_result(s,
                    tg__ticks_decode(message, size, s->start.channel.time_resolution_ns,
                                     &ts_gateway_ns, &reader, &fault),
                    &fault)) {
        while (tg__ticks_next(&reader, &tick)) {
            tell(s, tick.update.image.seq);
            for (unsigned i = 0; tick.has_book && i < tick.book.bid_count; i++) {
                tell(s, (uint64_t)tick.book.bid[i].price);
            }
        }
    }
}

static void take_dictionary(session *s, const uint8_t *message, size_t size)
{
    tg__dictionary_reader reader;
    tg__dictionary_entry entry;
    tg__fault fault;
    uint32_t generation = 0;
    if (tell_result(s, tg__dictionary_decode(message, size, &generation, &reader, &fault),
                    &fault)) {
        while (tg__dictionary_next(&reader, &entry)) {
            tell(s, (uint64_t)entry.op);
            tell(s, entry.op == TG__DICTIONARY_VENUE ? entry.as.venue.id : entry.as.instrument.id);
        }
        tell(s, reader.unknown);
    }
}

static void take_control(session *s, const uint8_t *message, size_t size)
{
    static tg__result results[TG__ITEM_MAX];
    tg__answer answer;
    tg__welcome welcome;
    tg__limits limits;
    tg__venue_state venue;
    tg__fault fault;
    switch (message[0]) {
    case TG__KIND_ANSWER:
        (void)tell_result(
            s, tg__answer_decode(message, size, &answer, results, TG__ITEM_MAX, &fault), &fault);
        break;
    case TG__KIND_WELCOME:
        (void)tell_result(s, tg__welcome_decode(message, size, &welcome, &fault), &fault);
        break;
    case TG__KIND_LIMITS:
        (void)tell_result(s, tg__limits_decode(message, size, &limits, &fault), &fault);
        break;
    case TG__KIND_VENUE_STATE:
        (void)tell_result(s, tg__venue_state_decode(message, size, &venue, &fault), &fault);
        break;
    default:
        tell(s, message[0]); /* a kind that a client does not take */
        break;
    }
}

static void take_message(session *s, const uint8_t *message, size_t size)
{
    uint8_t kind = 0;
    if (tg__message_kind(message, size, &kind) != TG_OK) {
        tell(s, 0);
        return;
    }
    switch (kind) {
    case TG__KIND_DELTA:
        take_delta(s, message, size);
        break;
    case TG__KIND_SNAPSHOT:
        take_snapshot(s, message, size);
        break;
    case TG__KIND_TICKS:
        take_ticks(s, message, size);
        break;
    case TG__KIND_DICTIONARY:
        take_dictionary(s, message, size);
        break;
    default:
        take_control(s, message, size);
        break;
    }
}

/* ---- the stream ---- */

typedef struct reassembly {
    uint8_t *message; /* a block of exactly `wanted` bytes, once that is known */
    size_t wanted;
    size_t have;
    unsigned prefix;
    unsigned prefix_bytes;
} reassembly;

static void take_byte(reassembly *r, session *s, uint8_t byte)
{
    if (r->prefix_bytes < 2) {
        r->prefix |= (unsigned)byte << (8u * r->prefix_bytes++);
        if (r->prefix_bytes < 2) {
            return;
        }
        r->wanted = r->prefix & REPAIRED_LENGTH_BITS;
        r->message = malloc(r->wanted > 0 ? r->wanted : 1);
        require(r->message != NULL);
    } else {
        r->message[r->have++] = byte;
    }
    if (r->have == r->wanted) {
        take_message(s, r->message, r->wanted);
        free(r->message);
        memset(r, 0, sizeof *r);
    }
}

static void take_in_pieces(session *s, const uint8_t *stream, size_t size, uint32_t seed)
{
    reassembly r;
    memset(&r, 0, sizeof r);
    size_t at = 0;
    while (at < size) {
        seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
        size_t piece_size = 1u + (seed >> 16) % (seed >> 31 != 0 ? 4u : 200u);
        piece_size = piece_size < size - at ? piece_size : size - at;
        uint8_t *const piece = malloc(piece_size); /* gone before the next one comes */
        require(piece != NULL);
        memcpy(piece, stream + at, piece_size);
        for (size_t i = 0; i < piece_size; i++) {
            take_byte(&r, s, piece[i]);
        }
        free(piece);
        at += piece_size;
    }
    free(r.message);
}

static void take_whole(session *s, const uint8_t *stream, size_t size)
{
    size_t at = 0;
    while (size - at >= 2) {
        const size_t length =
            ((size_t)stream[at] | (size_t)stream[at + 1] << 8) & REPAIRED_LENGTH_BITS;
        at += 2;
        if (length > size - at) {
            return; /* the stream ends within a message: it has no effect */
        }
        take_message(s, stream + at, length);
        at += length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static session whole;
    static session pieces;
    if (size < HEAD_SIZE) {
        return 0;
    }
    memset(&whole, 0, sizeof whole);
    memset(&pieces, 0, sizeof pieces);
    start_channel_init(&whole.start, data[0]);
    start_channel_init(&pieces.start, data[0]);
    take_whole(&whole, data + HEAD_SIZE, size - HEAD_SIZE);
    take_in_pieces(&pieces, data + HEAD_SIZE, size - HEAD_SIZE, data[1]);
    require(whole.accepted == pieces.accepted && whole.rejected == pieces.rejected);
    require(whole.told == pieces.told);
    require(memcmp(whole.start.ids, pieces.start.ids, sizeof whole.start.ids) == 0);
    require(memcmp(whole.start.images, pieces.start.images, sizeof whole.start.images) == 0);
    require(whole.start.channel.boundary == pieces.start.channel.boundary);
    require(tg__channel_digest(&whole.start.channel) == tg__channel_digest(&pieces.start.channel));
    return 0;
}
