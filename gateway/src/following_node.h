/**
 * A gateway without a market of its own: it serves what the sequencing node tells over the bus.
 *
 * Equal boundaries are equal states on every node of the lineage, so clients may change between
 * them. Without the bus it cannot vouch for anything: everybody is sent away, spread in time, and
 * upgrades get 503 until it follows again. Then it serves what it is told anew, be it of the same
 * lineage or of another.
 */
#ifndef TG_GATEWAY_FOLLOWING_NODE_H
#define TG_GATEWAY_FOLLOWING_NODE_H

#include "bus_reader.h"
#include "bus_session.h"
#include "hub.h"
#include "prng.h"
#include "websocket_server.h"

typedef struct tg__following_node_options {
    const char *path;
    tg__websocket_server *server; /* outlives the node */
    tg__hub_options hub;          /* directory, lineage, resolution and depth come over the bus */
} tg__following_node_options;

typedef enum tg__following_stage {
    TG__FOLLOWING_APART = 0, /* from the bus: the next attempt is at next_try_mono_ns */
    TG__FOLLOWING_JOINING = 1,
    TG__FOLLOWING_SERVING = 2,
    TG__FOLLOWING_CLEARING = 3 /* the bus is lost and clients are still being closed */
} tg__following_stage;

typedef struct tg__following_counts {
    uint64_t joined;
    uint64_t lost;
    uint64_t cuts;
    uint64_t ticks;
    /* From the cut to this node, since it joined. */
    int64_t cut_delay_max_ns;
    int64_t cut_delay_sum_ns;
    uint64_t cut_delay_count;
} tg__following_counts;

typedef struct tg__following_node {
    tg__following_node_options options;
    tg__following_stage stage;
    tg__bus_reader reader;
    tg__bus_session session;
    tg__hub *hub;         /* NULL unless SERVING or CLEARING */
    tg__sim_depth *depth; /* the hub's; NULL: the market has none */
    tg__prng prng;
    unsigned failures; /* attempts since it followed last */
    bool behind;       /* the bus has more than one turn takes */
    int64_t next_try_mono_ns;
    int64_t last_step_mono_ns;
    int64_t silent_ns;    /* of this node's own waking time, since the bus was heard */
    int64_t cut_delay_ns; /* of the last cut, behind the sequencing node */
    int64_t clear_deadline_mono_ns;
    tg__following_counts counts;
} tg__following_node;

/* Nothing is connected yet; the server refuses until the node follows. */
void tg__following_node_init(tg__following_node *node, const tg__following_node_options *options);
/* After the server was closed, which tears its connections down. */
void tg__following_node_deinit(tg__following_node *node);

/* One turn: takes what the bus has, connects, clears up. */
void tg__following_node_step(tg__following_node *node, tg__moment now);

/* When it wants its next turn, if neither bus nor server have anything before. */
int64_t tg__following_node_next_mono_ns(const tg__following_node *node, tg__moment now);

#endif
