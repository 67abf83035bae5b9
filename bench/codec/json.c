#include "layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tickglass/internal/control_flow.h>

#define EXACT_MAX                                                                                  \
    (INT64_C(1) << 53) /* beyond it a JSON number, which is a double, is not exact                 \
                        */

static const char *const names[TG_FIELD_COUNT] = {
    "bid",  "ask", "bidSize", "askSize",    "time",     "last",    "lastSize",  "volume", "open",
    "high", "low", "close",   "settlement", "interest", "limitUp", "limitDown", "status",
};

static void put(cJSON *object, const char *name, int64_t value)
{
    if (value >= -EXACT_MAX && value <= EXACT_MAX) {
        (void)cJSON_AddNumberToObject(object, name, (double)value);
    } else {
        char text[24];
        (void)snprintf(text, sizeof text, "%" PRId64, value);
        (void)cJSON_AddStringToObject(object, name, text);
    }
}

static bool get(const cJSON *item, int64_t *value)
{
    if (cJSON_IsNumber(item)) {
        *value = (int64_t)item->valuedouble;
        return true;
    }
    if (cJSON_IsString(item)) {
        *value = strtoll(item->valuestring, NULL, 10);
        return true;
    }
    return false;
}

static cJSON *row_of(const tg__channel *channel, const tg__update *update)
{
    const tg_image *const base = &channel->images[update->slot];
    const tg_image *const image = &update->image;
    cJSON *const row = cJSON_CreateObject();
    put(row, "slot", update->slot);
    put(row, "step", (int64_t)(image->seq - base->seq));
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if (field == TG_FIELD_TS_EXCHANGE) {
            put(row, names[field], image->value[field] / (int64_t)channel->time_resolution_ns);
        } else if (image->value[field] != base->value[field] ||
                   ((image->present ^ base->present) & TG_FIELD_BIT(field)) != 0) {
            put(row, names[field], image->value[field]);
        }
    }
    return row;
}

size_t cjson_encode(const tg__channel *channel, const tg__frame *frame, const tg__update *updates,
                    uint8_t *out)
{
    cJSON *const message = cJSON_CreateObject();
    put(message, "boundary", (int64_t)frame->boundary);
    put(message, "base", (int64_t)frame->base);
    put(message, "set", frame->set_digest);
    put(message, "time", frame->ts_gateway_ns / (int64_t)channel->time_resolution_ns);
    cJSON *const rows = cJSON_AddArrayToObject(message, "rows");
    for (uint32_t i = 0; i < frame->count; i++) {
        (void)cJSON_AddItemToArray(rows, row_of(channel, &updates[i]));
    }
    const bool printed = cJSON_PrintPreallocated(message, (char *)out, LAYOUT_SIZE_MAX, false) != 0;
    cJSON_Delete(message);
    return printed ? strlen((const char *)out) : 0;
}

static tg_err take_member(const cJSON *item, const tg__channel *channel, tg_image *image)
{
    int64_t value = 0;
    TG_ENSURE(get(item, &value), TG_ERR_VALUE_RANGE);
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if (strcmp(item->string, names[field]) == 0) {
            const bool is_time = field == TG_FIELD_TS_EXCHANGE;
            image->value[field] = is_time ? value * (int64_t)channel->time_resolution_ns : value;
            image->present |= TG_FIELD_BIT(field);
            return TG_OK;
        }
    }
    return TG_ERR_FIELD_MASK;
}

static tg_err take_row(const cJSON *row, const tg__channel *channel, tg__update *update)
{
    const cJSON *item = row->child;
    int64_t slot = 0;
    int64_t step = 0;
    TG_ENSURE(item != NULL && strcmp(item->string, "slot") == 0 && get(item, &slot) && slot >= 0 &&
                  slot < channel->count,
              TG_ERR_SLOT);
    item = item->next;
    TG_ENSURE(item != NULL && strcmp(item->string, "step") == 0 && get(item, &step) && step >= 1,
              TG_ERR_VERSION);
    update->slot = (uint16_t)slot;
    update->id = channel->ids[slot];
    update->image = channel->images[slot];
    update->image.seq += (uint64_t)step;
    update->covered = (uint64_t)step;
    for (item = item->next; item != NULL; item = item->next) {
        TG_TRY(take_member(item, channel, &update->image));
    }
    return TG_OK;
}

static tg_err take_frame(const cJSON *message, const tg__channel *channel, tg__frame *frame,
                         tg__update *updates)
{
    int64_t boundary = 0;
    int64_t base = 0;
    int64_t digest = 0;
    int64_t ts_units = 0;
    TG_ENSURE(get(cJSON_GetObjectItemCaseSensitive(message, "boundary"), &boundary) &&
                  get(cJSON_GetObjectItemCaseSensitive(message, "base"), &base) &&
                  get(cJSON_GetObjectItemCaseSensitive(message, "set"), &digest) &&
                  get(cJSON_GetObjectItemCaseSensitive(message, "time"), &ts_units),
              TG_ERR_VALUE_RANGE);
    TG_ENSURE((uint64_t)base == channel->boundary && boundary > base, TG_ERR_BASE_MISMATCH);
    TG_ENSURE((uint32_t)digest == channel->set_digest, TG_ERR_SET_MISMATCH);
    frame->boundary = (uint64_t)boundary;
    frame->base = (uint64_t)base;
    frame->set_digest = (uint32_t)digest;
    frame->ts_gateway_ns = ts_units * (int64_t)channel->time_resolution_ns;
    frame->count = 0;
    const cJSON *row = NULL;
    const cJSON *const rows = cJSON_GetObjectItemCaseSensitive(message, "rows");
    cJSON_ArrayForEach(row, rows)
    {
        TG_ENSURE(frame->count < channel->count, TG_ERR_COUNT_LIMIT);
        TG_TRY(take_row(row, channel, &updates[frame->count++]));
    }
    return TG_OK;
}

tg_err cjson_decode(const tg__channel *channel, const uint8_t *message, size_t size,
                    tg__frame *frame, tg__update *updates)
{
    cJSON *const parsed = cJSON_ParseWithLength((const char *)message, size);
    TG_ENSURE(parsed != NULL, TG_ERR_TRUNCATED);
    const tg_err err = take_frame(parsed, channel, frame, updates);
    cJSON_Delete(parsed);
    return err;
}
