#include "state_digest.h"

#include <tickglass/internal/crc32c.h>

static uint8_t *put(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
    return at + size;
}

static uint32_t digest_image(uint32_t crc, tg_instrument_id id, const tg_image *image)
{
    uint8_t bytes[2 + 4 + 8 + 4 + 8 * TG_FIELD_COUNT];
    uint8_t *at = put(bytes, id, 2);
    at = put(at, image->epoch, 4);
    at = put(at, image->seq, 8);
    at = put(at, image->present, 4);
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if ((image->present & TG_FIELD_BIT(field)) != 0) {
            at = put(at, (uint64_t)image->value[field], 8);
        }
    }
    return tg__crc32c(crc, bytes, (size_t)(at - bytes));
}

uint32_t tg__state_digest(const tg__channel *channel, const tg__update *updates, uint32_t count)
{
    uint32_t crc = 0;
    uint32_t next = 0;
    for (uint32_t slot = 0; slot < channel->count; slot++) {
        const tg_image *image = &channel->images[slot];
        if (next < count && updates[next].slot == slot) {
            image = &updates[next].image;
            next++;
        }
        crc = digest_image(crc, channel->ids[slot], image);
    }
    return crc;
}
