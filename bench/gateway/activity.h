/*
 * How busy each instrument is, so that watchlists are drawn as traders make them: mostly of what
 * moves. One client follows everything for two seconds and counts the ticks of each.
 */
#ifndef BENCH_GATEWAY_ACTIVITY_H
#define BENCH_GATEWAY_ACTIVITY_H

#include "names.h"

/* Sets the weights of names: 1 and the ticks that were counted. */
bool activity_weigh(names *of, const gateway_address *gateway, why *reason);

#endif
