#include "retry_spread.h"

#define NS_PER_S INT64_C(1000000000)
#define SPREAD_S 3u /* also a few are not all sent to one second */

void tg__retry_spread_init(tg__retry_spread *retry, uint32_t per_second, uint64_t seed,
                           int64_t mono_ns)
{
    retry->per_second = per_second;
    retry->waiting = 0;
    retry->last_mono_ns = mono_ns;
    retry->prng.state = seed;
}

uint32_t tg__retry_spread_next(tg__retry_spread *retry, int64_t mono_ns)
{
    /* Whole seconds alone: what is left of one stays in last_mono_ns. */
    const int64_t elapsed_s = (mono_ns - retry->last_mono_ns) / NS_PER_S;
    if (elapsed_s > 0) {
        const uint64_t served = (uint64_t)elapsed_s > TG__RETRY_SPREAD_MAX_S
                                    ? retry->waiting
                                    : (uint64_t)elapsed_s * retry->per_second;
        retry->waiting -= served < retry->waiting ? served : retry->waiting;
        retry->last_mono_ns += elapsed_s * NS_PER_S;
    }
    const uint64_t turn_s = retry->waiting / retry->per_second;
    if (turn_s >= TG__RETRY_SPREAD_MAX_S) {
        return 1 + tg__prng_below(&retry->prng, TG__RETRY_SPREAD_MAX_S); /* it is full */
    }
    retry->waiting++;
    return 1 + (uint32_t)turn_s + tg__prng_below(&retry->prng, SPREAD_S);
}
