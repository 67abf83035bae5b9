#include "following_node.h"

#include <inttypes.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "log.h"

#define MESSAGES_PER_TURN   256u                /* so that a backlog does not starve clients */
#define SILENCE_NS          INT64_C(1000000000) /* a boundary is due every 10 ms */
#define LISTEN_PACE_NS      INT64_C(100000000)  /* how long it waits at most for the bus */
#define BEHIND_NS           INT64_C(1000000000) /* what is older is not shown as if it were live */
#define RETRY_FIRST_NS      INT64_C(50000000)
#define RETRY_DOUBLINGS     5u
#define CLEAR_LIMIT_NS      INT64_C(3000000000)
#define CLEAR_PACE_NS       INT64_C(20000000)
#define RECONNECT_MIN_MS    250u
#define RECONNECT_SPREAD_MS 2000u

void tg__following_node_init(tg__following_node *node, const tg__following_node_options *options)
{
    memset(node, 0, sizeof *node);
    node->options = *options;
    node->prng.state = options->hub.instance;
    tg__websocket_server_pause(options->server, true);
}

static void close_hub(tg__following_node *node)
{
    tg__hub_close(node->hub);
    tg__sim_depth_close(node->depth);
    node->hub = NULL;
    node->depth = NULL;
}

void tg__following_node_deinit(tg__following_node *node)
{
    tg__bus_reader_close(&node->reader);
    close_hub(node);
    tg__bus_session_deinit(&node->session);
}

/* Full jitter, up to 1.6 s. */
static void go_apart(tg__following_node *node, tg__moment now)
{
    const unsigned doublings = node->failures < RETRY_DOUBLINGS ? node->failures : RETRY_DOUBLINGS;
    const uint32_t most_us = (uint32_t)((RETRY_FIRST_NS << doublings) / 1000);
    node->failures += node->failures < RETRY_DOUBLINGS;
    node->next_try_mono_ns = now.mono_ns + tg__prng_below(&node->prng, most_us) * INT64_C(1000);
    node->stage = TG__FOLLOWING_APART;
    tg__bus_session_deinit(&node->session);
}

static void close_peers(tg__following_node *node)
{
    for (tg__peer *peer = node->hub->first_peer; peer != NULL; peer = peer->next) {
        tg__hub_close_peer(node->hub, peer, TG__CLOSE_TRY_AGAIN_LATER,
                           RECONNECT_MIN_MS + tg__prng_below(&node->prng, RECONNECT_SPREAD_MS));
    }
}

static void clear(tg__following_node *node, tg__moment now)
{
    close_peers(node); /* who was in the middle of his upgrade, too */
    if (node->hub->peer_count > 0) {
        if (now.mono_ns >= node->clear_deadline_mono_ns) {
            tg__websocket_server_cut_off(node->options.server);
        }
        return;
    }
    tg__websocket_server_serve(node->options.server, NULL);
    close_hub(node);
    go_apart(node, now);
}

static void lose(tg__following_node *node, tg__moment now, const char *why)
{
    tg__websocket_server_unwatch(node->options.server);
    tg__bus_reader_close(&node->reader);
    if (node->stage == TG__FOLLOWING_JOINING) {
        tg__log("%s", why);
        go_apart(node, now);
        return;
    }
    const tg__following_counts *counts = &node->counts;
    tg__log("%s; closing %u connections; %" PRIu64 " boundaries came %" PRId64
            " us after their cut, at most %" PRId64 " us",
            why, (unsigned)node->hub->peer_count, counts->cut_delay_count,
            counts->cut_delay_sum_ns / (int64_t)counts->cut_delay_count / 1000,
            counts->cut_delay_max_ns / 1000);
    node->counts.lost++;
    node->stage = TG__FOLLOWING_CLEARING;
    node->clear_deadline_mono_ns = now.mono_ns + CLEAR_LIMIT_NS;
    tg__websocket_server_pause(node->options.server, true);
    clear(node, now);
}

static void try_to_join(tg__following_node *node, tg__moment now)
{
    tg__cause cause;
    tg_err err = tg__bus_reader_open(&node->reader, node->options.path, &cause);
    if (err == TG_OK) {
        err = tg__websocket_server_watch(node->options.server, node->reader.fd, &cause);
    }
    if (err != TG_OK) {
        if (node->failures == 0) { /* once is enough: it may be away for hours */
            tg__log("%s; trying again until it is there", cause.text);
        }
        tg__bus_reader_close(&node->reader);
        go_apart(node, now);
        return;
    }
    node->stage = TG__FOLLOWING_JOINING;
    node->last_step_mono_ns = now.mono_ns;
    node->silent_ns = 0;
    node->cut_delay_ns = 0;
}

static tg_err begin_to_serve(tg__following_node *node, tg__cause *cause)
{
    tg__hub_options options = node->options.hub;
    options.directory = &node->session.directory;
    options.lineage = node->session.hello.lineage;
    options.time_resolution_ns = node->session.hello.time_resolution_ns;
    tg__door_serve(options.door, options.directory);
    tg_err err = TG_OK;
    if (node->session.hello.simulated) {
        err = tg__sim_depth_open(node->session.hello.seed, &node->depth);
        options.depth = node->depth;
    }
    if (err == TG_OK) {
        err = tg__hub_open(&options, &node->hub);
    }
    if (err != TG_OK) {
        close_hub(node);
        return tg__cause_set(cause, err, "the hub: %s", tg_err_text(err));
    }
    node->stage = TG__FOLLOWING_SERVING;
    node->failures = 0;
    node->counts.joined++;
    node->counts.cut_delay_max_ns = 0;
    node->counts.cut_delay_sum_ns = 0;
    node->counts.cut_delay_count = 0;
    tg__websocket_server_serve(node->options.server, node->hub);
    tg__websocket_server_pause(node->options.server, false);
    tg__log("bus: following lineage %016" PRIx64 " at boundary %" PRIu64
            ": %u instruments of generation %u",
            options.lineage, node->session.boundary, (unsigned)options.directory->count,
            (unsigned)options.directory->generation);
    return TG_OK;
}

static tg_err take(tg__following_node *node, tg__bus_message *message, tg__moment now,
                   tg__cause *cause)
{
    tg__bus_session *session = &node->session;
    TG_TRY(tg__bus_session_take(session, message, cause));
    if (message->kind == TG__BUS_CUT) {
        if (node->hub == NULL) {
            TG_TRY(begin_to_serve(node, cause));
        }
        const int64_t delay_ns = now.mono_ns - message->as.cut.mono_ns;
        node->cut_delay_ns = delay_ns;
        if (delay_ns > node->counts.cut_delay_max_ns) {
            node->counts.cut_delay_max_ns = delay_ns;
        }
        node->counts.cut_delay_sum_ns += delay_ns;
        node->counts.cut_delay_count++;
        node->counts.cuts++;
        tg__hub_follow(node->hub, session->boundary, session->updates, session->update_count, now);
    } else if (message->kind == TG__BUS_TICKS) {
        node->counts.ticks += session->update_count;
        for (uint32_t i = 0; i < session->update_count; i++) {
            tg__hub_tick(node->hub, session->updates[i].id, &session->updates[i].image);
        }
    } else if (message->kind == TG__BUS_VENUE_STATE) {
        const tg__venue_state *told = &message->as.venue_state;
        tg__hub_venue_state(node->hub, told->venue, told->condition, told->boundary, now);
    }
    return TG_OK;
}

static void take_what_came(tg__following_node *node, tg__moment now)
{
    tg__cause cause = {""};
    tg_err err = TG_OK;
    unsigned count = 0;
    /* A machine or process that was away has heard nothing, and knows nothing of the far end. */
    const int64_t since_ns = now.mono_ns - node->last_step_mono_ns;
    node->silent_ns += since_ns < 2 * LISTEN_PACE_NS ? since_ns : 2 * LISTEN_PACE_NS;
    node->last_step_mono_ns = now.mono_ns;
    for (; err == TG_OK && count < MESSAGES_PER_TURN; count++) {
        tg__bus_message message;
        err = tg__bus_reader_next(&node->reader, &node->session.hello, &message, &cause);
        if (err == TG_OK) {
            node->silent_ns = 0;
            err = take(node, &message, now, &cause);
        }
    }
    node->behind = err == TG_OK;
    if (err != TG_OK && err != TG_ERR_NOT_FOUND) {
        lose(node, now, cause.text);
    } else if (node->silent_ns >= SILENCE_NS) {
        lose(node, now, "bus: nothing came for a second");
    } else if (node->behind && node->cut_delay_ns >= BEHIND_NS) {
        lose(node, now, "bus: this node cannot keep up, it is a second behind");
    }
}

void tg__following_node_step(tg__following_node *node, tg__moment now)
{
    switch (node->stage) {
    case TG__FOLLOWING_APART:
        if (now.mono_ns >= node->next_try_mono_ns) {
            try_to_join(node, now);
        }
        break;
    case TG__FOLLOWING_JOINING:
    case TG__FOLLOWING_SERVING:
        take_what_came(node, now);
        break;
    case TG__FOLLOWING_CLEARING:
        clear(node, now);
        break;
    }
}

int64_t tg__following_node_next_mono_ns(const tg__following_node *node, tg__moment now)
{
    switch (node->stage) {
    case TG__FOLLOWING_APART:
        return node->next_try_mono_ns;
    case TG__FOLLOWING_JOINING:
    case TG__FOLLOWING_SERVING:
        return node->behind ? now.mono_ns : now.mono_ns + LISTEN_PACE_NS;
    case TG__FOLLOWING_CLEARING:
        return now.mono_ns + CLEAR_PACE_NS;
    }
    return now.mono_ns;
}
