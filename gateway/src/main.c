/* tickglass-gateway: plays a market and serves it. One thread. */
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
#include "drain.h"
#include "entropy.h"
#include "fault_runner.h"
#include "hub_audit.h"
#include "log.h"
#include "metrics_http.h"
#include "metrics_report.h"
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
#define AUDIT_INTERVAL_NS    INT64_C(30000000000)
#define NS_PER_MS            INT64_C(1000000)
#define RECONNECT_MIN_MS     500u
#define RECONNECT_SPREAD_MS  5000u
#define EXIT_TROUBLE         1
#define EXIT_USAGE           2
#define EXIT_CUT             3 /* a drain left connections that had to be cut */

static const tg__limits limits = {
    .instruments_max = 4096,
    .priority_max = TG__PRIORITY_MAX,
    .message_size_max = TG__MESSAGE_SIZE_MAX,
    .subscribe_per_second = 5000,
};

typedef struct gateway {
    tg__options options;
    tg__stepped_clock stepped;
    tg_clock clock; /* reads stepped */
    tg__state_dir state;
    tg__epoch_store epochs;
    tg__bearer bearer;
    tg__certificate certificate;
    tg__directory directory;
    tg__sequencer sequencer;
    tg__playback playback;
    tg__fault_runner faults;
    tg__metrics *metrics; /* NULL: nobody asked */
    tg__metrics_view view;
    tg__metrics_http *metrics_http; /* NULL: nobody asked */
    tg__hub *hub;
    tg__websocket_server *server;
    tg__drain drain;
    tg__prng prng;
    int64_t next_audit_mono_ns;
    uint64_t instance;
    bool cut;
} gateway;

static volatile sig_atomic_t drain_asked;
static volatile sig_atomic_t leave_asked; /* the signal's number */

/* The first SIGTERM empties the gateway step by step; another one, or SIGINT, ends it at once. */
static void on_signal(int number)
{
    if (number == SIGTERM && drain_asked == 0) {
        drain_asked = 1;
    } else {
        leave_asked = number;
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
    const tg_err err =
        tg__sim_open(options->seed, &options->sim, &g->directory, &playback->source.sim);
    return err == TG_OK ? TG_OK : tg__cause_set(cause, err, "--sim: %s", tg_err_text(err));
}

static tg_err open_state(gateway *g, tg__cause *cause)
{
    uint32_t epoch = 0;
    TG_TRY(tg__state_dir_open(&g->state, g->options.state_dir, cause));
    TG_TRY(tg__epoch_store_open(&g->epochs, &g->state, cause));
    TG_TRY(tg__bearer_load(&g->bearer, &g->state, g->options.token_file, cause));
    TG_TRY(tg__certificate_open(&g->certificate, &g->state, time(NULL), cause));
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
    if (err == TG_OK) {
        err = tg__latest_rows_init(&playback->latest, g->directory.count);
    }
    if (err != TG_OK) {
        return tg__cause_set(cause, err, "the market: %s", tg_err_text(err));
    }
    if (options->write_tape != NULL) {
        TG_TRY(tg__tape_writer_open(options->write_tape, &g->directory, &playback->writer, cause));
    }
    if (options->tick_log != NULL) {
        TG_TRY(tg__tick_log_open(options->tick_log, g->epochs.lineage, g->directory.count,
                                 &playback->tick_log, cause));
    }
    return TG_OK;
}

static void complain(const char *text)
{
    tg__log("%s", text);
}

static tg_err open_faults(gateway *g, tg__cause *cause)
{
    const tg__fault_grammar grammar = {tg__fault_verbs, tg__fault_verb_count, &g->directory};
    if (g->options.faults == NULL) {
        return TG_OK;
    }
    TG_TRY(tg__fault_script_open(g->options.faults, &grammar, complain, &g->faults.script, cause));
    tg__log("%zu faults are planned in %s", tg__fault_script_size(g->faults.script),
            g->options.faults);
    return TG_OK;
}

static tg_err open_metrics(gateway *g, tg__cause *cause)
{
    tg__metrics_files *files = NULL;
    if (g->options.metrics_dir == NULL && g->options.metrics_host[0] == '\0') {
        return TG_OK;
    }
    if (g->options.metrics_dir != NULL) {
        TG_TRY(tg__metrics_files_open(g->options.metrics_dir, &files, cause));
    }
    const tg_err err = tg__metrics_open(&g->clock, g->directory.count, files, &g->metrics);
    if (err != TG_OK) {
        return tg__cause_set(cause, err, "stage histograms: %s", tg_err_text(err));
    }
    g->playback.metrics = g->metrics;
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
        .hang_up_after_s = g->options.hang_up_after_s,
    };
    TG_TRY(tg__websocket_server_open(&options, &g->server, cause));
    const tg__hub_options hub_options = {
        .directory = &g->directory,
        .bearer = &g->bearer,
        .metrics = g->metrics,
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
    const tg__fault_targets targets = {g->hub, &g->playback, g->server, &g->stepped};
    g->faults.targets = targets;
    tg__websocket_server_serve(g->server, g->hub);
    return TG_OK;
}

static void report(void *ctx, tg__text_buffer *out)
{
    const gateway *g = ctx;
    tg__metrics_report(&g->view, out);
}

static tg_err open_metrics_http(gateway *g, tg__cause *cause)
{
    if (g->options.metrics_host[0] == '\0') {
        return TG_OK;
    }
    const tg__metrics_view view = {g->hub, &g->sequencer, &g->playback, g->metrics,
                                   tg__websocket_server_upgrades(g->server)};
    g->view = view;
    const tg__metrics_http_options options = {.host = g->options.metrics_host,
                                              .port = g->options.metrics_port,
                                              .clock = g->clock,
                                              .report = report,
                                              .ctx = g};
    TG_TRY(tg__metrics_http_open(&options, &g->metrics_http, cause));
    const bool is_v6 = strchr(options.host, ':') != NULL;
    tg__log("metrics at http://%s%s%s:%u/metrics", is_v6 ? "[" : "", options.host, is_v6 ? "]" : "",
            (unsigned)tg__metrics_http_port(g->metrics_http));
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
    TG_TRY(open_faults(g, cause));
    TG_TRY(open_metrics(g, cause));
    TG_TRY(open_server(g, cause));
    TG_TRY(open_metrics_http(g, cause));
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
    tg__metrics_http_close(g->metrics_http);
    tg__websocket_server_close(g->server); /* tears every connection down */
    tg__hub_close(g->hub);
    tg__metrics_close(g->metrics);
    tg__tape_writer_close(g->playback.writer);
    tg__tick_log_close(g->playback.tick_log);
    tg__fault_script_close(g->faults.script);
    tg__source_close(&g->playback.source);
    tg__latest_rows_deinit(&g->playback.latest);
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
        tg__log("venue %s: %" PRIu64 " rows admitted, %" PRIu64 " duplicates, %" PRIu64
                " regressions, %" PRIu64 " missed",
                g->directory.venues[i].name, counts->admitted, counts->duplicates,
                counts->regressions, counts->missed);
    }
}

static void audit(gateway *g, int64_t mono_ns)
{
    const tg__hub_audit found = tg__hub_audit_run(g->hub);
    g->next_audit_mono_ns = mono_ns + AUDIT_INTERVAL_NS;
    if (found.differing > 0) {
        tg__log("the index of subscriptions is wrong in %u places: it has %" PRIu64
                ", the connections have %" PRIu64,
                (unsigned)found.differing, found.indexed, found.recorded);
    }
}

/* Told when to come back, spread so that they do not all come at once. */
static void tell_to_go(gateway *g, tg__peer *peer, uint16_t code)
{
    tg__hub_close_peer(g->hub, peer, code,
                       RECONNECT_MIN_MS + tg__prng_below(&g->prng, RECONNECT_SPREAD_MS));
}

static bool is_empty(const gateway *g)
{
    return g->hub->peer_count == 0 && !tg__websocket_server_has_visitors(g->server);
}

static void log_drained(const gateway *g, int64_t mono_ns)
{
    const int64_t ms = (mono_ns - g->drain.start_mono_ns) / NS_PER_MS;
    tg__log("drained %u connections in %" PRId64 ".%03" PRId64 " s, %u had to be cut",
            (unsigned)(g->drain.initial), ms / 1000, ms % 1000, (unsigned)g->hub->peer_count);
}

/*
 * Empties the gateway while it goes on serving. New ones are sent away from the first moment on,
 * and who stands at the door already gets his 503 with a time, instead of a connection that breaks
 * off. True: it is over.
 */
static bool drain_turn(gateway *g, int64_t mono_ns)
{
    if (!g->drain.started) {
        tg__websocket_server_refuse_new(g->server);
        tg__drain_start(&g->drain, g->hub->peer_count, g->options.drain_percent,
                        g->options.drain_interval_ms, mono_ns);
        tg__log("draining %u connections", (unsigned)g->drain.initial);
    }
    for (uint32_t left = tg__drain_step(&g->drain, mono_ns); left > 0; left--) {
        tg__peer *peer = tg__hub_oldest(g->hub);
        if (peer != NULL) {
            tell_to_go(g, peer, TG__CLOSE_SERVICE_RESTART);
        }
    }
    if (!is_empty(g) && !tg__drain_is_late(&g->drain, mono_ns)) {
        return false;
    }
    g->cut = g->hub->peer_count > 0;
    log_drained(g, mono_ns);
    return true;
}

static tg_err serve(gateway *g, tg__cause *cause)
{
    int64_t next_boundary_ns = tg_clock_mono_ns(&g->clock) + BOUNDARY_NS;
    bool ended = false;
    while (leave_asked == 0) {
        const bool plays = !g->options.hold_until_subscribed || g->hub->subscriptions_ever > 0;
        if (plays) {
            TG_TRY(tg__playback_run(&g->playback, moment_of(g), ROWS_PER_TURN, cause));
        }
        const tg__moment now = moment_of(g);
        tg__metrics_turn_end(g->metrics, now.mono_ns);
        TG_TRY(tg__fault_runner_run(&g->faults, now.mono_ns, cause));
        if (now.mono_ns >= next_boundary_ns) {
            tg__playback_boundary(&g->playback, now);
            tg__tick_log_flush(g->playback.tick_log);
            tg__metrics_rotate(g->metrics);
            tg__metrics_http_step(g->metrics_http);
            next_boundary_ns += BOUNDARY_NS;
            if (next_boundary_ns <= now.mono_ns) {
                next_boundary_ns = now.mono_ns + BOUNDARY_NS; /* the machine was away: no burst */
            }
        }
        if (now.mono_ns >= g->next_audit_mono_ns) {
            audit(g, now.mono_ns);
        }
        if (drain_asked != 0 && drain_turn(g, now.mono_ns)) {
            break;
        }
        if (g->playback.ended && !ended) {
            ended = true;
            log_end_of_tape(g);
        }
        tg__websocket_server_step(g->server, wait_of(g, next_boundary_ns, plays));
    }
    return TG_OK;
}

/* All at once: asked for, or because something failed. */
static void leave(gateway *g)
{
    const uint16_t code = leave_asked == SIGINT ? TG__CLOSE_GOING_AWAY : TG__CLOSE_SERVICE_RESTART;
    const int64_t deadline_ns = tg_clock_mono_ns(&g->clock) + TG__DRAIN_ANSWER_NS;
    tg__log("closing %u connections with code %u", (unsigned)g->hub->peer_count, (unsigned)code);
    tg__websocket_server_refuse_new(g->server);
    for (tg__peer *peer = g->hub->first_peer; peer != NULL; peer = peer->next) {
        g->cut = g->cut || (g->drain.started && peer->close_code == 0);
        tell_to_go(g, peer, code);
    }
    while (!is_empty(g) && tg_clock_mono_ns(&g->clock) < deadline_ns) {
        tg__websocket_server_step(g->server, deadline_ns - tg_clock_mono_ns(&g->clock));
    }
    if (g->hub->peer_count > 0) {
        tg__log("%u connections did not answer the close", (unsigned)g->hub->peer_count);
    }
}

/* The last word: what was done, and whether the index was right to the end. */
static void give_account(gateway *g)
{
    tg__websocket_server_close(g->server); /* so that what was cut is in it */
    g->server = NULL;
    const tg__hub_counts *counts = &g->hub->counts;
    audit(g, tg_clock_mono_ns(&g->clock));
    for (unsigned i = 0; i < TG__END_REASONS; i++) {
        if (counts->ends[i] > 0) {
            tg__log("ended by %s: %" PRIu64, tg__end_reason_text((tg__end_reason)i),
                    counts->ends[i]);
        }
    }
    tg__log("frames: %" PRIu64 " encoded, %" PRIu64 " queued, %" PRIu64
            " dropped; rows of snapshots: %" PRIu64 " encoded, %" PRIu64 " reused",
            counts->frames_encoded, counts->frames_queued, counts->frames_dropped,
            g->hub->table.rows_encoded, g->hub->table.rows_reused);
    tg__log("index of subscriptions: %" PRIu64 " audits, %" PRIu64 " differences", counts->audits,
            counts->audit_differences);
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
    TG_TRY(open_gateway(g, cause));
    g->prng.state = g->instance;
    g->next_audit_mono_ns = tg_clock_mono_ns(&g->clock) + AUDIT_INTERVAL_NS;
    const tg_err err = serve(g, cause);
    if (err != TG_OK) {
        tg__log("%s", cause->text);
    }
    if (err != TG_OK || leave_asked != 0) {
        leave(g);
    }
    give_account(g);
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
    const tg_clock system_clock = tg_clock_system();
    g->clock = tg__stepped_clock_open(&g->stepped, &system_clock);
    g->state.lock_fd = -1;
    tg__directory_init(&g->directory);
    const tg_err err = run(g, &cause);
    if (err != TG_OK) {
        (void)fprintf(stderr, "tickglass-gateway: %s (%s)\n", cause.text, tg_err_name(err));
    }
    close_gateway(g);
    memset(&g->bearer, 0, sizeof g->bearer);
    const int status = g->cut ? EXIT_CUT : 0;
    free(g);
    return err == TG_OK ? status : EXIT_TROUBLE;
}
