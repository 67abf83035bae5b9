/**
 * Division of multiples by a divisor that stays the same for many of them, without dividing: times
 * a wrapped inverse (T. Granlund, P. Montgomery, Division by Invariant Integers using
 * Multiplication, section 9). Encoding divides every exchange time by the resolution.
 */
#ifndef TG_EXACT_DIVISION_H
#define TG_EXACT_DIVISION_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tg__exact_divisor {
    uint64_t inverse; /* of the odd part, modulo 2^64 */
    uint64_t largest; /* quotient of any 64-bit multiple */
    unsigned shift;   /* of the even part */
} tg__exact_divisor;

/* divisor >= 1 */
/*@ requires divisor >= 1;
    assigns \nothing;
    ensures \result.shift < 64 && \result.largest == UINT64_MAX / divisor;
*/
static inline tg__exact_divisor tg__exact_divisor_of(uint64_t divisor)
{
    const unsigned shift = (unsigned)__builtin_ctzll(divisor);
    const uint64_t odd = divisor >> shift;
    uint64_t inverse = odd * 3u ^ 2u; /* right in the lowest 5 bits; each step doubles them */
    /*@ loop invariant bits == 5 || bits == 10 || bits == 20 || bits == 40 || bits == 80;
        loop assigns bits, inverse;
        loop variant 80 - bits;
    */
    for (unsigned bits = 5; bits < 64; bits *= 2) {
        inverse *= 2u - odd * inverse;
    }
    const tg__exact_divisor out = {inverse, UINT64_MAX / divisor, shift};
    return out;
}

/* False unless value is a multiple; then *quotient is meaningless. */
/*@ requires \valid_read(by) && by->shift < 64;
    requires \valid(quotient) && \separated(quotient, by);
    assigns *quotient;
    ensures \result != 0 ==> *quotient <= by->largest;
*/
static inline bool tg__divide_exactly(const tg__exact_divisor *by, uint64_t value,
                                      uint64_t *quotient)
{
    *quotient = (value >> by->shift) * by->inverse;
    const uint64_t rest = value & ((UINT64_C(1) << by->shift) - 1u);
    return (*quotient <= by->largest) & (rest == 0);
}

#endif
