/** Numbers that a test can repeat: TG_TEST_SEED=… in the environment replays a printed seed. */
#ifndef TG_TESTS_RECORDER_SEEDED_RANDOM_H
#define TG_TESTS_RECORDER_SEEDED_RANDOM_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct seeded_random {
    uint64_t state;
} seeded_random;

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t random_u64(seeded_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = random->state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

/** 0 … below - 1. */
static inline uint64_t random_below(seeded_random *random, uint64_t below)
{
    return random_u64(random) % below;
}

/** A number with a random bit length up to bits: small and large ones alike. */
static inline uint64_t random_any_size(seeded_random *random, unsigned bits)
{
    const unsigned length = (unsigned)random_below(random, bits + 1);
    return length == 0 ? 0 : random_u64(random) >> (64 - length);
}

static inline seeded_random random_start(const char *test, uint64_t seed)
{
    const char *replay = getenv("TG_TEST_SEED");
    seeded_random random = {replay != NULL ? strtoull(replay, NULL, 0) : seed};
    printf("%s: TG_TEST_SEED=%" PRIu64 "\n", test, random.state);
    return random;
}

#endif
