#include "anchor.h"

#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static int64_t read_clock_ns(clockid_t id)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(id, &now); /* cannot fail for the ids used here */
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t read_cycles(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

uint32_t tg__clock_kind_best(void)
{
#if defined(__x86_64__)
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    /* Leaf 0x80000007, EDX bit 8: invariant time stamp counter. */
    if (__get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0) {
        return TG__CLOCK_CYCLES;
    }
#endif
    return TG__CLOCK_MONO;
}

static int64_t read_boot_ns(void)
{
#if defined(CLOCK_BOOTTIME)
    return read_clock_ns(CLOCK_BOOTTIME);
#else
    return read_clock_ns(CLOCK_MONOTONIC);
#endif
}

tg__anchor tg__anchor_take(uint32_t clock_kind, const tg_clock *given)
{
    tg__anchor best = {0, 0, 0, 0};
    if (clock_kind == TG__CLOCK_GIVEN) {
        best.mono_ns = tg_clock_mono_ns(given);
        best.stamp = (uint64_t)best.mono_ns;
        best.boot_ns = given->boottime_ns != NULL ? given->boottime_ns(given->ctx) : best.mono_ns;
        best.utc_ns = tg_clock_utc_ns(given);
        return best;
    }
    /* Of three tries the one that took least: an interrupted one would be off by its length. */
    uint64_t best_width = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        tg__anchor now;
        const uint64_t before = read_cycles();
        now.mono_ns = read_clock_ns(CLOCK_MONOTONIC);
        const uint64_t after = read_cycles();
        now.boot_ns = read_boot_ns();
        now.utc_ns = read_clock_ns(CLOCK_REALTIME);
        const int64_t mono_after = read_clock_ns(CLOCK_MONOTONIC);
        const uint64_t width = (uint64_t)(mono_after - now.mono_ns);
        /* boot and utc were read after mono: take them back to it by half of what it took. */
        now.boot_ns -= (int64_t)(width / 3);
        now.utc_ns -= (int64_t)(width * 2 / 3);
        now.stamp =
            clock_kind == TG__CLOCK_CYCLES ? before + (after - before) / 2 : (uint64_t)now.mono_ns;
        if (width < best_width) {
            best_width = width;
            best = now;
        }
    }
    return best;
}
