/**
 * The instruments and venues of this gateway: ids, names, exponents. Filled before the first client
 * comes; ids are given in the order of adding and never reused within a generation.
 */
#ifndef TG_GATEWAY_DIRECTORY_H
#define TG_GATEWAY_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>
#include <tickglass/market.h>

#include <tickglass/internal/control.h>

typedef struct tg__directory {
    uint32_t generation;
    uint32_t venue_count;
    uint32_t count; /* instruments */
    uint32_t capacity;
    uint32_t bucket_count;      /* a power of two, over count */
    tg_instrument *instruments; /* by id */
    uint32_t *buckets;          /* id + 1; 0: free */
    tg_instrument_id *sorted;   /* by venue name, then symbol; bytes compared as unsigned */
    tg_venue venues[TG_VENUE_MAX];
} tg__directory;

void tg__directory_init(tg__directory *directory);
void tg__directory_deinit(tg__directory *directory);

/* The id of the venue of that name, added if it is new. TG_ERR_FULL: no id is left. */
TG_MUST_CHECK tg_err tg__directory_venue(tg__directory *directory, const char *name,
                                         tg_venue_id *id);

/*
 * Adds instrument with the next id; its own id is ignored. TG_ERR_STATE: the venue has that symbol;
 * TG_ERR_FULL: no id is left; TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__directory_add(tg__directory *directory, const tg_instrument *instrument,
                                       tg_instrument_id *id);

/* False: there is no venue of that name. */
bool tg__directory_find_venue(const tg__directory *directory, const char *name, tg_venue_id *id);
/* TG_INSTRUMENT_NONE if there is none. */
tg_instrument_id tg__directory_find(const tg__directory *directory, tg_venue_id venue,
                                    const char *symbol);
tg_instrument_id tg__directory_find_name(const tg__directory *directory, const char *venue,
                                         const char *symbol);

/* Orders the instruments for tg__directory_page(); call it once after the last addition. */
TG_MUST_CHECK tg_err tg__directory_seal(tg__directory *directory);

/* The ids that match, at most capacity, in order, after the cursor; *more: others follow. */
uint32_t tg__directory_page(const tg__directory *directory, const tg__find *find,
                            tg_instrument_id *ids, uint32_t capacity, bool *more);

#endif
