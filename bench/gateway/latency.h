/* Latencies in nanoseconds, and what people want to know of them, in milliseconds. */
#ifndef BENCH_GATEWAY_LATENCY_H
#define BENCH_GATEWAY_LATENCY_H

#include <stdint.h>

#include <tickglass/histogram.h>

typedef struct latency_summary {
    uint64_t count;
    uint64_t negative; /* the far end's clock is ahead: counted, never clamped */
    uint64_t over;     /* over a minute */
    double p50_ms;
    double p99_ms;
    double p999_ms;
    double max_ms;
} latency_summary;

/* Ends the program if there is no memory. */
tg_histogram *latency_open(void);
void latency_summarise(const tg_histogram *of, latency_summary *out);

#endif
