/**
 * A gateway with a market of its own: source, feed handlers, lanes, boundaries, and what looks on
 * (faults, measurements, journals, other nodes). Driven by the owner's loop.
 */
#ifndef TG_GATEWAY_PLAYING_NODE_H
#define TG_GATEWAY_PLAYING_NODE_H

#include "fault_runner.h"
#include "metrics_http.h"
#include "metrics_report.h"
#include "options.h"
#include "playback.h"

typedef struct tg__playing_node {
    const tg__options *options; /* outlives the node */
    tg_clock clock;
    tg__stepped_clock *stepped; /* what clock reads; a fault moves it */
    tg__epoch_store epochs;
    tg__directory directory;
    tg__sequencer sequencer;
    tg__playback playback;
    tg__sim_depth *depth; /* NULL: a tape, which has none */
    tg__fault_runner faults;
    tg__metrics *metrics; /* NULL: nobody asked */
    tg__metrics_view view;
    tg__metrics_http *metrics_http; /* NULL: nobody asked */
    tg__bus_writer *bus;            /* NULL: no other nodes are told */
    tg__hub *hub;                   /* NULL until it serves */
    int64_t next_boundary_ns;
    bool plays;
    bool ended;
    bool drain_asked; /* by a fault script: the owner's to do */
} tg__playing_node;

/*
 * Opened in three steps, in the order of what can go wrong first: the market itself, what the state
 * directory has and the options name, and the hub with those who listen. After a failure of any
 * step only tg__playing_node_close() is allowed.
 */
TG_MUST_CHECK tg_err tg__playing_node_load(tg__playing_node *node, const tg__options *options,
                                           tg__cause *cause);
TG_MUST_CHECK tg_err tg__playing_node_prepare(tg__playing_node *node, const tg__state_dir *state,
                                              tg__stepped_clock *stepped, tg_clock clock,
                                              tg__cause *cause);
/* hub: all but directory, lineage, resolution, metrics and depth, which are the node's. */
TG_MUST_CHECK tg_err tg__playing_node_serve(tg__playing_node *node, const tg__hub_options *hub,
                                            tg__websocket_server *server, tg__cause *cause);
/* After the server was closed, which tears its connections down. Idempotent. */
void tg__playing_node_close(tg__playing_node *node);

/* One turn: rows that are due, faults, and a boundary if it is time. */
TG_MUST_CHECK tg_err tg__playing_node_step(tg__playing_node *node, tg__cause *cause);

/* When it wants its next turn. */
int64_t tg__playing_node_next_mono_ns(const tg__playing_node *node, tg__moment now);

#endif
