/* A small seeded generator, so that every jitter can be replayed. SplitMix64, after G. Steele et
 * al., "Fast splittable pseudorandom number generators". Not for secrets. */
#ifndef TG_SDK_RANDOM_H
#define TG_SDK_RANDOM_H

#include <stdint.h>

typedef struct tg__random {
    uint64_t state;
} tg__random;

static inline uint64_t tg__random_next(tg__random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in 0 … limit, both included. The bias of the modulus is below 2^-24 for the limits that
 * occur here (nanoseconds of at most some minutes). */
static inline uint64_t tg__random_upto(tg__random *random, uint64_t limit)
{
    return limit == UINT64_MAX ? tg__random_next(random) : tg__random_next(random) % (limit + 1);
}

#endif
