/** The system's clock with a wall clock that can be set off, as an administrator or a bad time
 * server does. The monotonic clock never steps. */
#ifndef TG_GATEWAY_STEPPED_CLOCK_H
#define TG_GATEWAY_STEPPED_CLOCK_H

#include <tickglass/clock.h>

typedef struct tg__stepped_clock {
    tg_clock base;
    int64_t offset_ns; /* of the wall clock; the owner's to change */
} tg__stepped_clock;

/* Reads base; clock outlives it. */
tg_clock tg__stepped_clock_open(tg__stepped_clock *clock, const tg_clock *base);

#endif
