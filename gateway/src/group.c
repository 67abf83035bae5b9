#include "group.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

tg__group *tg__group_open(const tg__image_table *table, const tg_instrument_id *ids, uint32_t count,
                          int64_t ts_gateway_ns)
{
    tg__group *group = calloc(1, sizeof *group);
    tg_instrument_id *own_ids = calloc((size_t)count + 1, sizeof *own_ids);
    tg_image *images = calloc((size_t)count + 1, sizeof *images);
    if (group == NULL || own_ids == NULL || images == NULL) {
        free(group);
        free(own_ids);
        free(images);
        return NULL;
    }
    tg__channel *channel = &group->channel;
    tg__channel_init(channel, own_ids, images, count, table->time_resolution_ns);
    for (uint32_t slot = 0; slot < count; slot++) {
        own_ids[slot] = ids[slot];
        images[slot] = table->images[ids[slot]].image;
    }
    channel->count = count;
    channel->set_digest = tg__set_digest(own_ids, count);
    channel->boundary = table->boundary;
    channel->ts_gateway_ns = ts_gateway_ns;
    return group;
}

void tg__group_close(tg__group *group)
{
    if (group == NULL) {
        return;
    }
    free(group->channel.ids);
    free(group->channel.images);
    free(group);
}

bool tg__group_has_set(const tg__group *group, uint32_t digest, const tg_instrument_id *ids,
                       uint32_t count)
{
    const tg__channel *channel = &group->channel;
    return channel->set_digest == digest && channel->count == count &&
           memcmp(channel->ids, ids, count * sizeof *ids) == 0;
}

uint32_t tg__group_collect(const tg__group *group, const tg__image_table *table,
                           tg__update *updates)
{
    const tg__channel *channel = &group->channel;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < channel->count; slot++) {
        const tg_instrument_id id = channel->ids[slot];
        const tg__cut_image *cut = &table->images[id];
        if (cut->changed_boundary <= channel->boundary) {
            continue;
        }
        tg__update *update = &updates[count++];
        update->id = id;
        update->slot = (uint16_t)slot;
        update->covered = cut->image.seq - channel->images[slot].seq;
        update->image = cut->image;
    }
    return count;
}

tg_err tg__group_snapshot(const tg__group *group, tg__image_table *table,
                          tg__snapshot_reason reason, uint8_t *out, size_t capacity, size_t *size)
{
    const tg__channel *channel = &group->channel;
    const tg__frame frame = {
        .base = channel->boundary,
        .boundary = channel->boundary,
        .ts_gateway_ns = channel->ts_gateway_ns,
        .set_digest = channel->set_digest,
        .count = channel->count,
    };
    size_t at = 0;
    TG_TRY(tg__snapshot_header_encode(&frame, reason, channel->time_resolution_ns, out, capacity,
                                      &at));
    for (uint32_t slot = 0; slot < channel->count; slot++) {
        const uint8_t *row = NULL;
        size_t row_size = 0;
        TG_TRY(tg__image_table_row(table, channel->ids[slot], &channel->images[slot], &row,
                                   &row_size));
        TG_ENSURE(capacity - at >= row_size, TG_ERR_BUFFER_TOO_SMALL);
        memcpy(out + at, row, row_size);
        at += row_size;
    }
    *size = at;
    return TG_OK;
}
