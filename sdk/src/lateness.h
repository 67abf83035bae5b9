/*
 * How late a message is: what lay in a kernel's buffer for seconds arrives like any other, and only
 * the gateway's time in it tells.
 *
 * Of the difference between our monotonic clock and the gateway's wall clock we know bounds. The
 * reply to an ECHO was stamped between sending and receipt, whatever lay between: that bounds it on
 * both sides, closely if the round trip was short, and with a reply that sat behind a backlog not
 * closely but still rightly. A frame cannot arrive before it was stamped: that bounds it from
 * above. What contradicts the bounds shows that the gateway's clock was set, and replaces them; one
 * that is slewed contradicts them by a little, and is followed no farther than it must be: the
 * reply may be one that sat behind a backlog. A frame is late by at least what it exceeds the upper
 * bound by.
 *
 * WELCOME is not asked: an ECHO goes out with it, and what its reply says is better.
 */
#ifndef TG_SDK_LATENESS_H
#define TG_SDK_LATENESS_H

#include <stdbool.h>
#include <stdint.h>

#define TG__DRIFT_PART   2000 /* clocks part by up to a 2000th of the time that passes */
#define TG__SET_LEAST_NS INT64_C(1000000000) /* contradicted by that much, a clock was set */

/* Zeroed: nothing is known. */
typedef struct tg__lateness {
    bool has_high;
    bool has_low;
    int64_t high_ns; /* our monotonic clock less the gateway's, at most */
    int64_t low_ns;  /* and at least */
    int64_t at_ns;   /* when they were last looked at: they part as time passes */
} tg__lateness;

/* The reply to an ECHO; times are monotonic, ts_gateway_ns is the gateway's. */
void tg__lateness_echo(tg__lateness *lateness, int64_t sent_ns, int64_t received_ns,
                       int64_t ts_gateway_ns);

/* A frame came. The result is by how much it is late, at least; never below 0. */
int64_t tg__lateness_frame(tg__lateness *lateness, int64_t received_ns, int64_t ts_gateway_ns);

/* Our monotonic clock stood still for that time. */
void tg__lateness_slept(tg__lateness *lateness, int64_t slept_ns);

#endif
