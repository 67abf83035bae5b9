/** Little-endian numbers in byte buffers. The caller has checked the room. */
#ifndef TICKGLASS_BYTES_H
#define TICKGLASS_BYTES_H

#include <stdint.h>
#include <string.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "rings and files are little-endian; a big-endian port has to swap here and in pack.c"
#endif

static inline void tg__put_u16(unsigned char *at, uint16_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void tg__put_u32(unsigned char *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void tg__put_u64(unsigned char *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline uint16_t tg__get_u16(const unsigned char *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint32_t tg__get_u32(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t tg__get_u64(const unsigned char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

#endif
