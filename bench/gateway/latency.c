#include "latency.h"

#include <stdio.h>
#include <stdlib.h>

#define NS_PER_MS 1e6

tg_histogram *latency_open(void)
{
    tg_histogram *histogram = NULL;
    if (tg_histogram_open(NULL, &histogram) != TG_OK) {
        (void)fputs("latency: no memory\n", stderr);
        exit(1);
    }
    return histogram;
}

void latency_summarise(const tg_histogram *of, latency_summary *out)
{
    tg_histogram_summary counts;
    tg_histogram_summary_get(of, &counts);
    out->count = counts.count;
    out->negative = counts.negative;
    out->over = counts.over;
    out->p50_ms = (double)tg_histogram_percentile(of, 50) / NS_PER_MS;
    out->p99_ms = (double)tg_histogram_percentile(of, 99) / NS_PER_MS;
    out->p999_ms = (double)tg_histogram_percentile(of, 99.9) / NS_PER_MS;
    out->max_ms = (double)counts.max / NS_PER_MS;
}
