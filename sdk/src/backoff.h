/* When to try again: full jitter over a window that doubles, with floors that a server may set. */
#ifndef TG_SDK_BACKOFF_H
#define TG_SDK_BACKOFF_H

#include <stdint.h>

#include "random.h"

/* A server's delay is obeyed up to here: a hostile one must not silence a client for a day. */
#define TG__BACKOFF_FLOOR_MAX_MS 600000u
/* Servers count in whole seconds: this fills them. */
#define TG__BACKOFF_SPREAD_MIN_MS 1000u

typedef struct tg__backoff {
    uint32_t first_ms;  /* window of the first retry */
    uint32_t cap_ms;    /* largest window */
    uint32_t spread_ms; /* that the gateway told; 0: none */
    uint32_t attempts;  /* retries since the last reset; saturates */
    uint32_t told;      /* of which at a time that the peer gave; saturates */
} tg__backoff;

typedef enum tg__backoff_kind {
    TG__BACKOFF_OWN,  /* 0 … window */
    TG__BACKOFF_TOLD, /* the peer gave the time: a small spread from there */
    TG__BACKOFF_SLOW  /* something has to be repaired first: the cap, and 0 … cap from there */
} tg__backoff_kind;

void tg__backoff_init(tg__backoff *backoff, uint32_t first_ms, uint32_t cap_ms);

/*
 * In that time the gateway can take back all that it serves (PROTOCOL.md M42): no window is
 * shorter, up to the cap. Whoever loses a session hardly knows whether it was his line or the
 * gateway, for everybody: without this a short outage would bring all of a fleet back within the
 * first window. 0: it is not known, and the first window is the client's own.
 */
void tg__backoff_spread(tg__backoff *backoff, uint32_t spread_ms);

/* The window of the next retry. */
uint32_t tg__backoff_window_ms(const tg__backoff *backoff);

/*
 * The delay of the next retry in nanoseconds, and count it: full jitter, uniform, from floor_ms on.
 *
 * A time that the peer gave has a quarter of it, at least a second, as spread: so a fleet that was
 * given one number does not return as one, and one that was given many keeps their order. With
 * every further time that is given in vain the spread doubles, up to the cap. PROTOCOL.md M16.
 */
int64_t tg__backoff_next_ns(tg__backoff *backoff, tg__random *random, tg__backoff_kind kind,
                            uint32_t floor_ms);

/* An attempt that came to nothing took so long: the window is at least about half of that. Or a
 * fleet whose attempts hang until one and the same deadline would come back within a window of the
 * first ones. */
void tg__backoff_spend(tg__backoff *backoff, int64_t spent_ns);

void tg__backoff_reset(tg__backoff *backoff);

#endif
