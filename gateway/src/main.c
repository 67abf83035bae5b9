/* tickglass-gateway: plays a market, or follows a node that does, and serves it. One thread, and
 * one that verifies tokens. */
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
#include "door.h"
#include "drain.h"
#include "drain_command.h"
#include "entropy.h"
#include "following_node.h"
#include "hub_audit.h"
#include "ip_address.h"
#include "log.h"
#include "options.h"
#include "playing_node.h"
#include "prng.h"
#include "running_gateway.h"
#include "tls_context.h"
#include "websocket_server.h"
#include "wipe.h"

#define BOUNDARIES_PER_FRAME 4u
#define FRAME_INTERVAL_MS    40u
#define HEARTBEAT_MS         1000u
#define PEERS_MAX            4096u
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
    tg__bearer bearer;
    tg__certificate certificate;
    tg__tls_context *tls;
    tg__jwt_keys *keys; /* NULL: only the gateway's own token is taken */
    tg__door *door;
    tg__websocket_server *server;
    tg__playing_node plays;     /* without --from-bus */
    tg__following_node follows; /* with it */
    tg__drain drain;
    tg__prng prng;
    tg__hub_audit_times audits;
    uint64_t instance;
    bool announced;
    bool cut;
} gateway;

static volatile sig_atomic_t drain_asked;
static volatile sig_atomic_t sigterm_came;
static volatile sig_atomic_t leave_asked; /* the signal's number */
static volatile sig_atomic_t reload_asked;

/*
 * The first SIGTERM empties the gateway step by step; another one, or SIGINT, ends it at once. What
 * `drain` sends never does: who asks twice, or before his service manager, cuts nobody.
 */
static void on_signal(int number)
{
    if (number == SIGHUP) {
        reload_asked = 1;
    } else if (number == TG__DRAIN_SIGNAL) {
        drain_asked = 1;
    } else if (number == SIGTERM && sigterm_came == 0) {
        sigterm_came = 1;
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

static bool is_following(const gateway *g)
{
    return g->options.from_bus != NULL;
}

/* NULL: a following node that has lost its bus, or one that was never opened. */
static tg__hub *hub_of(const gateway *g)
{
    return is_following(g) ? g->follows.hub : g->plays.hub;
}

/* ---- opening, in the order of what can go wrong first ---- */

static tg_err open_state(gateway *g, tg__cause *cause)
{
    TG_TRY(tg__state_dir_open(&g->state, g->options.state_dir, cause));
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
    g->prng.state = g->instance;
    return TG_OK;
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
        .hang_up_after_s = g->options.hang_up_after_s,
    };
    TG_TRY(tg__websocket_server_open(&options, &g->server, cause));
    const tg__door_options door_options = {
        .bearer = &g->bearer,
        .keys = g->keys,
        .issuer = g->options.jwt_issuer,
        .audience = g->options.jwt_audience,
        .wake = tg__websocket_server_interrupt,
        .ctx = g->server,
    };
    const tg_err err = tg__door_open(&door_options, &g->door);
    return err == TG_OK ? TG_OK : tg__cause_set(cause, err, "the door: %s", tg_err_text(err));
}

/* What does not depend on the market. */
static tg__hub_options hub_options_of(const gateway *g)
{
    const tg__hub_options options = {
        .door = g->door,
        .instance = g->instance,
        .frame_interval_ms = FRAME_INTERVAL_MS,
        .boundaries_per_frame = BOUNDARIES_PER_FRAME,
        .upgrades_per_second = g->options.upgrades_per_second,
        .frames_per_digest = g->options.frames_per_digest,
        .heartbeat_interval_ms = HEARTBEAT_MS,
        .peers_max = PEERS_MAX,
        .limits = limits,
        .wake = tg__websocket_server_wake,
        .ctx = g->server,
    };
    return options;
}

static tg_err open_playing(gateway *g, tg__cause *cause)
{
    TG_TRY(tg__playing_node_load(&g->plays, &g->options, cause));
    TG_TRY(open_state(g, cause));
    TG_TRY(tg__playing_node_prepare(&g->plays, &g->state, &g->stepped, g->clock, cause));
    TG_TRY(open_server(g, cause));
    const tg__hub_options hub = hub_options_of(g);
    return tg__playing_node_serve(&g->plays, &hub, g->server, cause);
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

/* Connections are accepted from now on. */
static tg_err announce(gateway *g, tg__cause *cause)
{
    const tg__directory *directory = hub_of(g)->options.directory;
    g->announced = true;
    if (g->certificate.made) {
        tg__log("made a development CA and a server certificate: clients trust %s",
                g->certificate.ca_path);
    }
    TG_TRY(write_port_file(g, cause)); /* first: who reads "serving" may rely on it */
    char address[TG__IP_ADDRESS_TEXT_SIZE];
    tg__ip_address_text(g->options.listen_host, tg__websocket_server_port(g->server), address);
    tg__log("serving %u instruments on %u venues at wss://%s%s, epoch %u",
            (unsigned)directory->count, (unsigned)directory->venue_count, address, TG__UPGRADE_PATH,
            (unsigned)directory->generation);
    return TG_OK;
}

/* Tears every connection down. Idempotent. */
static void close_server(gateway *g)
{
    if (g->door != NULL) {
        tg__door_stop(g->door);
    }
    tg__websocket_server_close(g->server);
    g->server = NULL;
}

static void close_gateway(gateway *g)
{
    close_server(g);
    if (is_following(g)) {
        tg__following_node_deinit(&g->follows);
    } else {
        tg__playing_node_close(&g->plays);
    }
    tg__door_close(g->door);
    tg__jwt_keys_close(g->keys);
    tg__tls_context_close(g->tls);
    tg__state_dir_close(&g->state);
    tg__wipe(&g->bearer, sizeof g->bearer);
}

/* ---- running ---- */

static void audit(const gateway *g)
{
    if (hub_of(g) == NULL) {
        return;
    }
    const tg__hub_audit found = tg__hub_audit_run(hub_of(g));
    if (found.differing > 0) {
        tg__log("the index of subscriptions is wrong in %u places: it has %" PRIu64
                ", the connections have %" PRIu64,
                (unsigned)found.differing, found.indexed, found.recorded);
    }
}

/* Told when to come back, spread so that they do not all come at once. */
static void tell_to_go(gateway *g, tg__peer *peer, uint16_t code)
{
    tg__hub_close_peer(hub_of(g), peer, code,
                       RECONNECT_MIN_MS + tg__prng_below(&g->prng, RECONNECT_SPREAD_MS));
}

static uint32_t peer_count(const gateway *g)
{
    return hub_of(g) == NULL ? 0 : hub_of(g)->peer_count;
}

static bool is_empty(const gateway *g)
{
    return peer_count(g) == 0 && !tg__websocket_server_has_visitors(g->server);
}

static void log_drained(const gateway *g, int64_t mono_ns)
{
    const int64_t ms = (mono_ns - g->drain.start_mono_ns) / NS_PER_MS;
    tg__log("drained %u connections in %" PRId64 ".%03" PRId64 " s, %u had to be cut",
            (unsigned)(g->drain.initial), ms / 1000, ms % 1000, (unsigned)peer_count(g));
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
        tg__drain_start(&g->drain, peer_count(g), g->options.drain_percent,
                        g->options.drain_interval_ms, mono_ns);
        tg__log("draining %u connections", (unsigned)g->drain.initial);
    }
    for (uint32_t left = tg__drain_step(&g->drain, mono_ns); left > 0; left--) {
        tg__peer *peer = hub_of(g) == NULL ? NULL : tg__hub_oldest(hub_of(g));
        if (peer != NULL) {
            tell_to_go(g, peer, TG__CLOSE_SERVICE_RESTART);
        }
    }
    if (!is_empty(g) && !tg__drain_is_late(&g->drain, mono_ns)) {
        return false;
    }
    g->cut = peer_count(g) > 0;
    log_drained(g, mono_ns);
    return true;
}

/* The node's turn, and when it wants the next one. */
static tg_err step_node(gateway *g, int64_t *next_mono_ns, tg__cause *cause)
{
    if (is_following(g)) {
        tg__following_node_step(&g->follows, moment_of(g));
        *next_mono_ns = tg__following_node_next_mono_ns(&g->follows, moment_of(g));
        return TG_OK;
    }
    TG_TRY(tg__playing_node_step(&g->plays, cause));
    *next_mono_ns = tg__playing_node_next_mono_ns(&g->plays, moment_of(g));
    return TG_OK;
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
    while (leave_asked == 0) {
        if (reload_asked != 0) {
            reload_asked = 0;
            reload_certificate(g);
        }
        int64_t next_mono_ns = 0;
        TG_TRY(step_node(g, &next_mono_ns, cause));
        if (!g->announced && hub_of(g) != NULL) {
            TG_TRY(announce(g, cause));
        }
        const int64_t mono_ns = tg_clock_mono_ns(&g->clock);
        if (tg__hub_audit_due(&g->audits, mono_ns)) {
            audit(g);
        }
        if ((drain_asked != 0 || g->plays.drain_asked) && drain_turn(g, mono_ns)) {
            break;
        }
        tg__websocket_server_step(g->server, next_mono_ns - mono_ns);
    }
    return TG_OK;
}

/* All at once: asked for, or because something failed. */
static void leave(gateway *g)
{
    tg__hub *const hub = hub_of(g);
    if (hub == NULL) {
        return;
    }
    const uint16_t code = leave_asked == SIGINT ? TG__CLOSE_GOING_AWAY : TG__CLOSE_SERVICE_RESTART;
    const int64_t deadline_ns = tg_clock_mono_ns(&g->clock) + TG__DRAIN_ANSWER_NS;
    tg__log("closing %u connections with code %u", (unsigned)hub->peer_count, (unsigned)code);
    tg__websocket_server_refuse_new(g->server);
    tg__websocket_server_unwatch(g->server); /* nobody reads the bus any more */
    for (tg__peer *peer = hub->first_peer; peer != NULL; peer = peer->next) {
        g->cut = g->cut || (g->drain.started && peer->close_code == 0);
        tell_to_go(g, peer, code);
    }
    while (!is_empty(g) && tg_clock_mono_ns(&g->clock) < deadline_ns) {
        tg__websocket_server_step(g->server, deadline_ns - tg_clock_mono_ns(&g->clock));
    }
    if (hub->peer_count > 0) {
        tg__log("%u connections did not answer the close", (unsigned)hub->peer_count);
    }
}

/* The last word: what was done, and whether the index was right to the end. */
static void give_account(gateway *g)
{
    close_server(g); /* so that what was cut is in it */
    const tg__hub *const hub = hub_of(g);
    if (hub == NULL) {
        return;
    }
    const tg__hub_counts *counts = &hub->counts;
    audit(g);
    for (unsigned i = 0; i < TG__END_REASONS; i++) {
        if (counts->ends[i] > 0) {
            tg__log("ended by %s: %" PRIu64, tg__end_reason_text((tg__end_reason)i),
                    counts->ends[i]);
        }
    }
    tg__log("frames: %" PRIu64 " encoded, %" PRIu64 " queued, %" PRIu64
            " dropped; rows of snapshots: %" PRIu64 " encoded, %" PRIu64 " reused",
            counts->frames_encoded, counts->frames_queued, counts->frames_dropped,
            hub->table.rows_encoded, hub->table.rows_reused);
    tg__log("index of subscriptions: %" PRIu64 " audits, %" PRIu64 " differences", counts->audits,
            counts->audit_differences);
}

static tg_err catch_signals(tg__cause *cause)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, &action, NULL) != 0 || sigaction(SIGTERM, &action, NULL) != 0 ||
        sigaction(SIGHUP, &action, NULL) != 0 || sigaction(TG__DRAIN_SIGNAL, &action, NULL) != 0) {
        return tg__cause_set(cause, TG_ERR_IO, "signals: %s", strerror(errno));
    }
    return TG_OK;
}

/* One descriptor a connection: as many as the administrator allows. */
static void raise_descriptor_limit(void)
{
    const rlim_t wanted = PEERS_MAX + 256u;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted &&
        limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
            tg__log("the limit of open descriptors stays as it is: %s", strerror(errno));
        }
    }
}

static tg_err run(gateway *g, tg__cause *cause)
{
    raise_descriptor_limit();
    TG_TRY(catch_signals(cause)); /* before the lock: who holds it can be asked to drain */
    TG_TRY(is_following(g) ? open_following(g, cause) : open_playing(g, cause));
    tg__hub_audit_start(&g->audits, tg_clock_mono_ns(&g->clock));
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

static int run_drain_command(int count, char *const *arguments)
{
    tg__cause cause = {""};
    tg__drain_command command;
    if (tg__drain_command_parse(&command, count, arguments, &cause) != TG_OK) {
        (void)fprintf(stderr, "tickglass-gateway: %s\n", cause.text);
        return EXIT_USAGE;
    }
    if (command.help) {
        (void)fputs(tg__drain_command_help, stdout);
        return 0;
    }
    const tg_err err = tg__drain_command_run(&command, &cause);
    if (err != TG_OK) {
        (void)fprintf(stderr, "tickglass-gateway drain: %s (%s)\n", cause.text, tg_err_name(err));
    }
    return err == TG_OK ? 0 : EXIT_TROUBLE;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "drain") == 0) {
        return run_drain_command(argc - 2, argv + 2);
    }
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
    const tg_err err = run(g, &cause);
    if (err != TG_OK) {
        (void)fprintf(stderr, "tickglass-gateway: %s (%s)\n", cause.text, tg_err_name(err));
    }
    close_gateway(g);
    const int status = g->cut ? EXIT_CUT : 0;
    free(g);
    return err == TG_OK ? status : EXIT_TROUBLE;
}
