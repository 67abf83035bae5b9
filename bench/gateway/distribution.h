/* How long watchlists are: sizes with their share of the terminals, "10:50,40:30,120:20". */
#ifndef BENCH_GATEWAY_DISTRIBUTION_H
#define BENCH_GATEWAY_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "splitmix.h"
#include "why.h"

#define DISTRIBUTION_STEPS_MAX 32u
#define DISTRIBUTION_SIZE_MAX  4096u /* instruments of one watchlist */

typedef struct distribution {
    uint32_t size[DISTRIBUTION_STEPS_MAX];
    uint32_t percent[DISTRIBUTION_STEPS_MAX]; /* together 100 */
    size_t count;
} distribution;

/* text, or a file of that name: its lines are joined by commas, # begins a comment. */
bool distribution_parse(const char *text, distribution *out, why *reason);
uint32_t distribution_draw(const distribution *d, splitmix *random);
uint32_t distribution_largest(const distribution *d);

#endif
