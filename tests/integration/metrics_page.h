/* What a gateway with --metrics-listen 127.0.0.1:0 answers to a scraper. */
#ifndef METRICS_PAGE_H
#define METRICS_PAGE_H

#include "gateway_process.h"

#define METRICS_PAGE_SIZE 65536

typedef struct metrics_page {
    char text[METRICS_PAGE_SIZE];
} metrics_page;

/* Fails the test if it is not answered. */
void metrics_page_read(metrics_page *page, const gateway_process *gateway);

/* Of a sample without its prefix, as "connections" or "stage_seconds_count{stage=\"encode\"}";
 * fails the test if there is none. */
double metrics_page_value(const metrics_page *page, const char *sample);

/* Of all samples of that name, whatever their labels; fails the test if there is none. */
double metrics_page_sum(const metrics_page *page, const char *name);

#endif
