#include "endpoints.h"

void tg__endpoints_init(tg__endpoints *endpoints, uint32_t count)
{
    *endpoints = (tg__endpoints){.count = count};
    for (uint32_t i = 0; i < count; i++) {
        endpoints->avoid_until_ns[i] = INT64_MIN;
    }
}

uint32_t tg__endpoints_choose(tg__endpoints *endpoints, int64_t now_ns)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < endpoints->count; i++) {
        if (endpoints->avoid_until_ns[i] <= now_ns) {
            best = i;
            break;
        }
        if (endpoints->avoid_until_ns[i] < endpoints->avoid_until_ns[best]) {
            best = i;
        }
    }
    endpoints->current = best;
    return best;
}

void tg__endpoints_fail(tg__endpoints *endpoints, int64_t now_ns)
{
    const uint32_t at = endpoints->current;
    int64_t avoid_ns = TG__AVOID_FIRST_NS;
    for (uint32_t i = 0; i < endpoints->failures[at] && avoid_ns < TG__AVOID_LAST_NS; i++) {
        avoid_ns *= 2;
    }
    endpoints->avoid_until_ns[at] = now_ns + avoid_ns;
    endpoints->failures[at] += endpoints->failures[at] < UINT32_MAX;
}

void tg__endpoints_succeed(tg__endpoints *endpoints)
{
    endpoints->failures[endpoints->current] = 0;
    endpoints->avoid_until_ns[endpoints->current] = INT64_MIN;
}

bool tg__endpoints_has_hope(const tg__endpoints *endpoints, int64_t now_ns)
{
    for (uint32_t i = 0; i < endpoints->count; i++) {
        if (endpoints->avoid_until_ns[i] <= now_ns) {
            return true;
        }
    }
    return false;
}
