#include "directory.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define FIRST_CAPACITY 256u

void tg__directory_init(tg__directory *directory)
{
    memset(directory, 0, sizeof *directory);
}

void tg__directory_deinit(tg__directory *directory)
{
    free(directory->instruments);
    free(directory->buckets);
    free(directory->sorted);
    memset(directory, 0, sizeof *directory);
}

/* FNV-1a, 32 bits, over the venue and the symbol. */
static uint32_t hash_name(tg_venue_id venue, const char *symbol)
{
    uint32_t hash = (UINT32_C(2166136261) ^ venue) * UINT32_C(16777619);
    for (const char *at = symbol; *at != '\0'; at++) {
        hash = (hash ^ (uint8_t)*at) * UINT32_C(16777619);
    }
    return hash;
}

static void enter(tg__directory *d, uint32_t id)
{
    const tg_instrument *instrument = &d->instruments[id];
    uint32_t at = hash_name(instrument->venue, instrument->symbol) & (d->bucket_count - 1);
    while (d->buckets[at] != 0) {
        at = (at + 1) & (d->bucket_count - 1);
    }
    d->buckets[at] = id + 1;
}

static tg_err grow(tg__directory *d)
{
    const uint32_t capacity = d->capacity == 0 ? FIRST_CAPACITY : d->capacity * 2;
    tg_instrument *instruments = realloc(d->instruments, capacity * sizeof *instruments);
    TG_ENSURE(instruments != NULL, TG_ERR_NO_MEMORY);
    d->instruments = instruments;
    uint32_t *buckets = calloc((size_t)capacity * 2, sizeof *buckets);
    TG_ENSURE(buckets != NULL, TG_ERR_NO_MEMORY);
    free(d->buckets);
    d->buckets = buckets;
    d->bucket_count = capacity * 2;
    d->capacity = capacity;
    for (uint32_t id = 0; id < d->count; id++) {
        enter(d, id);
    }
    return TG_OK;
}

bool tg__directory_find_venue(const tg__directory *directory, const char *name, tg_venue_id *id)
{
    for (uint32_t i = 0; i < directory->venue_count; i++) {
        if (strcmp(directory->venues[i].name, name) == 0) {
            *id = (tg_venue_id)i;
            return true;
        }
    }
    return false;
}

tg_err tg__directory_venue(tg__directory *directory, const char *name, tg_venue_id *id)
{
    if (tg__directory_find_venue(directory, name, id)) {
        return TG_OK;
    }
    TG_ENSURE(strlen(name) < TG_VENUE_NAME_SIZE, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(directory->venue_count < TG_VENUE_MAX, TG_ERR_FULL);
    tg_venue *venue = &directory->venues[directory->venue_count];
    venue->id = (tg_venue_id)directory->venue_count;
    memcpy(venue->name, name, strlen(name) + 1);
    directory->venue_count++;
    *id = venue->id;
    return TG_OK;
}

tg_err tg__directory_add(tg__directory *directory, const tg_instrument *instrument,
                         tg_instrument_id *id)
{
    TG_ENSURE(instrument->venue < directory->venue_count, TG_ERR_INVALID_ARGUMENT);
    TG_ENSURE(tg__directory_find(directory, instrument->venue, instrument->symbol) ==
                  TG_INSTRUMENT_NONE,
              TG_ERR_STATE);
    TG_ENSURE(directory->count < TG_INSTRUMENT_MAX, TG_ERR_FULL);
    if (directory->count == directory->capacity) {
        TG_TRY(grow(directory));
    }
    *id = (tg_instrument_id)directory->count;
    directory->instruments[*id] = *instrument;
    directory->instruments[*id].id = *id;
    directory->count++;
    enter(directory, *id);
    return TG_OK;
}

tg_instrument_id tg__directory_find(const tg__directory *directory, tg_venue_id venue,
                                    const char *symbol)
{
    if (directory->bucket_count == 0) {
        return TG_INSTRUMENT_NONE;
    }
    const uint32_t mask = directory->bucket_count - 1;
    uint32_t at = hash_name(venue, symbol) & mask;
    while (directory->buckets[at] != 0) {
        const tg_instrument *found = &directory->instruments[directory->buckets[at] - 1];
        if (found->venue == venue && strcmp(found->symbol, symbol) == 0) {
            return found->id;
        }
        at = (at + 1) & mask;
    }
    return TG_INSTRUMENT_NONE;
}

tg_instrument_id tg__directory_find_name(const tg__directory *directory, const char *venue,
                                         const char *symbol)
{
    tg_venue_id id = 0;
    return tg__directory_find_venue(directory, venue, &id)
               ? tg__directory_find(directory, id, symbol)
               : TG_INSTRUMENT_NONE;
}

typedef struct sort_key {
    const char *venue;
    const char *symbol;
    tg_instrument_id id;
} sort_key;

static int compare_keys(const void *left, const void *right)
{
    const sort_key *a = left;
    const sort_key *b = right;
    const int venues = strcmp(a->venue, b->venue);
    return venues != 0 ? venues : strcmp(a->symbol, b->symbol);
}

tg_err tg__directory_seal(tg__directory *directory)
{
    const size_t count = directory->count;
    sort_key *keys = calloc(count + 1, sizeof *keys);
    tg_instrument_id *sorted = calloc(count + 1, sizeof *sorted);
    if (keys == NULL || sorted == NULL) {
        free(keys);
        free(sorted);
        return TG_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const tg_instrument *instrument = &directory->instruments[i];
        keys[i].venue = directory->venues[instrument->venue].name;
        keys[i].symbol = instrument->symbol;
        keys[i].id = instrument->id;
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = keys[i].id;
    }
    free(keys);
    free(directory->sorted);
    directory->sorted = sorted;
    return TG_OK;
}

static bool after_cursor(const tg__find *find, const char *venue, const char *symbol)
{
    const int venues = strcmp(venue, find->after_venue);
    return venues > 0 || (venues == 0 && strcmp(symbol, find->after_symbol) > 0);
}

uint32_t tg__directory_page(const tg__directory *directory, const tg__find *find,
                            tg_instrument_id *ids, uint32_t capacity, bool *more)
{
    const size_t prefix_length = strlen(find->prefix);
    uint32_t found = 0;
    *more = false;
    for (uint32_t i = 0; i < directory->count; i++) {
        const tg_instrument *instrument = &directory->instruments[directory->sorted[i]];
        const char *venue = directory->venues[instrument->venue].name;
        if (!after_cursor(find, venue, instrument->symbol) ||
            (find->venue[0] != '\0' && strcmp(find->venue, venue) != 0) ||
            strncmp(find->prefix, instrument->symbol, prefix_length) != 0) {
            continue;
        }
        if (found == capacity) {
            *more = true;
            return found;
        }
        ids[found++] = instrument->id;
    }
    return found;
}
