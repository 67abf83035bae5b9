/* Seeded random numbers: SplitMix64, after Steele, Lea and Flood. */
#ifndef BENCH_GATEWAY_SPLITMIX_H
#define BENCH_GATEWAY_SPLITMIX_H

#include <stdint.h>

typedef struct splitmix {
    uint64_t state;
} splitmix;

static inline uint64_t splitmix_next(splitmix *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random->state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 to limit - 1, limit > 0; the bias of the remainder is below 2^-32 for limits of 32 bits. */
static inline uint32_t splitmix_below(splitmix *random, uint32_t limit)
{
    return (uint32_t)(splitmix_next(random) % limit);
}

/* 0 to less than 1. */
static inline double splitmix_unit(splitmix *random)
{
    return (double)(splitmix_next(random) >> 11) * 0x1.0p-53;
}

#endif
