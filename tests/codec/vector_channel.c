#include "vector_channel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const field_names[TG_FIELD_COUNT] = {
    "bid_price",  "ask_price",      "bid_quantity", "ask_quantity",  "ts_exchange_ns",
    "last_price", "last_quantity",  "volume",       "open",          "high",
    "low",        "previous_close", "settlement",   "open_interest", "limit_up",
    "limit_down", "trading_status",
};

void vector_add_u64(cJSON *object, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    cJSON_AddStringToObject(object, name, text);
}

void vector_add_i64(cJSON *object, const char *name, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    cJSON_AddStringToObject(object, name, text);
}

static const char *number_text(const cJSON *object, const char *name, char *buffer, size_t size)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (cJSON_IsString(item)) {
        return item->valuestring;
    }
    if (cJSON_IsNumber(item)) {
        snprintf(buffer, size, "%.0f", item->valuedouble);
        return buffer;
    }
    return NULL;
}

bool vector_get_u64(const cJSON *object, const char *name, uint64_t *value)
{
    char buffer[40];
    char *end = NULL;
    const char *text = number_text(object, name, buffer, sizeof buffer);
    if (text == NULL || *text == '-' || *text == '\0') {
        return false;
    }
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

bool vector_get_i64(const cJSON *object, const char *name, int64_t *value)
{
    char buffer[40];
    char *end = NULL;
    const char *text = number_text(object, name, buffer, sizeof buffer);
    if (text == NULL || *text == '\0') {
        return false;
    }
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && *end == '\0';
}

size_t vector_bytes(const char *hex, uint8_t *out, size_t capacity)
{
    const size_t digits = strlen(hex);
    if (digits % 2 != 0 || digits / 2 > capacity || strspn(hex, "0123456789abcdef") != digits) {
        return SIZE_MAX;
    }
    for (size_t n = 0; n < digits / 2; n++) {
        const char pair[3] = {hex[2 * n], hex[2 * n + 1], '\0'};
        out[n] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return digits / 2;
}

static bool load_fields(tg_image *image, const cJSON *fields)
{
    for (const cJSON *item = fields->child; item != NULL; item = item->next) {
        uint32_t n = 0;
        while (n < TG_FIELD_COUNT && strcmp(field_names[n], item->string) != 0) {
            n++;
        }
        if (n == TG_FIELD_COUNT || !vector_get_i64(fields, item->string, &image->value[n])) {
            return false;
        }
        image->present |= TG_FIELD_BIT(n);
    }
    return true;
}

static bool load_image(vector_channel *to, const cJSON *from)
{
    uint64_t id = 0;
    uint64_t epoch = 0;
    const cJSON *fields = cJSON_GetObjectItemCaseSensitive(from, "fields");
    tg_image *image = &to->images[to->channel.count];
    if (to->channel.count == TG__SET_MAX || !vector_get_u64(from, "id", &id) ||
        !vector_get_u64(from, "epoch", &epoch) || !vector_get_u64(from, "seq", &image->seq) ||
        !cJSON_IsObject(fields)) {
        return false;
    }
    image->epoch = (uint32_t)epoch;
    to->ids[to->channel.count++] = (tg_instrument_id)id;
    return load_fields(image, fields);
}

static bool load_range(vector_channel *to, const cJSON *range)
{
    uint64_t first = 0;
    uint64_t count = 0;
    if (!vector_get_u64(range, "first", &first) || !vector_get_u64(range, "count", &count) ||
        count > TG__SET_MAX) {
        return false;
    }
    for (uint64_t n = 0; n < count; n++) {
        to->ids[to->channel.count++] = (tg_instrument_id)(first + n);
    }
    return true;
}

bool vector_channel_load(vector_channel *to, const cJSON *start)
{
    uint64_t resolution_ns = VECTOR_RESOLUTION_NS;
    memset(to, 0, sizeof *to);
    if (start != NULL && !vector_get_u64(start, "resolution_ns", &resolution_ns)) {
        return false;
    }
    tg__channel_init(&to->channel, to->ids, to->images, TG__SET_MAX, (uint32_t)resolution_ns);
    if (start == NULL) {
        return true;
    }
    const cJSON *range = cJSON_GetObjectItemCaseSensitive(start, "set");
    if (!vector_get_u64(start, "boundary", &to->channel.boundary) ||
        !vector_get_i64(start, "ts_gateway_ns", &to->channel.ts_gateway_ns) ||
        (range != NULL && !load_range(to, range))) {
        return false;
    }
    const cJSON *image = NULL;
    cJSON_ArrayForEach(image, cJSON_GetObjectItemCaseSensitive(start, "images"))
    {
        if (!load_image(to, image)) {
            return false;
        }
    }
    to->channel.set_digest = tg__set_digest(to->ids, to->channel.count);
    return true;
}

cJSON *vector_channel_state(const tg__channel *channel)
{
    cJSON *state = cJSON_CreateObject();
    vector_add_u64(state, "boundary", channel->boundary);
    vector_add_i64(state, "ts_gateway_ns", channel->ts_gateway_ns);
    cJSON_AddNumberToObject(state, "set_size", channel->count);
    cJSON_AddNumberToObject(state, "set_digest", channel->set_digest);
    cJSON_AddNumberToObject(state, "state_digest", tg__channel_digest(channel));
    return state;
}

cJSON *vector_row(tg_instrument_id id, const tg_image *image, const uint64_t *covered)
{
    cJSON *row = cJSON_CreateObject();
    cJSON_AddNumberToObject(row, "id", id);
    cJSON_AddNumberToObject(row, "epoch", image->epoch);
    vector_add_u64(row, "seq", image->seq);
    if (covered != NULL) {
        vector_add_u64(row, "covered", *covered);
    }
    cJSON *fields = cJSON_AddObjectToObject(row, "fields");
    for (uint32_t n = 0; n < TG_FIELD_COUNT; n++) {
        if (tg_image_has(image, (tg_field)n)) {
            vector_add_i64(fields, field_names[n], image->value[n]);
        }
    }
    return row;
}
