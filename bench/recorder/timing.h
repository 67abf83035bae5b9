/** Clocks and order statistics of the bench. */
#ifndef TG_BENCH_RECORDER_TIMING_H
#define TG_BENCH_RECORDER_TIMING_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <tickglass/clock.h>

static inline int64_t bench_now_ns(void)
{
    const tg_clock system = tg_clock_system();
    return tg_clock_mono_ns(&system);
}

/** Of the calling thread alone, where what is measured waits for nobody. */
static inline int64_t bench_cpu_ns(void)
{
    struct timespec used = {0, 0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

static inline uint64_t bench_cycles(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return (uint64_t)bench_now_ns();
#endif
}

/** Nanoseconds of one cycle of bench_cycles(). */
static inline double bench_cycle_ns(void)
{
    const int64_t begin_ns = bench_now_ns();
    const uint64_t begin = bench_cycles();
    int64_t now_ns = begin_ns;
    while (now_ns - begin_ns < 50000000) {
        now_ns = bench_now_ns();
    }
    return (double)(now_ns - begin_ns) / (double)(bench_cycles() - begin);
}

static inline int bench_compare(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

/** Sorts values; the share is 0 to 1. */
static inline double bench_quantile(double *values, size_t count, double share)
{
    qsort(values, count, sizeof *values, bench_compare);
    const size_t at = (size_t)(share * (double)(count - 1));
    return values[at];
}

#endif
