#include <tickglass/internal/channel.h>

#include <assert.h>

#include <tickglass/internal/crc32c.h>

#include "state_digest.h"

void tg__channel_init(tg__channel *channel, tg_instrument_id *ids, tg_image *images,
                      uint32_t capacity, uint32_t time_resolution_ns)
{
    const tg__channel empty = {
        .set_digest = tg__set_digest(ids, 0),
        .time_resolution_ns = time_resolution_ns,
        .capacity = capacity,
        .ids = ids,
        .images = images,
    };
    *channel = empty;
}

uint32_t tg__set_digest(const tg_instrument_id *ids, size_t count)
{
    uint32_t crc = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t bytes[2] = {(uint8_t)ids[i], (uint8_t)(ids[i] >> 8)};
        crc = tg__crc32c(crc, bytes, sizeof bytes);
    }
    return crc;
}

uint32_t tg__channel_digest(const tg__channel *channel)
{
    return tg__state_digest(channel, NULL, 0);
}

int32_t tg__channel_slot(const tg__channel *channel, tg_instrument_id id)
{
    uint32_t low = 0;
    uint32_t high = channel->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (channel->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < channel->count && channel->ids[low] == id ? (int32_t)low : -1;
}

void tg__channel_apply(tg__channel *channel, const tg__frame *frame, const tg__update *updates)
{
    assert(frame->base == channel->boundary && frame->set_digest == channel->set_digest);
    for (uint32_t i = 0; i < frame->count; i++) {
        assert(updates[i].slot < channel->count);
        channel->images[updates[i].slot] = updates[i].image;
    }
    channel->boundary = frame->boundary;
    channel->ts_gateway_ns = frame->ts_gateway_ns;
}

void tg__channel_replace(tg__channel *channel, const tg__frame *frame, const tg__update *rows)
{
    assert(frame->count <= channel->capacity);
    for (uint32_t i = 0; i < frame->count; i++) {
        channel->ids[i] = rows[i].id;
        channel->images[i] = rows[i].image;
    }
    channel->count = frame->count;
    channel->set_digest = frame->set_digest;
    channel->boundary = frame->boundary;
    channel->ts_gateway_ns = frame->ts_gateway_ns;
}
