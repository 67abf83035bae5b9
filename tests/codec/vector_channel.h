/* The state that a vector starts from, and what is expected afterwards, as the vector files write
 * it. */
#ifndef VECTOR_CHANNEL_H
#define VECTOR_CHANNEL_H

#include <cjson/cJSON.h>

#include <tickglass/internal/channel.h>

#define VECTOR_RESOLUTION_NS 100000u /* where a vector does not say */

typedef struct vector_channel {
    tg__channel channel;
    tg_instrument_id ids[TG__SET_MAX];
    tg_image images[TG__SET_MAX];
} vector_channel;

/* start may be NULL: the empty set at boundary 0. False if it is not what a vector file may say. */
bool vector_channel_load(vector_channel *to, const cJSON *start);

/* {boundary, ts_gateway_ns, set_size, set_digest, state_digest}; the caller deletes it. */
cJSON *vector_channel_state(const tg__channel *channel);

/* {id, epoch, seq, [covered,] fields}, with fields that are null left out. */
cJSON *vector_row(tg_instrument_id id, const tg_image *image, const uint64_t *covered);

/* 64-bit numbers are decimal text in vector files: JSON readers round them otherwise. */
void vector_add_u64(cJSON *object, const char *name, uint64_t value);
void vector_add_i64(cJSON *object, const char *name, int64_t value);

/* True if object's item `name` is such a text, or a number, and fits. */
bool vector_get_u64(const cJSON *object, const char *name, uint64_t *value);
bool vector_get_i64(const cJSON *object, const char *name, int64_t *value);

/* Reads hexadecimal text; SIZE_MAX if it is none or longer than capacity. */
size_t vector_bytes(const char *hex, uint8_t *out, size_t capacity);

#endif
