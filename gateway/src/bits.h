/** Sets of small numbers, a bit for each. */
#ifndef TG_GATEWAY_BITS_H
#define TG_GATEWAY_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool tg__bit_get(const uint8_t *bits, uint32_t at)
{
    return (bits[at / 8] & (1u << (at % 8))) != 0;
}

static inline void tg__bit_set(uint8_t *bits, uint32_t at)
{
    bits[at / 8] = (uint8_t)(bits[at / 8] | (1u << (at % 8)));
}

static inline void tg__bit_clear(uint8_t *bits, uint32_t at)
{
    bits[at / 8] = (uint8_t)(bits[at / 8] & ~(1u << (at % 8)));
}

#endif
