/* When to try again: full jitter over a window that doubles, with floors that a server may set. */
#ifndef TG_SDK_BACKOFF_H
#define TG_SDK_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "random.h"

/* A server's delay is obeyed up to here: a hostile one must not silence a client for a day. */
#define TG__BACKOFF_FLOOR_MAX_MS 600000u

typedef struct tg__backoff {
    uint32_t first_ms; /* window of the first retry */
    uint32_t cap_ms;   /* largest window */
    uint32_t attempts; /* retries since the last reset; saturates */
} tg__backoff;

void tg__backoff_init(tg__backoff *backoff, uint32_t first_ms, uint32_t cap_ms);

/* The window of the next retry. */
uint32_t tg__backoff_window_ms(const tg__backoff *backoff);

/*
 * The delay of the next retry in nanoseconds, and count it: uniform in 0 … window, from floor_ms
 * on. The floor has the whole window as spread, so that a fleet that was given one number does not
 * return as one. slow: something has to be repaired first, so the window is the cap and begins
 * there. PROTOCOL.md M16.
 */
int64_t tg__backoff_next_ns(tg__backoff *backoff, tg__random *random, uint32_t floor_ms, bool slow);

void tg__backoff_reset(tg__backoff *backoff);

#endif
