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

/* A place for what does not fit a head; 0: none is free. */
static uint16_t take_tail(tg__entry_pool *pool, const char *text)
{
    uint16_t index = pool->tail_free;
    if (index != 0) {
        pool->tail_free = pool->tail[index].next;
    } else if (pool->tails_used < pool->tail_capacity) {
        index = ++pool->tails_used;
    } else {
        return 0;
    }
    memset(pool->tail[index].text, 0, TG__SYMBOL_TAIL);
    memcpy(pool->tail[index].text, text, strlen(text));
    return index;
}

static void release_tail(tg__entry_pool *pool, uint16_t index)
{
    if (index != 0) {
        pool->tail[index].next = pool->tail_free;
        pool->tail_free = index;
    }
}

static void release_shares(tg__entry_pool *pool, const tg__entry *entry)
{
    tg__bands_release(&pool->bands, entry->bands);
    tg__name_release(&pool->currencies, entry->currency);
    release_tail(pool, entry->tail);
}

/* False: there is no place for its bands. */
static bool put_bands(tg__entry_pool *pool, tg__entry *to, const tg_instrument *instrument)
{
    const tg_tick_band *band = instrument->band;
    if (instrument->band_count == 1 && band->from_price == INT64_MIN) {
        to->tick_size = band->tick_size;
    }
    if (instrument->band_count == 0 || to->tick_size != 0) {
        return true;
    }
    to->bands = tg__bands_take(&pool->bands, band, instrument->band_count);
    return to->bands != 0;
}

static bool put_currency(tg__entry_pool *pool, tg__entry *to, const tg_instrument *instrument)
{
    to->currency = tg__name_take(&pool->currencies, instrument->currency);
    return to->currency != 0 || instrument->currency[0] == '\0';
}

static bool put_symbol(tg__entry_pool *pool, tg__entry *to, const tg_instrument *instrument)
{
    const size_t length = strlen(instrument->symbol);
    if (length < TG__SYMBOL_HEAD) {
        memcpy(to->head, instrument->symbol, length);
        return true;
    }
    memcpy(to->head, instrument->symbol, TG__SYMBOL_HEAD);
    to->tail = take_tail(pool, instrument->symbol + TG__SYMBOL_HEAD);
    return to->tail != 0;
}

/* An unused place, which stays one until take_place(); 0: none is free. */
static uint32_t find_place(const tg__entry_pool *pool)
{
    if (pool->free != 0) {
        return pool->free;
    }
    return pool->used < pool->capacity ? pool->used + 1 : 0;
}

static void take_place(tg__entry_pool *pool, uint32_t index)
{
    if (index == pool->free) {
        pool->free = pool->entry[index].epoch;
    } else {
        pool->used = index;
    }
}

uint32_t tg__entry_take(tg__entry_pool *pool, const tg_instrument *instrument)
{
    const uint32_t index = find_place(pool);
    if (index == 0) {
        return 0;
    }
    tg__entry entry = {
        .multiplier = instrument->multiplier.mantissa,
        .multiplier_exponent = instrument->multiplier.exponent,
        .epoch = instrument->epoch,
        .cadence_ms = instrument->cadence_ms,
        .id = instrument->id,
        .venue = instrument->venue,
        .asset_class = (uint8_t)instrument->asset_class,
        .price_format = (uint8_t)instrument->price_format,
        .price_exponent = instrument->price_exponent,
        .quantity_exponent = instrument->quantity_exponent,
        .delayed = instrument->delayed,
    };
    if (!put_bands(pool, &entry, instrument) || !put_currency(pool, &entry, instrument) ||
        !put_symbol(pool, &entry, instrument)) {
        release_shares(pool, &entry);
        return 0;
    }
    take_place(pool, index);
    pool->entry[index] = entry;
    return index;
}

void tg__entry_refer(tg__entry_pool *pool, uint32_t index)
{
    if (index != 0) {
        pool->entry[index].references++;
    }
}

void tg__entry_release(tg__entry_pool *pool, uint32_t index)
{
    tg__entry *entry = &pool->entry[index];
    if (index != 0 && --entry->references == 0) {
        release_shares(pool, entry);
        entry->epoch = pool->free;
        pool->free = index;
    }
}

static void read_bands(const tg__entry_pool *pool, const tg__entry *entry, tg_instrument *out)
{
    if (entry->tick_size != 0) {
        out->band_count = 1;
        out->band[0] = (tg_tick_band){INT64_MIN, entry->tick_size};
    } else if (entry->bands != 0) {
        const tg__band_table *table = &pool->bands.table[entry->bands];
        out->band_count = table->count;
        memcpy(out->band, table->band, table->count * sizeof table->band[0]);
    }
}

void tg__entry_read(const tg__entry_pool *pool, const tg__entry *entry, tg_instrument *out)
{
    *out = (tg_instrument){
        .id = entry->id,
        .venue = entry->venue,
        .asset_class = (tg_asset_class)entry->asset_class,
        .price_format = (tg_price_format)entry->price_format,
        .price_exponent = entry->price_exponent,
        .quantity_exponent = entry->quantity_exponent,
        .delayed = entry->delayed,
        .epoch = entry->epoch,
        .cadence_ms = entry->cadence_ms,
        .multiplier = {entry->multiplier, entry->multiplier_exponent},
    };
    read_bands(pool, entry, out);
    tg__entry_symbol(pool, entry, out->symbol);
    memcpy(out->currency, pool->currencies.name[entry->currency].text, sizeof out->currency);
}

bool tg__entry_equal(const tg__entry_pool *pool, const tg__entry *entry,
                     const tg_instrument *instrument)
{
    const tg_instrument *b = instrument;
    tg_instrument a;
    tg__entry_read(pool, entry, &a);
    return a.id == b->id && a.venue == b->venue && a.asset_class == b->asset_class &&
           a.price_format == b->price_format && a.price_exponent == b->price_exponent &&
           a.quantity_exponent == b->quantity_exponent && a.delayed == b->delayed &&
           a.epoch == b->epoch && a.cadence_ms == b->cadence_ms &&
           a.multiplier.mantissa == b->multiplier.mantissa &&
           a.multiplier.exponent == b->multiplier.exponent && a.band_count == b->band_count &&
           tg__bands_equal(a.band, b->band, a.band_count) && strcmp(a.symbol, b->symbol) == 0 &&
           strcmp(a.currency, b->currency) == 0;
}

void tg__entry_symbol(const tg__entry_pool *pool, const tg__entry *entry, char out[TG_SYMBOL_SIZE])
{
    memcpy(out, entry->head, TG__SYMBOL_HEAD);
    if (entry->tail == 0) {
        memset(out + TG__SYMBOL_HEAD, 0, TG__SYMBOL_TAIL);
    } else {
        memcpy(out + TG__SYMBOL_HEAD, pool->tail[entry->tail].text, TG__SYMBOL_TAIL);
    }
}

bool tg__entry_is_named(const tg__entry_pool *pool, const tg__entry *entry, const char *symbol)
{
    /* A head without a tail ends before its end, and then the symbol does. */
    return strncmp(entry->head, symbol, TG__SYMBOL_HEAD) == 0 &&
           (entry->tail == 0 ||
            strcmp(pool->tail[entry->tail].text, symbol + TG__SYMBOL_HEAD) == 0);
}
