#include "samples.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t now_ns(void)
{
    struct timespec at;
    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    return (int64_t)at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

void samples_add(samples *into, double value)
{
    if (into->count < samples_max) {
        into->value[into->count++] = value;
    }
}

static int ascending(const void *a, const void *b)
{
    const double difference = *(const double *)a - *(const double *)b;
    return difference < 0 ? -1 : difference > 0 ? 1 : 0;
}

double samples_median(const samples *of)
{
    double sorted[samples_max];
    memcpy(sorted, of->value, of->count * sizeof sorted[0]);
    qsort(sorted, of->count, sizeof sorted[0], ascending);
    return of->count == 0 ? 0 : sorted[of->count / 2];
}
