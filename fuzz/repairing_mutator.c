#include "repairing_mutator.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define UNPOISON(bytes, size) __msan_unpoison((bytes), (size))
#endif
#endif
#ifndef UNPOISON
#define UNPOISON(bytes, size) ((void)(bytes), (void)(size))
#endif

#define INPUT_MAX (1u << 16)

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

uint8_t loose_u8(loose *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

uint64_t loose_le(loose *in, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        value |= (uint64_t)loose_u8(in) << (8 * i);
    }
    return value;
}

uint64_t loose_varint(loose *in)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < TG__VARINT_SIZE_MAX; i++) {
        const uint8_t byte = loose_u8(in);
        value |= (uint64_t)(byte & 0x7fu) << (7 * i);
        if (byte < 0x80) {
            break;
        }
    }
    return value;
}

loose loose_piece(loose *in)
{
    const uint64_t size = loose_varint(in);
    const size_t left = (size_t)(in->end - in->at);
    const loose piece = {in->at, in->at + (size < left ? size : left), in->random};
    in->at = piece.end;
    return piece;
}

bool loose_chance(loose *in, uint32_t n)
{
    in->random = in->random * UINT32_C(1664525) + UINT32_C(1013904223);
    return (in->random >> 16) % n == 0;
}

/* What a delta is cut or completed to must be taken by the channel for the next one to fit. */
static void follow(start_channel *start, const uint8_t *message, size_t size)
{
    static tg__update updates[START_SET_MAX];
    tg__frame frame;
    tg__fault fault;
    tg__snapshot_reason reason;
    if (tg__delta_decode(&start->channel, message, size, &frame, updates, START_SET_MAX, &fault) ==
        TG_OK) {
        tg__channel_apply(&start->channel, &frame, updates);
    } else if (tg__snapshot_decode(message, size, start->channel.time_resolution_ns, &frame,
                                   &reason, updates, START_SET_MAX, &fault) == TG_OK) {
        tg__channel_replace(&start->channel, &frame, updates);
    }
}

static tg_err repair_message(loose *in, const tg__channel *channel, tg__sink *out)
{
    const uint8_t kind = loose_u8(in);
    switch (kind) {
    case TG__KIND_DELTA:
        return repair_delta(in, channel, out);
    case TG__KIND_SNAPSHOT:
        return repair_snapshot(in, out);
    case TG__KIND_TICKS:
        return repair_ticks(in, out);
    default:
        return repair_control(in, kind, out);
    }
}

static tg_err repair_sequence(loose *in, start_channel *start, tg__sink *out)
{
    while (in->end - in->at >= 2) {
        const unsigned prefix = (unsigned)loose_le(in, 2);
        const size_t left = (size_t)(in->end - in->at);
        const size_t length = prefix & REPAIRED_LENGTH_BITS;
        loose message = {in->at, in->at + (length < left ? length : left), in->random};
        in->at = message.end;
        const bool keep = loose_chance(in, 8);
        uint8_t *const prefix_at = out->at;
        TG_TRY(tg__put_u16(out, 0));
        if (keep) {
            TG_TRY(tg__put_bytes(out, message.at, (size_t)(message.end - message.at)));
        } else {
            TG_TRY(repair_message(&message, &start->channel, out));
        }
        const size_t size = (size_t)(out->at - prefix_at) - 2u;
        TG_ENSURE(size <= REPAIRED_LENGTH_BITS, TG_ERR_BUFFER_TOO_SMALL);
        prefix_at[0] = (uint8_t)size;
        prefix_at[1] = (uint8_t)(size >> 8 | (prefix >> 8 & 0x80u));
        follow(start, prefix_at + 2, size);
    }
    return TG_OK;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    static uint8_t repaired[INPUT_MAX];
    static start_channel start;
    const size_t head = repairing_mutator_head_size;
    const size_t mutated = LLVMFuzzerMutate(data, size, max_size);
    UNPOISON(data, mutated);
    if (seed % 3u == 0 || mutated <= head || mutated > INPUT_MAX) {
        return mutated;
    }
    loose in = {data + head, data + mutated, (uint32_t)seed};
    tg__sink out = tg__sink_of(repaired, max_size < INPUT_MAX ? max_size : INPUT_MAX);
    start_channel_init(&start, head > 0 ? data[0] : 0);
    tg_err err = tg__put_bytes(&out, data, head);
    if (err == TG_OK) {
        err = head > 0 ? repair_sequence(&in, &start, &out)
                       : repair_message(&in, &start.channel, &out);
    }
    if (err != TG_OK) {
        return mutated; /* too long when repaired */
    }
    memcpy(data, repaired, tg__sink_size(&out));
    return tg__sink_size(&out);
}
