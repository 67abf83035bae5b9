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
    const uint64_t cap = (uint64_t)backoff->cap_ms * NS_PER_MS;
    const uint64_t window = slow ? cap : (uint64_t)tg__backoff_window_ms(backoff) * NS_PER_MS;
    const uint64_t clamped =
        (uint64_t)(floor_ms < TG__BACKOFF_FLOOR_MAX_MS ? floor_ms : TG__BACKOFF_FLOOR_MAX_MS) *
        NS_PER_MS;
    const uint64_t floor = slow && clamped < cap ? cap : clamped;
    const uint64_t delay = floor + tg__random_upto(random, window);
    if (backoff->attempts < UINT32_MAX) {
        backoff->attempts++;
    }
    return (int64_t)delay;
}

void tg__backoff_reset(tg__backoff *backoff)
{
    backoff->attempts = 0;
}
