/* Samples of one measured case, a sample per round, and their median. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

enum {
    samples_max = 128
};

typedef struct samples {
    double value[samples_max];
    size_t count;
} samples;

/* Monotonic nanoseconds. */
int64_t now_ns(void);

void samples_add(samples *into, double value);
double samples_median(const samples *of);

#endif
