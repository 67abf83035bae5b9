/*
 * Many terminals in one process.
 *
 * Each runs a network thread of the library's, as in the product. Those of them that are "stepped"
 * are driven by one loop of the swarm's, so that a test can stop reading for a while: the loop is
 * simply not run. Stepping them all would cost more than threads: tg_client_step() has no
 * descriptor to wait on, so a loop must ask every client every time (figures: README.md).
 */
#ifndef BENCH_GATEWAY_SWARM_H
#define BENCH_GATEWAY_SWARM_H

#include "distribution.h"
#include "plan.h"
#include "swarm_client.h"

typedef struct swarm_options {
    gateway_address gateway;
    const names *directory;
    const distribution *sizes;
    uint32_t clients;
    uint32_t lists;   /* different watchlists; client i has list i modulo lists. 0: one for each */
    uint32_t stepped; /* the last so many clients */
    uint32_t seconds; /* of measuring: how many samples there is room for */
    uint64_t seed;
} swarm_options;

typedef struct swarm swarm;

/* A client's rate is that of the time for which it was there. */
typedef struct swarm_frames {
    double least_per_s; /* of the client that got the fewest */
    double median_per_s;
    double all_per_s; /* of all together, over the whole time */
} swarm_frames;

bool swarm_open(const swarm_options *options, swarm **out, why *reason);
/* Everybody leaves; waits for it. NULL is allowed. */
void swarm_close(swarm *s);

uint32_t swarm_count(const swarm *s);
swarm_client *swarm_at(swarm *s, uint32_t index);

/* Carries the plan out in real time; ends with its last step, or early if *stop becomes true. */
bool swarm_run(swarm *s, const plan *p, const atomic_bool *stop, why *reason);
/* Everybody at once. */
bool swarm_connect_all(swarm *s, why *reason);
/* How many have a session with all first images. */
uint32_t swarm_live(const swarm *s);
/* False: not all were live within limit_ms. */
bool swarm_await_live(swarm *s, uint32_t limit_ms);
/* Everybody says good-bye, and is away at the end. */
void swarm_leave_all(swarm *s);
void swarm_sleep(swarm *s, uint32_t ms);

/*
 * The stepped clients do not read while paused, as terminals on a suspended machine: their
 * monotonic clock stands still, too. (With a clock that went on they would find at their
 * resumption that nothing came for too long, and connect anew.) Returns once that is so.
 */
void swarm_pause(swarm *s, bool paused);

/* Samples and frames count from begin to end. */
void swarm_measure_begin(swarm *s);
void swarm_measure_end(swarm *s);
double swarm_measured_s(const swarm *s);
/* Of clients first to before end. */
void swarm_frames_of(const swarm *s, uint32_t first, uint32_t end, swarm_frames *out);

/* Sums over clients first to before end. */
void swarm_counts_of(const swarm *s, uint32_t first, uint32_t end, swarm_counts *out);

#endif
