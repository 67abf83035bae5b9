/** Integer random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).
 */
#ifndef TG_GATEWAY_PRNG_H
#define TG_GATEWAY_PRNG_H

#include <stdint.h>

typedef struct tg__prng {
    uint64_t state;
} tg__prng;

/* The finaliser on its own: a hash of one number. */
static inline uint64_t tg__prng_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t tg__prng_next(tg__prng *prng)
{
    prng->state += UINT64_C(0x9e3779b97f4a7c15);
    return tg__prng_mix(prng->state);
}

/* 0 to bound - 1. The bias of the multiplication is below 2^-32 x bound. */
static inline uint32_t tg__prng_below(tg__prng *prng, uint32_t bound)
{
    return (uint32_t)(((tg__prng_next(prng) >> 32) * bound) >> 32);
}

#endif
