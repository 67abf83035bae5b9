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
 * The delay of the next retry in nanoseconds, and count it. Uniform in 0 … window; never below
 * floor_ms plus a small spread of its own, so that a fleet that was given one number does not
 * return as one. slow: the peer or the set-up is at fault, so uniform in cap … 2 cap.
 */
int64_t tg__backoff_next_ns(tg__backoff *backoff, tg__random *random, uint32_t floor_ms, bool slow);

void tg__backoff_reset(tg__backoff *backoff);

#endif
