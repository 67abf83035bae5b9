#include "start_channel.h"

#include <stdlib.h>
#include <string.h>

void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void start_image(tg_image *image, uint32_t slot, unsigned level, bool limits,
                        uint32_t resolution_ns)
{
    static const int64_t values[] = {0, 184275, INT64_MAX - 2, INT64_MIN + 2};
    static const uint64_t seqs[] = {0, 1000, UINT64_MAX - 2, UINT32_MAX};
    static const uint32_t present[] = {0, TG_FIELD_ALL_BITS, 0xff, 0x1ff0f};
    image->epoch = limits ? UINT32_MAX - 1u : 7u;
    image->seq = seqs[level];
    image->present = present[slot % 4u];
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if ((image->present & TG_FIELD_BIT(field)) == 0) {
            continue;
        }
        image->value[field] = values[level] + slot % 3u - 1;
        if (field == TG_FIELD_TS_EXCHANGE) {
            image->value[field] -= image->value[field] % (int64_t)resolution_ns;
        }
    }
}

void start_channel_init(start_channel *start, uint8_t choice)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 8, 11, 16, 24, 40, 63, 64, 65, 129, 260};
    const uint32_t count = counts[choice % 16u];
    const bool limits = choice >= 128;
    const uint32_t resolution_ns = choice / 64u % 2u == 0 ? 1000u : 1u;
    memset(start, 0, sizeof *start);
    tg__channel *const channel = &start->channel;
    tg__channel_init(channel, start->ids, start->images, START_SET_MAX, resolution_ns);
    for (uint32_t slot = 0; slot < count; slot++) {
        start->ids[slot] = (tg_instrument_id)(slot * 5u + 1u);
        start_image(&start->images[slot], slot, choice / 16u % 4u, limits, resolution_ns);
    }
    channel->count = count;
    channel->set_digest = tg__set_digest(start->ids, count);
    channel->boundary = limits ? UINT64_MAX - 5u : 100u;
    channel->ts_gateway_ns = limits ? INT64_MAX - INT64_MAX % (int64_t)resolution_ns : 0;
}
