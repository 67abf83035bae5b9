/*
 * Frames that a gateway could make, from any input: what is encoded must decode to the same, in the
 * real decoders and in the oracle, from a buffer of exactly that size, and must not be much larger
 * than the plainest form of the same frame, in which every row is a general one.
 *
 * The first byte picks the start channel. The rest is a script of frames; every input is one, so
 * there is nothing for a repairing mutator to repair.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "delta_decode.h"
#include "delta_encode.h"
#include "oracle.h"
#include "start_channel.h"

#define FRAME_SIZE_MAX (1u << 17)

/*
 * What a row can be longer by as a shaped one: parts of 16 and 12 bytes where a general row tells
 * one value in 4 bytes each, 7 bytes of columns that other rows made wide, and a trade code; and
 * what a frame can be longer by: widths and lag.
 */
#define ROW_EXCESS_MAX   25u
#define FRAME_EXCESS_MAX 11u

static start_channel start;
static tg__update updates[START_SET_MAX];
static tg__update decoded[START_SET_MAX];
static uint8_t bytes[FRAME_SIZE_MAX];

typedef struct script {
    const uint8_t *at;
    const uint8_t *end;
} script;

static unsigned next_u8(script *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

/* A number of a width that the script says first: 0 to 64 bits, and often few. */
static uint64_t next_number(script *s)
{
    const unsigned choice = next_u8(s);
    const unsigned width = choice < 128 ? choice % 16u : choice % 65u;
    uint64_t value = 0;
    for (unsigned bit = 0; bit < width; bit += 8) {
        value |= (uint64_t)next_u8(s) << bit;
    }
    return width < 64 ? value & ((UINT64_C(1) << width) - 1u) : value;
}

static int64_t next_step(script *s)
{
    const uint64_t code = next_number(s);
    return (int64_t)(code >> 1 ^ (0 - (code & 1u)));
}

/* value + step where that stays in 64 bits, else value. */
static int64_t moved(int64_t value, wide step)
{
    const wide sum = value + step;
    return sum >= INT64_MIN && sum <= INT64_MAX ? (int64_t)sum : value;
}

static void next_fields(script *s, const tg__channel *channel, tg_image *image)
{
    const unsigned kinds = next_u8(s); /* quotes, trade, time, the others; nulls */
    const int64_t resolution_ns = (int64_t)channel->time_resolution_ns;
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        const unsigned group = field < 4                       ? 1
                               : field == TG_FIELD_TS_EXCHANGE ? 4
                               : field < 8                     ? 2
                                                               : 8;
        if ((kinds & group) == 0 || (group == 8 && next_u8(s) % 4u != 0)) {
            continue;
        }
        const bool becomes_null = (kinds & 16u) != 0 && next_u8(s) % 4u == 0;
        image->present &= ~TG_FIELD_BIT(field);
        if (becomes_null) {
            image->value[field] = 0;
            continue;
        }
        image->present |= TG_FIELD_BIT(field);
        if (field == TG_FIELD_TS_EXCHANGE) {
            const int64_t from = (kinds & 32u) != 0 ? channel->ts_gateway_ns : image->value[field];
            image->value[field] = moved(from, (wide)next_step(s) * resolution_ns);
        } else {
            image->value[field] = moved(image->value[field], next_step(s));
        }
    }
}

/* False if the instrument cannot have a later version. */
static bool next_update(script *s, uint32_t slot, tg__update *update)
{
    const tg_image *const base = &start.images[slot];
    const unsigned kind = next_u8(s) % 16u;
    memset(update, 0, sizeof *update);
    update->id = start.ids[slot];
    update->slot = (uint16_t)slot;
    update->image = *base;
    if (kind == 0 && base->epoch < UINT32_MAX) {
        update->image.epoch = base->epoch + 1u;
        update->image.seq = next_number(s) | 1u;
        update->covered = next_number(s) | 1u;
    } else {
        const uint64_t step = kind < 12 ? 1u + kind % 3u : next_number(s) | 1u;
        if (step > UINT64_MAX - base->seq) {
            return false;
        }
        update->image.seq = base->seq + step;
        update->covered = kind == 1 ? next_number(s) | 1u : step;
    }
    next_fields(s, &start.channel, &update->image);
    return true;
}

static size_t varint_size(wide value)
{
    size_t size = 1;
    for (; value >= 128; value /= 128) {
        size++;
    }
    return size;
}

static size_t zigzag_size(wide value)
{
    return varint_size(value >= 0 ? 2 * value : -2 * value - 1);
}

/* 8.5 */
static size_t general_size(const tg__update *update, uint32_t resolution_ns)
{
    const tg_image *const base = &start.images[update->slot];
    const tg_image *const image = &update->image;
    const bool raised = image->epoch != base->epoch;
    const bool covered = raised || update->covered != image->seq - base->seq;
    wide mask = 0;
    wide nulls = 0;
    size_t size = 0;
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        const bool was = (base->present & TG_FIELD_BIT(field)) != 0;
        const bool is = (image->present & TG_FIELD_BIT(field)) != 0;
        const wide delta = (wide)image->value[field] - base->value[field];
        if (is && (!was || delta != 0)) {
            mask += (wide)1 << field;
            size += zigzag_size(field == TG_FIELD_TS_EXCHANGE ? delta / resolution_ns : delta);
        }
        nulls += was && !is ? (wide)1 << field : 0;
    }
    size += varint_size(2 * mask) + (raised || covered || nulls != 0 ? 1u : 0u);
    size += raised ? varint_size(image->epoch - base->epoch) + varint_size((wide)image->seq)
                   : varint_size((wide)(image->seq - base->seq));
    size += covered ? varint_size((wide)update->covered) : 0;
    return size + (nulls != 0 ? varint_size(nulls) : 0);
}

/* The whole frame with general rows only. */
static size_t plain_size(const tg__frame *frame)
{
    const tg__channel *const channel = &start.channel;
    const wide ts_moved_ns = (wide)frame->ts_gateway_ns - channel->ts_gateway_ns;
    size_t size = 10 + varint_size((wide)(frame->boundary - frame->base)) +
                  zigzag_size(ts_moved_ns / channel->time_resolution_ns) +
                  varint_size(frame->count) + (frame->state_digest ? 4u : 0u);
    size_t gaps = 0;
    unsigned next = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        gaps += varint_size(updates[i].slot - next);
        next = updates[i].slot + 1u;
        size += 1 + general_size(&updates[i], channel->time_resolution_ns);
    }
    const size_t bitmap = (channel->count + 7u) / 8u;
    return size + (frame->count == 0 ? 0 : gaps < bitmap ? gaps : bitmap);
}

/* Some steps cannot be told: a difference that is not in 64 bits. */
static bool leaves_64_bits(const tg__frame *frame)
{
    const wide ts_moved_ns = (wide)frame->ts_gateway_ns - start.channel.ts_gateway_ns;
    if (ts_moved_ns < INT64_MIN || ts_moved_ns > INT64_MAX) {
        return true;
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg_image *const image = &updates[i].image;
        for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
            const wide delta =
                (wide)image->value[field] - start.images[updates[i].slot].value[field];
            if (delta < INT64_MIN || delta > INT64_MAX) {
                return true;
            }
        }
        const wide lag = (wide)frame->ts_gateway_ns - image->value[TG_FIELD_TS_EXCHANGE];
        if (lag < INT64_MIN || lag > INT64_MAX) {
            return true;
        }
    }
    return false;
}

static void require_decoded(const tg__frame *wanted, const tg__frame *frame)
{
    require(frame->base == wanted->base && frame->boundary == wanted->boundary &&
            frame->ts_gateway_ns == wanted->ts_gateway_ns && frame->count == wanted->count &&
            frame->state_digest == wanted->state_digest && frame->unknown_fields == 0);
    for (uint32_t i = 0; i < frame->count; i++) {
        const tg__update *const a = &updates[i];
        const tg__update *const b = &decoded[i];
        require(a->slot == b->slot && a->id == b->id && a->covered == b->covered &&
                memcmp(&a->image, &b->image, sizeof a->image) == 0);
    }
}

/* The planner that every processor can run gives the same error and the same bytes. */
static void check_scalar_planner(const tg__frame *frame, tg_err wanted_err, size_t wanted_size)
{
    static uint8_t scalar[FRAME_SIZE_MAX];
    tg__sink out = tg__sink_of(scalar, sizeof scalar);
    require(tg__delta_encode_with(tg__rows_plan_scalar, &start.channel, frame, updates, &out) ==
            wanted_err);
    require(wanted_err != TG_OK ||
            (tg__sink_size(&out) == wanted_size && memcmp(scalar, bytes, wanted_size) == 0));
}

static void check_frame(const tg__frame *wanted)
{
    const tg__channel *const channel = &start.channel;
    tg__frame frame;
    tg__fault fault;
    size_t size = 0;
    const tg_err err = tg__delta_encode(channel, wanted, updates, bytes, sizeof bytes, &size);
    check_scalar_planner(wanted, err, size);
    if (err == TG_ERR_OVERFLOW) {
        require(leaves_64_bits(wanted));
        return;
    }
    require(err == TG_OK);
    require(size <= plain_size(wanted) + FRAME_EXCESS_MAX + wanted->count * ROW_EXCESS_MAX);
    uint8_t *const exact = malloc(size);
    require(exact != NULL);
    size_t size_again = 0;
    require(tg__delta_encode(channel, wanted, updates, exact, size - 1, &size_again) ==
            TG_ERR_BUFFER_TOO_SMALL);
    require(tg__delta_encode(channel, wanted, updates, exact, size, &size_again) == TG_OK);
    require(size_again == size && memcmp(exact, bytes, size) == 0);
    const tg__delta_input input = {exact, size, START_SET_MAX};
    require(tg__delta_decode_with(tg__shaped_rows_decode_scalar, channel, &input, &frame, decoded,
                                  &fault) == TG_OK);
    require_decoded(wanted, &frame);
    require(tg__delta_decode(channel, exact, size, &frame, decoded, START_SET_MAX, &fault) ==
            TG_OK);
    require_decoded(wanted, &frame);
    require(oracle_delta(channel, exact, size, &frame, decoded, &fault) == TG_OK);
    require_decoded(wanted, &frame);
    free(exact);
    tg__channel_apply(&start.channel, wanted, updates);
}

static void next_frame(script *s)
{
    const tg__channel *const channel = &start.channel;
    const unsigned kind = next_u8(s);
    const unsigned sparsity = 1u + kind % 8u;
    tg__frame frame;
    memset(&frame, 0, sizeof frame);
    frame.base = channel->boundary;
    frame.boundary = channel->boundary + 1u + next_u8(s) % 3u;
    frame.set_digest = channel->set_digest;
    frame.state_digest = kind >= 224;
    frame.ts_gateway_ns =
        moved(channel->ts_gateway_ns, (wide)next_step(s) * (int64_t)channel->time_resolution_ns);
    if (frame.boundary <= frame.base) {
        s->at = s->end; /* no boundary is left */
        return;
    }
    for (uint32_t slot = 0; slot < channel->count && s->at < s->end; slot++) {
        if (sparsity == 1 || next_u8(s) % sparsity == 0) {
            frame.count += next_update(s, slot, &updates[frame.count]) ? 1u : 0u;
        }
    }
    check_frame(&frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    start_channel_init(&start, data[0]);
    script s = {data + 1, data + size};
    while (s.at < s.end) {
        next_frame(&s);
    }
    return 0;
}
