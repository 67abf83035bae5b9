/* --diagnose: from a name to a connection, by the terminal itself, so that each step has a time and
 * a reason of its own. Nothing is sent to the gateway. */
#ifndef TG_TERMINAL_ROUTE_WALK_H
#define TG_TERMINAL_ROUTE_WALK_H

#include <stdbool.h>

#include "diagnosis.h"
#include "endpoint.h"

/*
 * Fills in DNS, proxy and TCP. proxy: http://[user:password@]host:port, or NULL. False: one of them
 * failed. Thread: any. Blocks: on resolver and network, for a connection and for an answer 5 s
 * each.
 */
bool route_walk(const endpoint *to, const char *proxy, diagnosis *found);

#endif
