/* Seeded random images and updates shared by the codec's tests. */
#ifndef CODEC_FIXTURE_H
#define CODEC_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/frame.h>

#define FIXTURE_RESOLUTION_NS 100000u

/* xorshift64*: small, and the same everywhere. */
static inline uint64_t fixture_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static inline uint64_t fixture_below(uint64_t *state, uint64_t limit)
{
    return fixture_random(state) % limit;
}

/* Often small, sometimes any of 64 bits, sometimes a limit. */
static inline int64_t fixture_value(uint64_t *state)
{
    switch (fixture_below(state, 8)) {
    case 0:
        return (int64_t)(fixture_random(state) >> 1) - (INT64_C(1) << 62);
    case 1:
        return fixture_below(state, 2) == 0 ? INT64_MAX : INT64_MIN;
    default:
        return (int64_t)fixture_below(state, 2001) - 1000;
    }
}

static inline void fixture_image(uint64_t *state, tg_image *image)
{
    memset(image, 0, sizeof *image);
    image->epoch = (uint32_t)fixture_below(state, 3);
    image->seq = 1 + fixture_below(state, 1000);
    image->present = (uint32_t)fixture_random(state) & TG_FIELD_ALL_BITS;
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if ((image->present & TG_FIELD_BIT(field)) != 0) {
            image->value[field] =
                field == TG_FIELD_TS_EXCHANGE
                    ? (int64_t)fixture_below(state, 1u << 30) * FIXTURE_RESOLUTION_NS
                    : fixture_value(state);
        }
    }
}

/* A later image of the same instrument: some fields moved a little, some became null or appeared.
 */
static inline void fixture_step(uint64_t *state, const tg_image *from, tg__update *update)
{
    update->image = *from;
    if (fixture_below(state, 20) == 0) {
        update->image.epoch += 1 + (uint32_t)fixture_below(state, 3);
        update->image.seq = 1 + fixture_below(state, 5);
        update->covered = 1 + fixture_below(state, 5);
    } else {
        update->covered = 1 + fixture_below(state, 9);
        update->image.seq += update->covered;
        if (fixture_below(state, 10) == 0) {
            update->covered = 1 + fixture_below(state, 99);
        }
    }
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        const uint32_t bit = TG_FIELD_BIT(field);
        const uint64_t dice = fixture_below(state, 10);
        const int64_t unit = field == TG_FIELD_TS_EXCHANGE ? (int64_t)FIXTURE_RESOLUTION_NS : 1;
        if (dice == 0) {
            update->image.present &= ~bit;
            update->image.value[field] = 0;
        } else if (dice < 4) {
            const int64_t old = update->image.value[field];
            const int64_t step = ((int64_t)fixture_below(state, 2001) - 1000) * unit;
            const bool fits = step >= 0 ? old <= INT64_MAX - step : old >= INT64_MIN - step;
            update->image.present |= bit;
            update->image.value[field] = fits ? old + step : old;
        }
    }
}

/* The same bytes in a heap block of exactly that size, so that ASan sees every step over the end.
 */
static inline uint8_t *fixture_exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *const copy = malloc(size > 0 ? size : 1);
    if (copy != NULL) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

#endif
