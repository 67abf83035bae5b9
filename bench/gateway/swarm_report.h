/* What a run of the swarm has shown, as text for people or as one line of JSON. */
#ifndef BENCH_GATEWAY_SWARM_REPORT_H
#define BENCH_GATEWAY_SWARM_REPORT_H

#include <stdio.h>

#include "latency.h"
#include "swarm.h"
#include "usage.h"

typedef struct swarm_report {
    uint32_t clients;
    uint32_t live; /* at the end */
    double seconds;
    swarm_frames frames;
    swarm_counts counts;
    latency_summary newest; /* tick-to-admit from the newest covered tick */
    latency_summary oldest; /* count 0: there was no tick log to join with */
    uint64_t unmatched;     /* rows of which the tick log lacks a tick */
    usage used;
} swarm_report;

void swarm_report_text(const swarm_report *r, FILE *to);
void swarm_report_json(const swarm_report *r, FILE *to);

#endif
