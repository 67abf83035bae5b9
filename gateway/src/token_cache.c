#include "token_cache.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define WAYS 8u

tg_err tg__token_cache_init(tg__token_cache *cache, uint32_t capacity)
{
    memset(cache, 0, sizeof *cache);
    cache->entries = calloc(capacity, sizeof *cache->entries);
    TG_ENSURE(cache->entries != NULL, TG_ERR_NO_MEMORY);
    cache->capacity = capacity;
    return TG_OK;
}

void tg__token_cache_deinit(tg__token_cache *cache)
{
    free(cache->entries);
    memset(cache, 0, sizeof *cache);
}

void tg__token_cache_clear(tg__token_cache *cache)
{
    if (cache->entries != NULL) {
        memset(cache->entries, 0, cache->capacity * sizeof *cache->entries);
    }
}

static tg__token_entry *set_of(const tg__token_cache *cache, const tg__fingerprint *fingerprint)
{
    uint32_t number = 0;
    memcpy(&number, fingerprint->bytes, sizeof number);
    return &cache->entries[number % (cache->capacity / WAYS) * WAYS];
}

static bool is_of(const tg__token_entry *entry, const tg__fingerprint *fingerprint)
{
    return entry->until_s != 0 &&
           memcmp(&entry->fingerprint, fingerprint, sizeof *fingerprint) == 0;
}

const tg__token_entry *tg__token_cache_find(const tg__token_cache *cache,
                                            const tg__fingerprint *fingerprint, int64_t utc_s)
{
    const tg__token_entry *set = set_of(cache, fingerprint);
    for (unsigned i = 0; i < WAYS; i++) {
        if (is_of(&set[i], fingerprint)) {
            return set[i].until_s > utc_s ? &set[i] : NULL;
        }
    }
    return NULL;
}

void tg__token_cache_put(tg__token_cache *cache, const tg__token_entry *entry, int64_t utc_s)
{
    tg__token_entry *set = set_of(cache, &entry->fingerprint);
    tg__token_entry *place = &set[0];
    for (unsigned i = 0; i < WAYS; i++) {
        if (is_of(&set[i], &entry->fingerprint)) {
            place = &set[i];
            break;
        }
        if (set[i].until_s < place->until_s) {
            place = &set[i]; /* free ones are 0: before all others */
        }
    }
    cache->evictions += !is_of(place, &entry->fingerprint) && place->until_s > utc_s;
    *place = *entry;
}
