/**
 * When the refused may come back: each second gets as many of them as the admission rate can serve.
 * One and the same second for all of a fleet would bring it back as the burst that it was.
 */
#ifndef TG_GATEWAY_RETRY_SPREAD_H
#define TG_GATEWAY_RETRY_SPREAD_H

#include "prng.h"
#include "token_bucket.h"

#define TG__RETRY_SPREAD_MAX_S 120u

typedef struct tg__retry_spread {
    uint32_t per_second;
    uint64_t waiting; /* were refused and have not had their turn, by that rate */
    int64_t last_mono_ns;
    tg__prng prng;
} tg__retry_spread;

void tg__retry_spread_init(tg__retry_spread *retry, uint32_t per_second, uint64_t seed,
                           int64_t mono_ns);

/* One more is refused: seconds, his turn and up to 2 more, at least 1. Over TG__RETRY_SPREAD_MAX_S
 * of turns: any of these. */
uint32_t tg__retry_spread_next(tg__retry_spread *retry, int64_t mono_ns);

#endif
