/**
 * Verdicts about tokens by their fingerprint, until a time: what was verified once is admitted
 * without a second verification, what was refused once without a first.
 *
 * Bounded: sets of 8 places, chosen by the fingerprint. A full set gives up the entry that ends
 * first. A fingerprint is a SHA-256 of what a stranger sends, so that he could fill one set on
 * purpose; what he gains is that some are verified again. Nothing allocates after opening.
 */
#ifndef TG_GATEWAY_TOKEN_CACHE_H
#define TG_GATEWAY_TOKEN_CACHE_H

#include <stdbool.h>

#include "entitlement.h"
#include "fingerprint.h"

typedef struct tg__token_entry {
    tg__fingerprint fingerprint;
    int64_t until_s; /* 0: free */
    tg__entitlement entitlement;
} tg__token_entry;

typedef struct tg__token_cache {
    uint32_t capacity;
    tg__token_entry *entries;
    uint64_t evictions; /* of entries that had not ended yet */
} tg__token_cache;

/* capacity: a power of two, at least 8. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__token_cache_init(tg__token_cache *cache, uint32_t capacity);
void tg__token_cache_deinit(tg__token_cache *cache);
/* Forgets everything. */
void tg__token_cache_clear(tg__token_cache *cache);

/* The entry, if there is one that has not ended at utc_s; else NULL. Valid until the next call. */
const tg__token_entry *tg__token_cache_find(const tg__token_cache *cache,
                                            const tg__fingerprint *fingerprint, int64_t utc_s);

/* In the place of an entry of the same fingerprint, of a free or ended one, or of the one that ends
 * first. */
void tg__token_cache_put(tg__token_cache *cache, const tg__token_entry *entry, int64_t utc_s);

#endif
