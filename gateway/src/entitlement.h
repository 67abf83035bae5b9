/** What a token gives its holder: venues, and until when. */
#ifndef TG_GATEWAY_ENTITLEMENT_H
#define TG_GATEWAY_ENTITLEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/market.h>

#define TG__SUBJECT_SIZE 128u

typedef struct tg__entitlement {
    uint8_t venues[(TG_VENUE_MAX + 7) / 8]; /* bit per venue id */
    int64_t expires_s;                      /* since 1970; 0: never */
    char subject[TG__SUBJECT_SIZE];         /* whose token it is; empty: not said */
} tg__entitlement;

/* Nobody's, for every one of the first venue_count venues, for ever: what the gateway's own token
 * gives. */
tg__entitlement tg__entitlement_of_all(uint32_t venue_count);

bool tg__entitlement_covers(const tg__entitlement *entitlement, tg_venue_id venue);
void tg__entitlement_add(tg__entitlement *entitlement, tg_venue_id venue);
/* What is in both. */
void tg__entitlement_intersect(tg__entitlement *entitlement, const uint8_t *venues);
bool tg__entitlement_is_empty(const tg__entitlement *entitlement);

/* Seconds from utc_ns to the end, at least 1; 0: there is none. */
uint32_t tg__entitlement_lifetime_s(const tg__entitlement *entitlement, int64_t utc_ns);

#endif
