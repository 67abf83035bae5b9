#include "tile_cache.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define CAPACITY_MAX 65536
#define NONE         UINT32_MAX

_Static_assert(sizeof(tg_cell) == TG_CELL_TEXT_SIZE + 3 * sizeof(uint32_t),
               "cells are compared and hashed as bytes: they must have no padding");

typedef struct slot {
    tg_cell cell;
    uint32_t next; /* in the bucket's chain */
    bool used;
    bool touched; /* since the hand last passed */
} slot;

struct tg__tile_cache {
    size_t capacity;
    size_t tile_pixels;
    size_t bucket_mask;
    size_t hand;
    uint32_t *buckets; /* the first slot of each chain, or NONE */
    slot *slots;
    uint32_t *pixels;
};

tg_err tg__tile_cache_open(size_t capacity, size_t tile_pixels, tg__tile_cache **out)
{
    TG_ENSURE(out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    TG_ENSURE(capacity > 0 && capacity <= CAPACITY_MAX && tile_pixels > 0 &&
                  tile_pixels <= SIZE_MAX / sizeof(uint32_t) / capacity,
              TG_ERR_INVALID_ARGUMENT);
    tg__tile_cache *cache = calloc(1, sizeof *cache);
    TG_ENSURE(cache != NULL, TG_ERR_NO_MEMORY);
    size_t bucket_count = 1;
    while (bucket_count < 2 * capacity) {
        bucket_count *= 2;
    }
    cache->capacity = capacity;
    cache->tile_pixels = tile_pixels;
    cache->bucket_mask = bucket_count - 1;
    cache->buckets = malloc(bucket_count * sizeof *cache->buckets);
    cache->slots = calloc(capacity, sizeof *cache->slots);
    cache->pixels = malloc(capacity * tile_pixels * sizeof *cache->pixels);
    if (cache->buckets == NULL || cache->slots == NULL || cache->pixels == NULL) {
        tg__tile_cache_close(cache);
        return TG_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < bucket_count; i++) {
        cache->buckets[i] = NONE;
    }
    *out = cache;
    return TG_OK;
}

void tg__tile_cache_close(tg__tile_cache *cache)
{
    if (cache == NULL) {
        return;
    }
    free(cache->buckets);
    free(cache->slots);
    free(cache->pixels);
    free(cache);
}

/* Four products that do not wait for each other; odd constants spread small differences upwards,
 * and the last step brings them down again. */
static size_t hash_cell(const tg_cell *cell)
{
    uint64_t text[2];
    _Static_assert(sizeof text == sizeof cell->text, "two words");
    memcpy(text, cell->text, sizeof text);
    const uint64_t colours = (uint64_t)cell->foreground << 32 | cell->background;
    const uint64_t hash =
        text[0] * UINT64_C(0x9e3779b97f4a7c15) + text[1] * UINT64_C(0xc2b2ae3d27d4eb4f) +
        colours * UINT64_C(0xd6e8feb86659fd93) + cell->marks * UINT64_C(0xff51afd7ed558ccd);
    return (size_t)((hash ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static void unlink_slot(tg__tile_cache *cache, uint32_t index)
{
    uint32_t *link = &cache->buckets[hash_cell(&cache->slots[index].cell) & cache->bucket_mask];
    while (*link != index) {
        link = &cache->slots[*link].next;
    }
    *link = cache->slots[index].next;
}

/* A free slot, or one that was not used for a whole turn of the hand. */
static uint32_t take_slot(tg__tile_cache *cache)
{
    for (;;) {
        const uint32_t index = (uint32_t)cache->hand;
        slot *at = &cache->slots[index];
        cache->hand = (cache->hand + 1) % cache->capacity;
        if (!at->used) {
            return index;
        }
        if (!at->touched) {
            unlink_slot(cache, index);
            return index;
        }
        at->touched = false;
    }
}

uint32_t *tg__tile_cache_get(tg__tile_cache *cache, const tg_cell *cell, bool *found)
{
    uint32_t *bucket = &cache->buckets[hash_cell(cell) & cache->bucket_mask];
    for (uint32_t i = *bucket; i != NONE; i = cache->slots[i].next) {
        if (memcmp(&cache->slots[i].cell, cell, sizeof *cell) == 0) {
            cache->slots[i].touched = true;
            *found = true;
            return cache->pixels + i * cache->tile_pixels;
        }
    }
    const uint32_t index = take_slot(cache);
    slot *at = &cache->slots[index];
    at->cell = *cell;
    at->used = true;
    at->touched = true;
    at->next = *bucket;
    *bucket = index;
    *found = false;
    return cache->pixels + index * cache->tile_pixels;
}

uint32_t tg__tile_cache_index(const tg__tile_cache *cache, const uint32_t *tile)
{
    return (uint32_t)((size_t)(tile - cache->pixels) / cache->tile_pixels);
}
