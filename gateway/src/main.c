/* tickglass-gateway: plays a market, or follows a node that does, and serves it. One thread. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <tickglass/clock.h>
#include <tickglass/version.h>

#include <tickglass/internal/control_flow.h>

#include "bearer_file.h"
#include "certificate.h"
#include "entropy.h"
#include "following_node.h"
#include "log.h"
#include "options.h"
#include "playback.h"
#include "prng.h"
#include "websocket_server.h"

#define TIME_RESOLUTION_NS   100000u
#define BOUNDARY_NS          INT64_C(10000000)
#define BOUNDARIES_PER_FRAME 4u
#define FRAME_INTERVAL_MS    40u
#define HEARTBEAT_MS         1000u
#define PEERS_MAX            4096u
#define UPGRADES_PER_SECOND  1200u
#define UPGRADE_BURST        2500u
#define ROWS_PER_TURN        2000u
#define IDLE_PACE_NS         INT64_C(1000000) /* rows that are due sooner wait for each other */
#define LEAVE_LIMIT_NS       INT64_C(3000000000)
#define RECONNECT_MIN_MS     500u
#define RECONNECT_SPREAD_MS  5000u
#define EXIT_TROUBLE         1
#define EXIT_USAGE           2

static const tg__limits limits = {
    .instruments_max = 4096,
    .priority_max = TG__PRIORITY_MAX,
    .message_size_max = TG__MESSAGE_SIZE_MAX,
    .subscribe_per_second = 5000,
};

typedef struct gateway {
    tg__options options;
    tg_clock clock;
    tg__state_dir state;
    tg__epoch_store epochs;
    tg__bearer bearer;
    tg__certificate certificate;
    tg__directory directory;
    tg__sequencer sequencer;
    tg__playback playback;
    tg__hub *hub; /* of a node that plays by itself */
    tg__websocket_server *server;
    tg__bus_writer *bus;        /* NULL: no other nodes are told */
    tg__following_node follows; /* with --from-bus */
    uint64_t instance;
} gateway;

static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
    stop_signal = number;
}

static tg__moment moment_of(const gateway *g)
{
    const tg__moment now = {tg_clock_mono_ns(&g->clock), tg_clock_utc_ns(&g->clock)};
    return now;
}

static bool is_following(const gateway *g)
{
    return g->options.from_bus != NULL;
}

/* NULL: a following node that has lost its bus. */
static tg__hub *hub_of(const gateway *g)
{
    return is_following(g) ? g->follows.hub : g->hub;
}

/* ---- opening, in the order of what can go wrong first ---- */

static tg_err open_source(gateway *g, tg__cause *cause)
{
    tg__playback *playback = &g->playback;
    const tg__options *options = &g->options;
    if (options->tape != NULL) {
        TG_TRY(tg__tape_open(options->tape, options->merge_feeds, &g->directory,
                             &playback->source.tape, cause));
        return TG_OK;
    }
    const tg_err err = tg__sim_open(options->seed, &g->directory, &playback->source.sim);
    return err == TG_OK ? TG_OK : tg__cause_set(cause, err, "--sim: %s", tg_err_text(err));
}

static tg_err open_state(gateway *g, tg__cause *cause)
{
    TG_TRY(tg__state_dir_open(&g->state, g->options.state_dir, cause));
    TG_TRY(tg__bearer_load(&g->bearer, &g->state, g->options.token_file, cause));
    TG_TRY(tg__certificate_open(&g->certificate, &g->state, time(NULL), cause));
    return tg__entropy_get(&g->instance, sizeof g->instance, cause);
}

static tg_err open_epochs(gateway *g, tg__cause *cause)
{
    uint32_t epoch = 0;
    TG_TRY(tg__epoch_store_open(&g->epochs, &g->state, cause));
    TG_TRY(tg__epoch_store_next(&g->epochs, &epoch, cause));
    /* Ids are given anew at every start: so is the generation, and the epoch is never repeated. */
    g->directory.generation = epoch;
    for (uint32_t id = 0; id < g->directory.count; id++) {
        g->directory.instruments[id].epoch = epoch;
    }
    return TG_OK;
}

static tg_err open_market(gateway *g, tg__cause *cause)
{
    tg__playback *playback = &g->playback;
    const tg__options *options = &g->options;
    playback->sequencer = &g->sequencer;
    playback->epochs = &g->epochs;
    playback->loop = options->loop;
    tg__rebase_init(&playback->rebase, options->speed_milli, options->keep_times);
    tg_err err = tg__directory_seal(&g->directory);
    if (err == TG_OK) {
        err = tg__sequencer_init(&g->sequencer, &g->directory, g->directory.generation,
                                 TIME_RESOLUTION_NS);
    }
    if (err == TG_OK) {
        err = tg__feed_init(&playback->feed, options->feeds, options->skew_min_ns,
                            options->skew_max_ns, tg__prng_mix(options->seed));
    }
    if (err != TG_OK) {
        return tg__cause_set(cause, err, "the market: %s", tg_err_text(err));
    }
    if (options->write_tape != NULL) {
        TG_TRY(tg__tape_writer_open(options->write_tape, &g->directory, &playback->writer, cause));
    }
    return TG_OK;
}

static tg_err open_server(gateway *g, tg__cause *cause)
{
    const tg__websocket_server_options options = {
        .host = g->options.listen_host,
        .port = g->options.listen_port,
        .certificate_path = g->certificate.certificate_path,
        .key_path = g->certificate.key_path,
        .bearer = &g->bearer,
        .clock = g->clock,
        .peers_max = PEERS_MAX,
        .upgrades_per_second = UPGRADES_PER_SECOND,
        .upgrade_burst = UPGRADE_BURST,
    };
    return tg__websocket_server_open(&options, &g->server, cause);
}

static tg__hub_options hub_options_of(const gateway *g)
{
    const tg__hub_options options = {
        .directory = &g->directory,
        .bearer = &g->bearer,
        .instance = g->instance,
        .lineage = g->epochs.lineage,
        .time_resolution_ns = TIME_RESOLUTION_NS,
        .frame_interval_ms = FRAME_INTERVAL_MS,
        .boundaries_per_frame = BOUNDARIES_PER_FRAME,
        .heartbeat_interval_ms = HEARTBEAT_MS,
        .peers_max = PEERS_MAX,
        .limits = limits,
        .wake = tg__websocket_server_wake,
        .ctx = g->server,
    };
    return options;
}

static tg_err open_hub(gateway *g, tg__cause *cause)
{
    const tg__hub_options options = hub_options_of(g);
    const tg_err err = tg__hub_open(&options, &g->hub);
    if (err != TG_OK) {
        return tg__cause_set(cause, err, "the hub: %s", tg_err_text(err));
    }
    g->playback.hub = g->hub;
    tg__websocket_server_serve(g->server, g->hub);
    return TG_OK;
}

static tg_err write_port_file(const gateway *g, tg__cause *cause)
{
    char text[16];
    if (g->options.port_file == NULL) {
        return TG_OK;
    }
    const int length =
        snprintf(text, sizeof text, "%u\n", (unsigned)tg__websocket_server_port(g->server));
    return tg__file_write(g->options.port_file, text, (size_t)length, 0644, cause);
}

static tg_err open_bus(gateway *g, tg__cause *cause)
{
    const tg__bus_writer_options options = {
        .path = g->options.bus,
        .directory = &g->directory,
        .lineage = g->epochs.lineage,
        .time_resolution_ns = TIME_RESOLUTION_NS,
    };
    if (options.path == NULL) {
        return TG_OK;
    }
    TG_TRY(tg__bus_writer_open(&options, &g->bus, cause));
    g->playback.bus = g->bus;
    return TG_OK;
}

/* A node that plays a market by itself. */
static tg_err open_playing(gateway *g, tg__cause *cause)
{
    TG_TRY(open_source(g, cause));
    TG_TRY(open_state(g, cause));
    TG_TRY(open_epochs(g, cause));
    TG_TRY(open_market(g, cause));
    TG_TRY(open_server(g, cause));
    TG_TRY(open_hub(g, cause));
    return open_bus(g, cause);
}

static tg_err open_following(gateway *g, tg__cause *cause)
{
    TG_TRY(open_state(g, cause));
    TG_TRY(open_server(g, cause));
    const tg__following_node_options options = {
        .path = g->options.from_bus,
        .server = g->server,
        .hub = hub_options_of(g),
    };
    tg__following_node_init(&g->follows, &options);
    return TG_OK;
}

/* Connections are accepted from now on. */
static tg_err announce(const gateway *g, tg__cause *cause)
{
    const tg__directory *directory = hub_of(g)->options.directory;
    if (g->certificate.made) {
        tg__log("made a development CA and a server certificate: clients trust %s",
                g->certificate.ca_path);
    }
    TG_TRY(write_port_file(g, cause)); /* first: who reads "serving" may rely on it */
    const bool is_v6 = strchr(g->options.listen_host, ':') != NULL;
    tg__log("serving %u instruments on %u venues at wss://%s%s%s:%u%s, epoch %u",
            (unsigned)directory->count, (unsigned)directory->venue_count, is_v6 ? "[" : "",
            g->options.listen_host, is_v6 ? "]" : "",
            (unsigned)tg__websocket_server_port(g->server), TG__UPGRADE_PATH,
            (unsigned)directory->generation);
    return TG_OK;
}

static void close_gateway(gateway *g)
{
    tg__websocket_server_close(g->server); /* tears every connection down */
    tg__hub_close(g->hub);
    if (is_following(g)) {
        tg__following_node_deinit(&g->follows);
    }
    tg__bus_writer_close(g->bus);
    tg__tape_writer_close(g->playback.writer);
    tg__source_close(&g->playback.source);
    tg__feed_deinit(&g->playback.feed);
    tg__sequencer_deinit(&g->sequencer);
    tg__directory_deinit(&g->directory);
    tg__state_dir_close(&g->state);
}

/* ---- running ---- */

static int64_t wait_of(const gateway *g, int64_t next_boundary_ns, bool plays)
{
    const tg__moment now = moment_of(g);
    int64_t wait_ns = next_boundary_ns - now.mono_ns;
    if (plays) {
        const int64_t next_ns = tg__playback_next_mono_ns(&g->playback, now);
        const int64_t rows_ns = next_ns == INT64_MAX ? INT64_MAX : next_ns - now.mono_ns;
        /* At full speed rows are always due: sockets are looked at in between, without waiting. */
        const int64_t paced_ns =
            g->options.speed_milli == 0 || rows_ns > IDLE_PACE_NS ? rows_ns : IDLE_PACE_NS;
        wait_ns = paced_ns < wait_ns ? paced_ns : wait_ns;
    }
    return wait_ns;
}

static void log_end_of_tape(const gateway *g)
{
    tg__log("the tape has ended after %" PRIu64 " rows; still serving", g->playback.rows);
    for (uint32_t i = 0; i < g->directory.venue_count; i++) {
        const tg__venue_counts *counts = &g->sequencer.venues[i];
        tg__log(
            "venue %s: %" PRIu64 " rows admitted, %" PRIu64 " duplicates, %" PRIu64 " regressions",
            g->directory.venues[i].name, counts->admitted, counts->duplicates, counts->regressions);
    }
}

static tg_err serve(gateway *g, tg__cause *cause)
{
    int64_t next_boundary_ns = tg_clock_mono_ns(&g->clock) + BOUNDARY_NS;
    bool ended = false;
    while (stop_signal == 0) {
        const bool plays = !g->options.hold_until_subscribed || g->hub->subscriptions_ever > 0;
        if (plays) {
            TG_TRY(tg__playback_run(&g->playback, moment_of(g), ROWS_PER_TURN, cause));
        }
        const tg__moment now = moment_of(g);
        if (now.mono_ns >= next_boundary_ns) {
            tg__hub_boundary(g->hub, &g->sequencer, now);
            tg__bus_writer_cut(g->bus, &g->hub->table, now.mono_ns);
            next_boundary_ns += BOUNDARY_NS;
            if (next_boundary_ns <= now.mono_ns) {
                next_boundary_ns = now.mono_ns + BOUNDARY_NS; /* the machine was away: no burst */
            }
        }
        if (g->playback.ended && !ended) {
            ended = true;
            log_end_of_tape(g);
        }
        tg__bus_writer_step(g->bus, &g->hub->table, now.mono_ns);
        tg__websocket_server_step(g->server, wait_of(g, next_boundary_ns, plays));
    }
    return TG_OK;
}

static tg_err serve_following(gateway *g, tg__cause *cause)
{
    bool announced = false;
    while (stop_signal == 0) {
        tg__following_node_step(&g->follows, moment_of(g));
        if (!announced && g->follows.stage == TG__FOLLOWING_SERVING) {
            announced = true;
            TG_TRY(announce(g, cause));
        }
        const tg__moment now = moment_of(g);
        tg__websocket_server_step(g->server,
                                  tg__following_node_next_mono_ns(&g->follows, now) - now.mono_ns);
    }
    return TG_OK;
}

/*
 * Everybody is told when to come back, spread so that they do not all come at once; who stands at
 * the door already gets his 503 with a time, instead of a connection that breaks off.
 */
static void leave(gateway *g)
{
    tg__hub *const hub = hub_of(g);
    if (hub == NULL) {
        return;
    }
    const uint16_t code = stop_signal == SIGINT ? TG__CLOSE_GOING_AWAY : TG__CLOSE_SERVICE_RESTART;
    const int64_t deadline_ns = tg_clock_mono_ns(&g->clock) + LEAVE_LIMIT_NS;
    tg__prng prng = {g->instance};
    tg__log("closing %u connections with code %u", (unsigned)hub->peer_count, (unsigned)code);
    tg__websocket_server_refuse_new(g->server);
    tg__websocket_server_unwatch(g->server); /* nobody reads the bus any more */
    for (tg__peer *peer = hub->first_peer; peer != NULL; peer = peer->next) {
        tg__hub_close_peer(hub, peer, code,
                           RECONNECT_MIN_MS + tg__prng_below(&prng, RECONNECT_SPREAD_MS));
    }
    while ((hub->peer_count > 0 || tg__websocket_server_has_visitors(g->server)) &&
           tg_clock_mono_ns(&g->clock) < deadline_ns) {
        tg__websocket_server_step(g->server, deadline_ns - tg_clock_mono_ns(&g->clock));
    }
    if (hub->peer_count > 0) {
        tg__log("%u connections did not answer the close", (unsigned)hub->peer_count);
    }
}

static tg_err catch_signals(tg__cause *cause)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, &action, NULL) != 0 || sigaction(SIGTERM, &action, NULL) != 0) {
        return tg__cause_set(cause, TG_ERR_IO, "signals: %s", strerror(errno));
    }
    return TG_OK;
}

/* One descriptor a connection: as many as the administrator allows. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        const rlim_t wanted = PEERS_MAX + 256u;
        limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
            tg__log("the limit of open descriptors stays as it is: %s", strerror(errno));
        }
    }
}

static tg_err run(gateway *g, tg__cause *cause)
{
    raise_descriptor_limit();
    TG_TRY(catch_signals(cause));
    TG_TRY(is_following(g) ? open_following(g, cause) : open_playing(g, cause));
    if (!is_following(g)) {
        TG_TRY(announce(g, cause));
    }
    const tg_err err = is_following(g) ? serve_following(g, cause) : serve(g, cause);
    if (err != TG_OK) {
        tg__log("%s", cause->text);
    }
    leave(g);
    return err;
}

int main(int argc, char **argv)
{
    tg__cause cause = {""};
    tg__options options;
    if (tg__options_parse(&options, argc, argv, &cause) != TG_OK) {
        (void)fprintf(stderr, "tickglass-gateway: %s\n", cause.text);
        return EXIT_USAGE;
    }
    if (options.help || options.version) {
        (void)fputs(options.help ? tg__options_help : "tickglass-gateway " TG_VERSION_STRING "\n",
                    stdout);
        return 0;
    }
    gateway *g = calloc(1, sizeof *g);
    if (g == NULL) {
        (void)fputs("tickglass-gateway: no memory\n", stderr);
        return EXIT_TROUBLE;
    }
    g->options = options;
    g->clock = tg_clock_system();
    g->state.lock_fd = -1;
    tg__directory_init(&g->directory);
    const tg_err err = run(g, &cause);
    if (err != TG_OK) {
        (void)fprintf(stderr, "tickglass-gateway: %s (%s)\n", cause.text, tg_err_name(err));
    }
    close_gateway(g);
    memset(&g->bearer, 0, sizeof g->bearer);
    free(g);
    return err == TG_OK ? 0 : EXIT_TROUBLE;
}
