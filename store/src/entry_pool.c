#include "entry_pool.h"

#include <string.h>

uint32_t tg__name_hash(const char *symbol)
{
    uint32_t hash = UINT32_C(2166136261); /* FNV-1a, 32 bits */
    for (const char *at = symbol; *at != '\0'; at++) {
        hash = (hash ^ (uint8_t)*at) * UINT32_C(16777619);
    }
    return hash;
}

uint32_t tg__entry_take(tg__entry_pool *pool, const tg_instrument *instrument)
{
    uint32_t index = pool->free;
    if (index != 0) {
        pool->free = pool->use[index].references;
    } else if (pool->used < pool->capacity) {
        index = ++pool->used;
    } else {
        return 0;
    }
    pool->entry[index] = *instrument;
    pool->use[index].name_hash = tg__name_hash(instrument->symbol);
    pool->use[index].references = 0;
    return index;
}

void tg__entry_refer(tg__entry_pool *pool, uint32_t index)
{
    if (index != 0) {
        pool->use[index].references++;
    }
}

void tg__entry_release(tg__entry_pool *pool, uint32_t index)
{
    if (index != 0 && --pool->use[index].references == 0) {
        pool->use[index].references = pool->free;
        pool->free = index;
    }
}

static bool bands_equal(const tg_instrument *a, const tg_instrument *b)
{
    if (a->band_count != b->band_count) {
        return false;
    }
    for (uint8_t i = 0; i < a->band_count; i++) {
        if (a->band[i].from_price != b->band[i].from_price ||
            a->band[i].tick_size != b->band[i].tick_size) {
            return false;
        }
    }
    return true;
}

bool tg__entry_equal(const tg_instrument *a, const tg_instrument *b)
{
    return a->id == b->id && a->venue == b->venue && a->asset_class == b->asset_class &&
           a->price_format == b->price_format && a->price_exponent == b->price_exponent &&
           a->quantity_exponent == b->quantity_exponent && a->delayed == b->delayed &&
           a->epoch == b->epoch && a->cadence_ms == b->cadence_ms &&
           a->multiplier.mantissa == b->multiplier.mantissa &&
           a->multiplier.exponent == b->multiplier.exponent && bands_equal(a, b) &&
           strcmp(a->symbol, b->symbol) == 0 && strcmp(a->currency, b->currency) == 0;
}
