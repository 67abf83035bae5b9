/* tickglass-gateway: plays a market and serves it. One thread, and one that verifies tokens. */
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
#include "log.h"
#include "options.h"
#include "playback.h"
#include "prng.h"
#include "websocket_server.h"
#include "wipe.h"

#define TIME_RESOLUTION_NS   100000u
#define BOUNDARY_NS          INT64_C(10000000)
#define BOUNDARIES_PER_FRAME 4u
#define FRAME_INTERVAL_MS    40u
#define HEARTBEAT_MS         1000u
#define PEERS_MAX            4096u
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
    tg__tls_context *tls;
    tg__jwt_keys *keys;
    tg__directory directory;
    tg__sequencer sequencer;
    tg__playback playback;
    tg__door *door;
    tg__hub *hub;
    tg__websocket_server *server;
    uint64_t instance;
} gateway;

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t reload_signal;

static void on_signal(int number)
{
    if (number == SIGHUP) {
        reload_signal = number;
    } else {
        stop_signal = number;
    }
}

static tg__moment moment_of(const gateway *g)
{
    const tg__moment now = {tg_clock_mono_ns(&g->clock), tg_clock_utc_ns(&g->clock)};
    return now;
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
    uint32_t epoch = 0;
    TG_TRY(tg__state_dir_open(&g->state, g->options.state_dir, cause));
    TG_TRY(tg__epoch_store_open(&g->epochs, &g->state, cause));
    TG_TRY(tg__bearer_load(&g->bearer, &g->state, g->options.token_file, cause));
    TG_TRY(tg__certificate_open(&g->certificate, &g->state, time(NULL), cause));
    TG_TRY(tg__tls_context_open(&g->certificate, &g->state, g->options.ticket_key_file, &g->tls,
                                cause));
    if (g->options.jwt_keys != NULL) {
        TG_TRY(tg__jwt_keys_open(g->options.jwt_keys, &g->keys, cause));
        tg__log("%u keys for JWTs from %s", (unsigned)tg__jwt_keys_count(g->keys),
                g->options.jwt_keys);
    }
    TG_TRY(tg__entropy_get(&g->instance, sizeof g->instance, cause));
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

static tg_err open_door(gateway *g, tg__cause *cause)
{
    const tg__door_options options = {
        .bearer = &g->bearer,
        .directory = &g->directory,
        .keys = g->keys,
        .issuer = g->options.jwt_issuer,
        .audience = g->options.jwt_audience,
        .wake = tg__websocket_server_interrupt,
        .ctx = g->server,
    };
    const tg_err err = tg__door_open(&options, &g->door);
    return err == TG_OK ? TG_OK : tg__cause_set(cause, err, "the door: %s", tg_err_text(err));
}

static tg_err open_server(gateway *g, tg__cause *cause)
{
    const tg__websocket_server_options options = {
        .host = g->options.listen_host,
        .port = g->options.listen_port,
        .certificate = &g->certificate,
        .tls = g->tls,
        .clock = g->clock,
        .seed = g->instance,
        .peers_max = PEERS_MAX,
        .handshakes_max = g->options.handshakes_max,
        .upgrades_per_second = g->options.upgrades_per_second,
        .upgrade_burst = g->options.upgrade_burst,
    };
    TG_TRY(tg__websocket_server_open(&options, &g->server, cause));
    TG_TRY(open_door(g, cause));
    const tg__hub_options hub_options = {
        .directory = &g->directory,
        .door = g->door,
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
    const tg_err err = tg__hub_open(&hub_options, &g->hub);
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

static tg_err open_gateway(gateway *g, tg__cause *cause)
{
    TG_TRY(open_source(g, cause));
    TG_TRY(open_state(g, cause));
    TG_TRY(open_market(g, cause));
    TG_TRY(open_server(g, cause));
    if (g->certificate.made) {
        tg__log("made a development CA and a server certificate: clients trust %s",
                g->certificate.ca_path);
    }
    TG_TRY(write_port_file(g, cause)); /* first: who reads "serving" may rely on it */
    const bool is_v6 = strchr(g->options.listen_host, ':') != NULL;
    tg__log("serving %u instruments on %u venues at wss://%s%s%s:%u%s, epoch %u",
            (unsigned)g->directory.count, (unsigned)g->directory.venue_count, is_v6 ? "[" : "",
            g->options.listen_host, is_v6 ? "]" : "",
            (unsigned)tg__websocket_server_port(g->server), TG__UPGRADE_PATH,
            (unsigned)g->directory.generation);
    return TG_OK;
}

static void close_gateway(gateway *g)
{
    if (g->door != NULL) {
        tg__door_stop(g->door);
    }
    tg__websocket_server_close(g->server); /* tears every connection down */
    tg__hub_close(g->hub);
    tg__door_close(g->door);
    tg__jwt_keys_close(g->keys);
    tg__tls_context_close(g->tls);
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

/* SIGHUP. What cannot be read is reported, and what was there before stays in use. */
static void reload_certificate(const gateway *g)
{
    tg__cause cause;
    if (tg__websocket_server_reload_certificate(g->server, &cause) == TG_OK) {
        tg__log("certificate and ticket key have been read again");
    } else {
        tg__log("the certificate stays as it was: %s", cause.text);
    }
}

static tg_err serve(gateway *g, tg__cause *cause)
{
    int64_t next_boundary_ns = tg_clock_mono_ns(&g->clock) + BOUNDARY_NS;
    bool ended = false;
    while (stop_signal == 0) {
        if (reload_signal != 0) {
            reload_signal = 0;
            reload_certificate(g);
        }
        const bool plays = !g->options.hold_until_subscribed || g->hub->subscriptions_ever > 0;
        if (plays) {
            TG_TRY(tg__playback_run(&g->playback, moment_of(g), ROWS_PER_TURN, cause));
        }
        const tg__moment now = moment_of(g);
        if (now.mono_ns >= next_boundary_ns) {
            tg__hub_boundary(g->hub, &g->sequencer, now);
            next_boundary_ns += BOUNDARY_NS;
            if (next_boundary_ns <= now.mono_ns) {
                next_boundary_ns = now.mono_ns + BOUNDARY_NS; /* the machine was away: no burst */
            }
        }
        if (g->playback.ended && !ended) {
            ended = true;
            log_end_of_tape(g);
        }
        tg__websocket_server_step(g->server, wait_of(g, next_boundary_ns, plays));
    }
    return TG_OK;
}

/*
 * Everybody is told when to come back, spread so that they do not all come at once; who stands at
 * the door already gets his 503 with a time, instead of a connection that breaks off.
 */
static void leave(gateway *g)
{
    const uint16_t code = stop_signal == SIGINT ? TG__CLOSE_GOING_AWAY : TG__CLOSE_SERVICE_RESTART;
    const int64_t deadline_ns = tg_clock_mono_ns(&g->clock) + LEAVE_LIMIT_NS;
    tg__prng prng = {g->instance};
    tg__log("closing %u connections with code %u", (unsigned)g->hub->peer_count, (unsigned)code);
    tg__websocket_server_refuse_new(g->server);
    for (tg__peer *peer = g->hub->first_peer; peer != NULL; peer = peer->next) {
        tg__hub_close_peer(g->hub, peer, code,
                           RECONNECT_MIN_MS + tg__prng_below(&prng, RECONNECT_SPREAD_MS));
    }
    while ((g->hub->peer_count > 0 || tg__websocket_server_has_visitors(g->server)) &&
           tg_clock_mono_ns(&g->clock) < deadline_ns) {
        tg__websocket_server_step(g->server, deadline_ns - tg_clock_mono_ns(&g->clock));
    }
    if (g->hub->peer_count > 0) {
        tg__log("%u connections did not answer the close", (unsigned)g->hub->peer_count);
    }
}

static tg_err catch_signals(tg__cause *cause)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, &action, NULL) != 0 || sigaction(SIGTERM, &action, NULL) != 0 ||
        sigaction(SIGHUP, &action, NULL) != 0) {
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
    TG_TRY(open_gateway(g, cause));
    const tg_err err = serve(g, cause);
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
    tg__wipe(&g->bearer, sizeof g->bearer);
    free(g);
    return err == TG_OK ? 0 : EXIT_TROUBLE;
}
