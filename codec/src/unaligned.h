/** Unaligned little-endian loads and stores in one step. */
#ifndef TG_UNALIGNED_H
#define TG_UNALIGNED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t tg__load_u64(const uint8_t *at)
{
    uint64_t value = 0;
    memcpy(&value, at, sizeof value);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

static inline void tg__store_u64(uint8_t *at, uint64_t value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(at, &value, sizeof value);
}

/* Eight bytes; fewer if end is nearer, as if zeros followed. */
static inline uint64_t tg__load_u64_before(const uint8_t *at, const uint8_t *end)
{
    const size_t left = (size_t)(end - at);
    if (left >= 8) {
        return tg__load_u64(at);
    }
    uint64_t value = 0;
    for (size_t i = 0; i < left; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

#endif
