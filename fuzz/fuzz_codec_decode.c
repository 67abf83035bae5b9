/*
 * Data messages against a channel whose start state comes from the input.
 *
 * The first byte picks the start: size of the set and how near to the limits of 64 bits its images
 * stand. The rest is a sequence of messages, each behind a 16-bit length. What is accepted must
 * encode again to a frame that decodes to the same; what is rejected must leave the channel as it
 * was, byte by byte.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/frame.h>

#define SET_MAX       64
#define RESOLUTION_NS 1000u

static tg_instrument_id ids[SET_MAX];
static tg_image images[SET_MAX];
static tg_image images_before[SET_MAX];
static tg__update updates[SET_MAX];
static tg__update updates_again[SET_MAX];
static uint8_t again[1u << 17];

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void start(tg__channel *channel, uint8_t choice)
{
    static const int64_t values[] = {0, 184275, INT64_MAX - 2, INT64_MIN + 2};
    static const uint64_t seqs[] = {0, 1000, UINT64_MAX - 2, UINT32_MAX};
    const uint32_t count = choice % 16u * 4u;
    memset(images, 0, sizeof images);
    tg__channel_init(channel, ids, images, SET_MAX, RESOLUTION_NS);
    for (uint32_t slot = 0; slot < count; slot++) {
        ids[slot] = (tg_instrument_id)(slot * 5u + 1u);
        images[slot].epoch = choice >= 128 ? UINT32_MAX - 1u : 7u;
        images[slot].seq = seqs[choice / 16u % 4u];
        images[slot].present = slot % 3u == 0 ? 0 : TG_FIELD_ALL_BITS;
        for (unsigned field = 0; field < TG_FIELD_COUNT && images[slot].present != 0; field++) {
            images[slot].value[field] =
                field == TG_FIELD_TS_EXCHANGE ? 0 : values[choice / 16u % 4u];
        }
    }
    channel->count = count;
    channel->set_digest = tg__set_digest(ids, count);
    channel->boundary = choice >= 128 ? UINT64_MAX - 5u : 100u;
}

static bool same_update(const tg__update *a, const tg__update *b)
{
    return a->id == b->id && a->slot == b->slot && a->covered == b->covered &&
           a->image.seq == b->image.seq && a->image.epoch == b->image.epoch &&
           tg_image_values_equal(&a->image, &b->image);
}

static void check_delta(tg__channel *channel, uint8_t *message, size_t size)
{
    /* A random set digest would end every try at once: put the right one in, as an attacker could.
     */
    for (unsigned i = 0; i < 4 && size >= 10; i++) {
        message[6 + i] = (uint8_t)(channel->set_digest >> (8 * i));
    }
    const tg__channel before = *channel;
    tg__frame frame;
    tg__fault fault = {0, 0};
    memcpy(images_before, images, sizeof images);
    const tg_err err = tg__delta_decode(channel, message, size, &frame, updates, SET_MAX, &fault);
    require(memcmp(&before, channel, sizeof before) == 0);
    require(memcmp(images_before, images, sizeof images) == 0);
    if (err != TG_OK) {
        require(fault.offset <= size);
        return;
    }
    require(frame.base == channel->boundary && frame.boundary > frame.base);
    size_t encoded = 0;
    require(tg__delta_encode(channel, &frame, updates, again, sizeof again, &encoded) == TG_OK);
    tg__frame frame_again;
    require(tg__delta_decode(channel, again, encoded, &frame_again, updates_again, SET_MAX,
                             &fault) == TG_OK);
    require(frame_again.count == frame.count && frame_again.boundary == frame.boundary &&
            frame_again.ts_gateway_ns == frame.ts_gateway_ns);
    for (uint32_t i = 0; i < frame.count; i++) {
        require(same_update(&updates[i], &updates_again[i]));
        require(tg_version_compare(tg_image_version(&updates[i].image),
                                   tg_image_version(&images[updates[i].slot])) > 0);
    }
    tg__channel_apply(channel, &frame, updates);
}

static void check_snapshot(tg__channel *channel, const uint8_t *message, size_t size)
{
    tg__frame frame;
    tg__fault fault = {0, 0};
    tg__snapshot_reason reason = TG__SNAPSHOT_GAP;
    const tg_err err = tg__snapshot_decode(message, size, RESOLUTION_NS, &frame, &reason, updates,
                                           SET_MAX, &fault);
    if (err != TG_OK) {
        require(fault.offset <= size);
        return;
    }
    size_t encoded = 0;
    require(tg__snapshot_header_encode(&frame, reason, RESOLUTION_NS, again, sizeof again,
                                       &encoded) == TG_OK);
    for (uint32_t i = 0; i < frame.count; i++) {
        size_t row = 0;
        require(tg__snapshot_row_encode(&updates[i], RESOLUTION_NS, again + encoded,
                                        sizeof again - encoded, &row) == TG_OK);
        encoded += row;
    }
    tg__frame frame_again;
    require(tg__snapshot_decode(again, encoded, RESOLUTION_NS, &frame_again, &reason, updates_again,
                                SET_MAX, &fault) == TG_OK);
    for (uint32_t i = 0; i < frame.count; i++) {
        require(same_update(&updates[i], &updates_again[i]));
    }
    tg__channel_replace(channel, &frame, updates);
}

static void check_ticks(const uint8_t *message, size_t size)
{
    tg__ticks_reader reader;
    tg__fault fault = {0, 0};
    int64_t ts_gateway_ns = 0;
    if (tg__ticks_decode(message, size, RESOLUTION_NS, &ts_gateway_ns, &reader, &fault) != TG_OK) {
        require(fault.offset <= size);
        return;
    }
    const uint32_t announced = reader.left;
    uint32_t count = 0;
    tg__tick tick;
    while (tg__ticks_next(&reader, &tick)) {
        size_t encoded = 0;
        require(tg__ticks_encode(ts_gateway_ns, RESOLUTION_NS, &tick, 1, again, sizeof again,
                                 &encoded) == TG_OK);
        count++;
    }
    require(count == announced);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    tg__channel channel;
    start(&channel, data[0]);
    size_t at = 1;
    while (size - at >= 2) {
        const size_t announced = (size_t)data[at] | (size_t)data[at + 1] << 8;
        at += 2;
        const size_t length = announced < size - at ? announced : size - at;
        uint8_t *const message = malloc(length > 0 ? length : 1); /* exact, for ASan */
        require(message != NULL);
        memcpy(message, data + at, length);
        at += length;
        check_delta(&channel, message, length);
        check_snapshot(&channel, message, length);
        check_ticks(message, length);
        free(message);
    }
    return 0;
}
