/*
 * One terminal of the swarm: a client of the SDK with a watchlist, what its store has shown, and
 * when. It may be connected and left many times; what it counted and what it was shown stays.
 *
 * Latency is taken where a trader's program would read: in on_publish, after the store has
 * published the view, from the rows that this view changed.
 */
#ifndef BENCH_GATEWAY_SWARM_CLIENT_H
#define BENCH_GATEWAY_SWARM_CLIENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <tickglass/client.h>

#include "admissions.h"
#include "names.h"
#include "reset_link.h"
#include "shown.h"

/* Summed over the sessions of one client, or over clients. */
typedef struct swarm_counts {
    /* Of what is no count: the newest ts_gateway_ns; the largest rtt_ns (-1: none), and when;
     * the largest lateness_ns (-1: none) and endpoint of the clients' latest sessions. */
    tg_client_counters session;
    tg_store_counters store;
    uint64_t publications;     /* views that on_publish saw */
    uint64_t rows;             /* newer versions in them */
    uint64_t first_rows;       /* of those, without a predecessor in their session */
    uint64_t regressions;      /* versions that went back, by the swarm's own check */
    uint64_t restarts;         /* history restarts that the store announced */
    uint64_t faults;           /* TG_EVENT_FAULT */
    uint64_t refused;          /* subscriptions */
    uint64_t lost_links;       /* sessions that ended without our doing */
    uint64_t samples_left_out; /* known while it is away */
} swarm_counts;

typedef struct swarm_client {
    /* Set once. */
    const gateway_address *gateway;
    const names *directory;
    const uint32_t *list; /* indexes of the directory; shared by a desk */
    uint32_t list_count;
    const atomic_bool *measuring;
    uint64_t seed;
    uint16_t gateway_port; /* 0: not on the loopback, so no session can end by a reset */
    bool stepped;          /* driven by tg_client_step(), not by a thread of the library's */
    const tg_clock *clock; /* NULL: the system's */

    /* The owner's. */
    tg_client *client;   /* NULL: away */
    reset_link *link;    /* NULL: none */
    atomic_bool leaving; /* read by the network thread: an end that was wanted is no loss */
    swarm_counts before; /* of its earlier sessions */
    int64_t came_ns;     /* monotonic; 0: away, or leaving */
    int64_t stayed_ns;   /* its earlier sessions */

    /* A reader must be closed before its client, and until then callbacks come. */
    pthread_mutex_t reader_lock;
    tg_reader *reader;

    /* The network thread's while there is a client, the owner's otherwise. */
    uint64_t view_number;
    shown versions;
    admissions samples;
    tg_histogram *newest; /* publication less the row's own exchange time */
    bool live;

    /* Written by the network thread, read by anybody: facts on their own. */
    _Atomic uint64_t publications;
    _Atomic uint64_t rows;
    _Atomic uint64_t first_rows;
    _Atomic uint64_t regressions;
    _Atomic uint64_t restarts;
    _Atomic uint64_t faults;
    _Atomic uint64_t refused;
    _Atomic uint64_t lost_links;
} swarm_client;

/* samples: room for so many rows. Ends the program if there is no memory. */
void swarm_client_init(swarm_client *c, size_t samples);
void swarm_client_deinit(swarm_client *c);

/* Opens, subscribes to the whole list and, unless it is stepped, starts. through_link:
 * reset_link.h. */
bool swarm_client_connect(swarm_client *c, bool through_link, why *reason);
/* Says good-bye in the background; swarm_client_reap() takes what remains. */
void swarm_client_leave(swarm_client *c);
/* RST in both directions, if it connected through a link; then as swarm_client_leave(). */
void swarm_client_reset(swarm_client *c);
/* True: it is away now. Not forced: only if its session has ended, without waiting. */
bool swarm_client_reap(swarm_client *c, bool forced);

/* Counts up to now. */
void swarm_client_counts(const swarm_client *c, swarm_counts *out);
/* Deltas and snapshots so far, heartbeats included. */
uint64_t swarm_client_frames(const swarm_client *c);
/* How long it has been there so far, from connecting to leaving. */
int64_t swarm_client_present_ns(const swarm_client *c);

void swarm_counts_init(swarm_counts *out); /* nothing counted yet */
void swarm_counts_add(swarm_counts *into, const swarm_counts *more);

#endif
