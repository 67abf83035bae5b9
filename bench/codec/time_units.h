/* Times in units of the resolution, without a division for each: as DELTA does it, so that no other
 * layout is slower only because it divides. */
#ifndef BENCH_TIME_UNITS_H
#define BENCH_TIME_UNITS_H

#include "exact_division.h"

/* ns is a multiple of the resolution. */
static inline int64_t units_of(const tg__exact_divisor *resolution, int64_t ns)
{
    uint64_t units = 0;
    (void)tg__divide_exactly(resolution, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns, &units);
    return ns < 0 ? -(int64_t)units : (int64_t)units;
}

/* False on overflow. */
static inline bool ns_of(int64_t units, int64_t resolution_ns, int64_t *ns)
{
    return !__builtin_mul_overflow(units, resolution_ns, ns);
}

#endif
