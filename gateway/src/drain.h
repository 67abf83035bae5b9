/**
 * When a gateway is emptied: in steps of a share of the connections that it had at the beginning,
 * so that those that take them over are not flooded. Without I/O.
 *
 * The longest connected go first: who has just come, perhaps from another gateway's drain, is not
 * sent on at once, and nobody is chosen by what he follows or how much he reads.
 */
#ifndef TG_GATEWAY_DRAIN_H
#define TG_GATEWAY_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#define TG__DRAIN_PERCENT     2u
#define TG__DRAIN_INTERVAL_MS 250u
#define TG__DRAIN_ANSWER_NS   INT64_C(2000000000) /* for the last ones to answer their close */

typedef struct tg__drain {
    bool started;
    uint32_t initial;    /* connections */
    uint32_t step_size;  /* connections, rounded up */
    uint32_t steps_left; /* until all of them were told */
    int64_t interval_ns;
    int64_t start_mono_ns;
    int64_t next_mono_ns;
    int64_t deadline_mono_ns;
} tg__drain;

/* percent is 1 to 100, interval_ms over 0. The first step is due at once. */
void tg__drain_start(tg__drain *drain, uint32_t connections, uint32_t percent, uint32_t interval_ms,
                     int64_t mono_ns);

/* How many connections to tell now; 0: no step is due. A late call does not add steps up. */
uint32_t tg__drain_step(tg__drain *drain, int64_t mono_ns);

/* All was told and the time to answer is over: what is left is cut. */
bool tg__drain_is_late(const tg__drain *drain, int64_t mono_ns);

#endif
