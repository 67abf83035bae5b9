#include "entitlement.h"

#include <string.h>

#include "bits.h"

#define NS_PER_S INT64_C(1000000000)

tg__entitlement tg__entitlement_of_all(uint32_t venue_count)
{
    tg__entitlement all;
    memset(&all, 0, sizeof all);
    for (uint32_t venue = 0; venue < venue_count; venue++) {
        tg__entitlement_add(&all, (tg_venue_id)venue);
    }
    return all;
}

bool tg__entitlement_covers(const tg__entitlement *entitlement, tg_venue_id venue)
{
    return tg__bit_get(entitlement->venues, venue);
}

void tg__entitlement_add(tg__entitlement *entitlement, tg_venue_id venue)
{
    tg__bit_set(entitlement->venues, venue);
}

void tg__entitlement_intersect(tg__entitlement *entitlement, const uint8_t *venues)
{
    for (size_t i = 0; i < sizeof entitlement->venues; i++) {
        entitlement->venues[i] = (uint8_t)(entitlement->venues[i] & venues[i]);
    }
}

bool tg__entitlement_is_empty(const tg__entitlement *entitlement)
{
    static const uint8_t none[sizeof entitlement->venues];
    return memcmp(entitlement->venues, none, sizeof none) == 0;
}

uint32_t tg__entitlement_lifetime_s(const tg__entitlement *entitlement, int64_t utc_ns)
{
    if (entitlement->expires_s == 0) {
        return 0;
    }
    const int64_t left_s = entitlement->expires_s - utc_ns / NS_PER_S;
    return left_s < 1 ? 1 : left_s > UINT32_MAX ? UINT32_MAX : (uint32_t)left_s;
}
