#include <tickglass/clock.h>

#include <time.h>

static int64_t read_ns(clockid_t id)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(id, &now); /* cannot fail for these ids and a valid pointer */
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t system_mono_ns(void *ctx)
{
    (void)ctx;
    return read_ns(CLOCK_MONOTONIC);
}

static int64_t system_utc_ns(void *ctx)
{
    (void)ctx;
    return read_ns(CLOCK_REALTIME);
}

#ifdef CLOCK_BOOTTIME
static int64_t system_boottime_ns(void *ctx)
{
    (void)ctx;
    return read_ns(CLOCK_BOOTTIME);
}
#else
#define system_boottime_ns NULL
#endif

tg_clock tg_clock_system(void)
{
    const tg_clock clock = {system_mono_ns, system_utc_ns, NULL, system_boottime_ns};
    return clock;
}
