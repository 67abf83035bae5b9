/* Counters of the gateway's Prometheus page. */
#ifndef BENCH_GATEWAY_METRICS_PAGE_H
#define BENCH_GATEWAY_METRICS_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "why.h"

#define METRICS_PAGE_SIZE 262144u

/* GET /metrics of 127.0.0.1:port; the answer's body in page. */
bool metrics_page_get(uint16_t port, char *page, size_t size, why *reason);
/* The sum over all labels of that name. False: the page does not have it. */
bool metrics_page_sum(const char *page, const char *name, double *out);

#endif
