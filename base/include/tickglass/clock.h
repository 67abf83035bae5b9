/**
 * A clock as a value, so that tests inject their own.
 *
 * Durations and deadlines use mono_ns only. utc_ns stamps what is compared with other machines.
 */
#ifndef TICKGLASS_CLOCK_H
#define TICKGLASS_CLOCK_H

#include <stdint.h>

#include <tickglass/api.h>

TG_BEGIN_DECLS

typedef struct tg_clock {
    /** Nanoseconds of a clock that never steps; its zero means nothing. */
    int64_t (*mono_ns)(void *ctx);
    /** Nanoseconds since 1970-01-01T00:00:00Z; may step. */
    int64_t (*utc_ns)(void *ctx);
    void *ctx;
    /**
     * Nanoseconds of a clock that runs as mono_ns does, and goes on while the machine sleeps: the
     * growth of their difference is the time that was slept. NULL: none, and a sleep is seen as a
     * step of utc_ns.
     */
    int64_t (*boottime_ns)(void *ctx);
} tg_clock;

/**
 * CLOCK_MONOTONIC and CLOCK_REALTIME of the system, and CLOCK_BOOTTIME where there is one.
 * Thread: any.  Blocks: no.  Owner of the result: the caller (plain value).  Since: 0.1
 */
TG_API tg_clock tg_clock_system(void);

static inline int64_t tg_clock_mono_ns(const tg_clock *clock)
{
    return clock->mono_ns(clock->ctx);
}

static inline int64_t tg_clock_utc_ns(const tg_clock *clock)
{
    return clock->utc_ns(clock->ctx);
}

TG_END_DECLS

#endif
