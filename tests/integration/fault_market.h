/*
 * A small market written for the fault tests, as a tape. Each price says which row it came from: it
 * rises with every row of its instrument, within a band that belongs to that instrument alone. So a
 * price that goes back, or one on the wrong instrument, cannot look like an ordinary move.
 *
 * ALPHA and BETA number their rows, GAMMA does not.
 */
#ifndef FAULT_MARKET_H
#define FAULT_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAULT_MARKET_VENUES      3u
#define FAULT_MARKET_SYMBOLS     6u /* on each venue; the last two tick once a second only */
#define FAULT_MARKET_INSTRUMENTS (FAULT_MARKET_VENUES * FAULT_MARKET_SYMBOLS)

extern const char *const fault_market_venues[FAULT_MARKET_VENUES];

void fault_market_symbol(size_t index, char out[8]);

/* Writes duration_ms of it. Prints what is wrong and returns false. */
bool fault_market_write(const char *path, uint64_t seed, unsigned duration_ms);

#endif
