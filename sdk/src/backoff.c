#include "backoff.h"

#define NS_PER_MS UINT64_C(1000000)

void tg__backoff_init(tg__backoff *backoff, uint32_t first_ms, uint32_t cap_ms)
{
    backoff->first_ms = first_ms;
    backoff->cap_ms = cap_ms > first_ms ? cap_ms : first_ms;
    backoff->attempts = 0;
}

uint32_t tg__backoff_window_ms(const tg__backoff *backoff)
{
    /* Doubling stops at the cap instead of shifting: an exponent has nothing to overflow. */
    uint64_t window = backoff->first_ms;
    for (uint32_t i = 0; i < backoff->attempts && window < backoff->cap_ms; i++) {
        window *= 2;
        if (window == 0) {
            break;
        }
    }
    return window < backoff->cap_ms ? (uint32_t)window : backoff->cap_ms;
}

int64_t tg__backoff_next_ns(tg__backoff *backoff, tg__random *random, uint32_t floor_ms, bool slow)
{
    const uint64_t window = (uint64_t)tg__backoff_window_ms(backoff) * NS_PER_MS;
    const uint64_t cap = (uint64_t)backoff->cap_ms * NS_PER_MS;
    uint64_t delay = tg__random_upto(random, slow ? cap : window) + (slow ? cap : 0);
    if (floor_ms > 0) {
        const uint64_t clamped =
            floor_ms < TG__BACKOFF_FLOOR_MAX_MS ? floor_ms : TG__BACKOFF_FLOOR_MAX_MS;
        const uint64_t floor =
            clamped * NS_PER_MS + tg__random_upto(random, (clamped / 8 + 100) * NS_PER_MS);
        delay = delay > floor ? delay : floor;
    }
    if (backoff->attempts < UINT32_MAX) {
        backoff->attempts++;
    }
    return (int64_t)delay;
}

void tg__backoff_reset(tg__backoff *backoff)
{
    backoff->attempts = 0;
}
