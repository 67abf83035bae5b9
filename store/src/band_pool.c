#include "band_pool.h"

bool tg__bands_equal(const tg_tick_band *a, const tg_tick_band *b, uint8_t count)
{
    for (uint8_t i = 0; i < count; i++) {
        if (a[i].from_price != b[i].from_price || a[i].tick_size != b[i].tick_size) {
            return false;
        }
    }
    return true;
}

static void fill(tg__band_table *table, const tg_tick_band *band, uint8_t count)
{
    for (uint8_t i = 0; i < count; i++) {
        table->band[i] = band[i];
    }
    table->count = count;
    table->references = 1;
}

uint16_t tg__bands_take(tg__band_pool *pool, const tg_tick_band *band, uint8_t count)
{
    uint16_t vacant = 0;
    for (uint16_t index = 1; index <= pool->used; index++) {
        tg__band_table *table = &pool->table[index];
        if (table->references == 0) {
            vacant = index;
        } else if (table->count == count && tg__bands_equal(table->band, band, count)) {
            table->references++;
            return index;
        }
    }
    if (vacant == 0 && pool->used < pool->capacity) {
        vacant = ++pool->used;
    }
    if (vacant != 0) {
        fill(&pool->table[vacant], band, count);
    }
    return vacant;
}

void tg__bands_release(tg__band_pool *pool, uint16_t index)
{
    if (index != 0) {
        pool->table[index].references--;
    }
}
