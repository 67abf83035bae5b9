#include "playing_node.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "ip_address.h"
#include "log.h"
#include "prng.h"

#define TIME_RESOLUTION_NS 100000u
#define ROWS_PER_TURN      2000u
#define IDLE_PACE_NS       INT64_C(1000000) /* rows that are due sooner wait for each other */

static tg__moment moment_of(const tg__playing_node *node)
{
    const tg__moment now = {tg_clock_mono_ns(&node->clock), tg_clock_utc_ns(&node->clock)};
    return now;
}

/* ---- opening ---- */

tg_err tg__playing_node_load(tg__playing_node *node, const tg__options *options, tg__cause *cause)
{
    memset(node, 0, sizeof *node);
    node->options = options;
    tg__directory_init(&node->directory);
    tg__source *source = &node->playback.source;
    if (options->tape != NULL) {
        return tg__tape_open(options->tape, options->merge_feeds, &node->directory, &source->tape,
                             cause);
    }
    tg_err err = tg__sim_open(options->seed, &options->sim, &node->directory, &source->sim);
    if (err == TG_OK) {
        err = tg__sim_depth_open(options->seed, &node->depth);
    }
    return err == TG_OK ? TG_OK : tg__cause_set(cause, err, "--sim: %s", tg_err_text(err));
}

static tg_err open_epochs(tg__playing_node *node, const tg__state_dir *state, tg__cause *cause)
{
    uint32_t epoch = 0;
    TG_TRY(tg__epoch_store_open(&node->epochs, state, cause));
    TG_TRY(tg__epoch_store_next(&node->epochs, &epoch, cause));
    /* Ids are given anew at every start: so is the generation, and the epoch is never repeated. */
    node->directory.generation = epoch;
    for (uint32_t id = 0; id < node->directory.count; id++) {
        node->directory.instruments[id].epoch = epoch;
    }
    return TG_OK;
}

static tg_err open_market(tg__playing_node *node, tg__cause *cause)
{
    tg__playback *playback = &node->playback;
    const tg__options *options = node->options;
    playback->sequencer = &node->sequencer;
    playback->epochs = &node->epochs;
    playback->loop = options->loop;
    tg__rebase_init(&playback->rebase, options->speed_milli, options->keep_times);
    tg_err err = tg__directory_seal(&node->directory);
    if (err == TG_OK) {
        err = tg__sequencer_init(&node->sequencer, &node->directory, node->directory.generation,
                                 TIME_RESOLUTION_NS);
    }
    if (err == TG_OK) {
        err = tg__feed_init(&playback->feed, options->feeds, options->skew_min_ns,
                            options->skew_max_ns, tg__prng_mix(options->seed));
    }
    if (playback->source.sim != NULL && options->feeds == 2) {
        playback->feed.late_ppm = TG__SIM_LATE_PPM; /* a tape has its own */
    }
    if (err == TG_OK) {
        err = tg__latest_rows_init(&playback->latest, node->directory.count);
    }
    return err == TG_OK ? TG_OK : tg__cause_set(cause, err, "the market: %s", tg_err_text(err));
}

static tg_err open_journals(tg__playing_node *node, tg__cause *cause)
{
    const tg__options *options = node->options;
    if (options->write_tape != NULL) {
        TG_TRY(tg__tape_writer_open(options->write_tape, &node->directory, &node->playback.writer,
                                    cause));
    }
    if (options->tick_log != NULL) {
        TG_TRY(tg__tick_log_open(options->tick_log, node->epochs.lineage, node->directory.count,
                                 &node->playback.tick_log, cause));
    }
    return TG_OK;
}

static void complain(const char *text)
{
    tg__log("%s", text);
}

static tg_err open_faults(tg__playing_node *node, tg__cause *cause)
{
    const tg__fault_grammar grammar = {tg__fault_verbs, tg__fault_verb_count, &node->directory};
    const char *path = node->options->faults;
    if (path == NULL) {
        return TG_OK;
    }
    TG_TRY(tg__fault_script_open(path, &grammar, complain, &node->faults.script, cause));
    tg__log("%zu faults are planned in %s", tg__fault_script_size(node->faults.script), path);
    return TG_OK;
}

static tg_err open_metrics(tg__playing_node *node, tg__cause *cause)
{
    const tg__options *options = node->options;
    tg__metrics_files *files = NULL;
    if (options->metrics_dir == NULL && options->metrics_host[0] == '\0' &&
        options->record == NULL) {
        return TG_OK;
    }
    if (options->record != NULL) {
        TG_TRY(tg__stage_record_open(options->record, &node->directory, &node->playback.record,
                                     cause));
    }
    if (options->metrics_dir != NULL) {
        TG_TRY(tg__metrics_files_open(options->metrics_dir, &files, cause));
    }
    const tg_err err = tg__metrics_open(&node->clock, node->directory.count, files, &node->metrics);
    if (err != TG_OK) {
        return tg__cause_set(cause, err, "stage histograms: %s", tg_err_text(err));
    }
    node->metrics->record = node->playback.record;
    node->playback.metrics = node->metrics;
    return TG_OK;
}

tg_err tg__playing_node_prepare(tg__playing_node *node, const tg__state_dir *state,
                                tg__stepped_clock *stepped, tg_clock clock, tg__cause *cause)
{
    node->stepped = stepped;
    node->clock = clock;
    TG_TRY(open_epochs(node, state, cause));
    TG_TRY(open_market(node, cause));
    TG_TRY(open_journals(node, cause));
    TG_TRY(open_faults(node, cause));
    return open_metrics(node, cause);
}

static tg_err open_bus(tg__playing_node *node, tg__cause *cause)
{
    const tg__bus_writer_options options = {
        .path = node->options->bus,
        .directory = &node->directory,
        .lineage = node->epochs.lineage,
        .time_resolution_ns = TIME_RESOLUTION_NS,
        .simulated = node->depth != NULL,
        .seed = node->options->seed,
    };
    if (options.path == NULL) {
        return TG_OK;
    }
    TG_TRY(tg__bus_writer_open(&options, &node->bus, cause));
    node->playback.bus = node->bus;
    return TG_OK;
}

static void report(void *ctx, tg__text_buffer *out)
{
    const tg__playing_node *node = ctx;
    tg__metrics_report(&node->view, out);
}

static tg_err open_metrics_http(tg__playing_node *node, const tg__websocket_server *server,
                                tg__cause *cause)
{
    if (node->options->metrics_host[0] == '\0') {
        return TG_OK;
    }
    const tg__metrics_view view = {node->hub,
                                   &node->sequencer,
                                   &node->playback,
                                   node->metrics,
                                   tg__websocket_server_upgrades(server),
                                   tg__websocket_server_tls_counts(server)};
    node->view = view;
    const tg__metrics_http_options options = {.host = node->options->metrics_host,
                                              .port = node->options->metrics_port,
                                              .clock = node->clock,
                                              .report = report,
                                              .ctx = node};
    TG_TRY(tg__metrics_http_open(&options, &node->metrics_http, cause));
    char address[TG__IP_ADDRESS_TEXT_SIZE];
    tg__ip_address_text(options.host, tg__metrics_http_port(node->metrics_http), address);
    tg__log("metrics at http://%s/metrics", address);
    return TG_OK;
}

tg_err tg__playing_node_serve(tg__playing_node *node, const tg__hub_options *hub,
                              tg__websocket_server *server, tg__cause *cause)
{
    tg__hub_options options = *hub;
    options.directory = &node->directory;
    options.lineage = node->epochs.lineage;
    options.time_resolution_ns = TIME_RESOLUTION_NS;
    options.metrics = node->metrics;
    options.depth = node->depth;
    tg__door_serve(options.door, options.directory);
    const tg_err err = tg__hub_open(&options, &node->hub);
    if (err != TG_OK) {
        return tg__cause_set(cause, err, "the hub: %s", tg_err_text(err));
    }
    node->playback.hub = node->hub;
    const tg__fault_targets targets = {node->hub, &node->playback, server, node->stepped,
                                       &node->drain_asked};
    node->faults.targets = targets;
    node->next_boundary_ns = tg_clock_mono_ns(&node->clock) + TG__BOUNDARY_NS;
    TG_TRY(open_bus(node, cause));
    TG_TRY(open_metrics_http(node, server, cause));
    tg__websocket_server_serve(server, node->hub);
    return TG_OK;
}

void tg__playing_node_close(tg__playing_node *node)
{
    tg__metrics_http_close(node->metrics_http);
    tg__hub_close(node->hub);
    tg__sim_depth_close(node->depth);
    tg__bus_writer_close(node->bus);
    tg__metrics_close(node->metrics);
    tg__stage_record_close(node->playback.record);
    tg__tape_writer_close(node->playback.writer);
    tg__tick_log_close(node->playback.tick_log);
    tg__fault_script_close(node->faults.script);
    tg__source_close(&node->playback.source);
    tg__latest_rows_deinit(&node->playback.latest);
    tg__feed_deinit(&node->playback.feed);
    tg__sequencer_deinit(&node->sequencer);
    tg__directory_deinit(&node->directory);
    memset(node, 0, sizeof *node);
}

/* ---- running ---- */

static void log_end_of_tape(const tg__playing_node *node)
{
    tg__log("the tape has ended after %" PRIu64 " rows; still serving", node->playback.rows);
    for (uint32_t i = 0; i < node->directory.venue_count; i++) {
        const tg__venue_counts *counts = &node->sequencer.venues[i];
        tg__log("venue %s: %" PRIu64 " rows admitted, %" PRIu64 " duplicates, %" PRIu64
                " regressions",
                node->directory.venues[i].name, counts->admitted, counts->duplicates,
                counts->regressions);
    }
}

static void cut(tg__playing_node *node, tg__moment now)
{
    tg__playback_boundary(&node->playback, now);
    tg__tick_log_flush(node->playback.tick_log);
    tg__metrics_rotate(node->metrics);
    tg__metrics_http_step(node->metrics_http);
    node->next_boundary_ns += TG__BOUNDARY_NS;
    if (node->next_boundary_ns <= now.mono_ns) {
        node->next_boundary_ns = now.mono_ns + TG__BOUNDARY_NS; /* the machine was away: no burst */
    }
}

tg_err tg__playing_node_step(tg__playing_node *node, tg__cause *cause)
{
    node->plays = !node->options->hold_until_subscribed || node->hub->subscriptions_ever > 0;
    if (node->plays) {
        TG_TRY(tg__playback_run(&node->playback, moment_of(node), ROWS_PER_TURN, cause));
    }
    const tg__moment now = moment_of(node);
    tg__metrics_turn_end(node->metrics, now.mono_ns);
    TG_TRY(tg__fault_runner_run(&node->faults, now.mono_ns, cause));
    if (now.mono_ns >= node->next_boundary_ns) {
        cut(node, now);
    }
    tg__bus_writer_step(node->bus, &node->hub->table, now.mono_ns);
    if (node->playback.ended && !node->ended) {
        node->ended = true;
        log_end_of_tape(node);
    }
    return TG_OK;
}

int64_t tg__playing_node_next_mono_ns(const tg__playing_node *node, tg__moment now)
{
    if (!node->plays) {
        return node->next_boundary_ns;
    }
    int64_t next_ns = tg__playback_next_mono_ns(&node->playback, now);
    /* At full speed rows are always due: sockets are looked at in between, without waiting. */
    if (node->options->speed_milli != 0 && next_ns < now.mono_ns + IDLE_PACE_NS) {
        next_ns = now.mono_ns + IDLE_PACE_NS;
    }
    return next_ns < node->next_boundary_ns ? next_ns : node->next_boundary_ns;
}
