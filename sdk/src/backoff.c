#include "backoff.h"

#define NS_PER_MS UINT64_C(1000000)

void tg__backoff_init(tg__backoff *backoff, uint32_t first_ms, uint32_t cap_ms)
{
    backoff->first_ms = first_ms;
    backoff->cap_ms = cap_ms > first_ms ? cap_ms : first_ms;
    backoff->spread_ms = 0;
    backoff->attempts = 0;
    backoff->told = 0;
}

void tg__backoff_spread(tg__backoff *backoff, uint32_t spread_ms)
{
    backoff->spread_ms = spread_ms;
}

static uint32_t base_ms(const tg__backoff *backoff)
{
    const uint32_t spread_ms =
        backoff->spread_ms < backoff->cap_ms ? backoff->spread_ms : backoff->cap_ms;
    return spread_ms > backoff->first_ms ? spread_ms : backoff->first_ms;
}

uint32_t tg__backoff_window_ms(const tg__backoff *backoff)
{
    /* Doubling stops at the cap instead of shifting: an exponent has nothing to overflow. */
    uint64_t window = base_ms(backoff);
    for (uint32_t i = 0; i < backoff->attempts && window < backoff->cap_ms; i++) {
        window *= 2;
        if (window == 0) {
            break;
        }
    }
    return window < backoff->cap_ms ? (uint32_t)window : backoff->cap_ms;
}

/* Of a time that the peer gave. */
static uint64_t told_spread_ms(const tg__backoff *backoff, uint32_t floor_ms)
{
    uint64_t spread =
        floor_ms / 4 > TG__BACKOFF_SPREAD_MIN_MS ? floor_ms / 4 : TG__BACKOFF_SPREAD_MIN_MS;
    for (uint32_t i = 0; i < backoff->told && spread < backoff->cap_ms; i++) {
        spread *= 2;
    }
    return spread;
}

int64_t tg__backoff_next_ns(tg__backoff *backoff, tg__random *random, tg__backoff_kind kind,
                            uint32_t floor_ms)
{
    uint64_t floor = floor_ms < TG__BACKOFF_FLOOR_MAX_MS ? floor_ms : TG__BACKOFF_FLOOR_MAX_MS;
    uint64_t window = 0;
    switch (kind) {
    case TG__BACKOFF_OWN:
        window = tg__backoff_window_ms(backoff);
        break;
    case TG__BACKOFF_TOLD:
        window = told_spread_ms(backoff, (uint32_t)floor);
        backoff->told += backoff->told < UINT32_MAX;
        break;
    case TG__BACKOFF_SLOW:
        window = backoff->cap_ms;
        floor = floor > window ? floor : window;
        break;
    }
    backoff->attempts += backoff->attempts < UINT32_MAX;
    return (int64_t)(floor * NS_PER_MS + tg__random_upto(random, window * NS_PER_MS));
}

void tg__backoff_spend(tg__backoff *backoff, int64_t spent_ns)
{
    const int64_t half_ms = spent_ns / 2 / (int64_t)NS_PER_MS;
    uint32_t window_ms = tg__backoff_window_ms(backoff);
    while (window_ms > 0 && window_ms < backoff->cap_ms && window_ms < half_ms) {
        backoff->attempts++;
        window_ms = tg__backoff_window_ms(backoff);
    }
}

void tg__backoff_reset(tg__backoff *backoff)
{
    backoff->attempts = 0;
    backoff->told = 0;
}
