#include "metrics_report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/version.h>

#include "prometheus.h"

#define COUNTER TG__PROMETHEUS_COUNTER
#define GAUGE   TG__PROMETHEUS_GAUGE
#define SUMMARY TG__PROMETHEUS_SUMMARY

static const tg__prometheus_label no_label = {NULL, NULL};

typedef struct figure {
    const char *name;
    tg__prometheus_type type;
    const char *help;
    uint64_t value;
} figure;

static void add_figures(tg__text_buffer *out, const figure *figures, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tg__prometheus_add_head(out, figures[i].name, figures[i].type, figures[i].help);
        tg__prometheus_add_name(out, figures[i].name, "", no_label, no_label);
        tg__prometheus_add_count(out, figures[i].value);
    }
}

/* A new figure of the whole gateway is one line here. */
static void add_gateway(tg__text_buffer *out, const tg__metrics_view *view)
{
    const tg__hub *hub = view->hub;
    const tg__hub_counts *counts = &hub->counts;
    const tg__playback *playback = view->playback;
    const figure figures[] = {
        {"connections", GAUGE, "Open connections.", hub->peer_count},
        {"groups", GAUGE, "Groups of connections with equal sets.", hub->groups.count},
        {"instruments", GAUGE, "Instruments in the dictionary.", hub->options.directory->count},
        {"boundary", GAUGE, "Number of the last boundary.", hub->table.boundary},
        {"packet_bytes", GAUGE, "Bytes that the pool of encoded messages has taken.",
         hub->pool.bytes_taken},
        {"packets", GAUGE, "Encoded messages that wait for a connection.", hub->pool.in_use},
        {"rows_delayed", GAUGE, "Rows on their way through a second handler.",
         playback->feed.count},
        {"subscriptions_total", COUNTER, "Subscriptions that were accepted.",
         hub->subscriptions_ever},
        {"tape_rows_total", COUNTER, "Rows that the source has played.", playback->rows},
        {"tape_rounds_total", COUNTER, "Times that the source was begun.", playback->rounds},
        {"frames_encoded_total", COUNTER, "Frames encoded, once for each group and boundary.",
         counts->frames_encoded},
        {"frames_queued_total", COUNTER, "Frames queued, once for each connection.",
         counts->frames_queued},
        {"frame_bytes_encoded_total", COUNTER, "Bytes of frames encoded.",
         counts->frame_bytes_encoded},
        {"frames_dropped_total", COUNTER, "Frames that a connection did not get.",
         counts->frames_dropped},
        {"ticks_dropped_total", COUNTER, "Lane ticks that those frames covered.",
         counts->ticks_dropped},
        {"frames_refused_total", COUNTER, "Frames sent after a fault broke their chain.",
         counts->frames_refused},
        {"ticks_refused_total", COUNTER, "Lane ticks that those frames covered.",
         counts->ticks_refused},
        {"frames_lost_by_fault_total", COUNTER, "Frames that a fault on request dropped.",
         hub->faults.frames_lost},
        {"ticks_lost_by_fault_total", COUNTER, "Lane ticks that those frames covered.",
         hub->faults.ticks_lost},
        {"frames_corrupted_by_fault_total", COUNTER,
         "Copies of frames that a fault on request spoilt.", hub->faults.frames_corrupted},
        {"ticks_messages_cut_by_fault_total", COUNTER,
         "Messages of the priority channel that a fault on request cut short.",
         hub->faults.ticks_cut},
        {"wrong_boundaries_total", COUNTER, "Frames that a fault on request told a wrong boundary.",
         counts->wrong_boundaries},
        {"limits_sent_total", COUNTER, "Messages that limits are others now.", counts->limits_sent},
        {"venue_states_sent_total", COUNTER, "Messages that a venue is stale or live.",
         counts->venue_states_sent},
        {"handler_rows_dropped_total", COUNTER, "Rows that went with a handler or its full memory.",
         playback->feed.counts.dropped},
        {"handler_rows_lost_by_fault_total", COUNTER, "Rows that a fault kept from a handler.",
         playback->feed.counts.lost},
        {"take_overs_total", COUNTER, "Times that a standby handler took over.",
         playback->feed.counts.take_overs},
        {"epoch_raises_total", COUNTER, "Times that continuity was lost.", playback->raises},
        {"messages_sent_total", COUNTER, "Messages of all kinds.", counts->messages_sent},
        {"message_bytes_sent_total", COUNTER, "Bytes of those messages.", counts->bytes_sent},
        {"audits_total", COUNTER, "Times that the index of subscriptions was recomputed.",
         counts->audits},
        {"audit_differences_total", COUNTER, "Places where it was wrong.",
         counts->audit_differences},
        {"gaps_total", COUNTER, "Times that frames were dropped for a connection.", counts->gaps},
        {"snapshots_queued_total", COUNTER, "Snapshots for a join, a change of set or a resync.",
         counts->snapshots_queued},
        {"gap_snapshots_sent_total", COUNTER, "Snapshots that restated after a gap.",
         counts->gap_snapshots_sent},
        {"snapshot_rows_encoded_total", COUNTER, "Snapshot rows encoded, once for each version.",
         hub->table.rows_encoded},
        {"snapshot_rows_reused_total", COUNTER, "Snapshot rows taken from an earlier encoding.",
         hub->table.rows_reused},
        {"ticks_messages_sent_total", COUNTER, "Messages of the priority channel.",
         counts->ticks_messages_sent},
        {"books_sent_total", COUNTER, "Ticks of that channel that brought depth.",
         counts->books_sent},
        {"unknown_messages_total", COUNTER, "Messages of clients of a kind that is not known.",
         counts->unknown_messages},
        {"bad_messages_total", COUNTER, "Messages of clients that were refused.",
         counts->bad_messages},
        {"client_reports_taken_total", COUNTER, "Reports of clients that went into client stages.",
         counts->reports[TG__REPORT_TAKEN]},
    };
    add_figures(out, figures, sizeof figures / sizeof figures[0]);
}

/* A new figure of each venue is one line here and a member of tg__venue_counts. */
static void add_venues(tg__text_buffer *out, const tg__metrics_view *view)
{
#define OF(member) offsetof(tg__venue_counts, member)
    static const struct {
        const char *name;
        const char *help;
        size_t offset;
    } figures[] = {
        {"rows_admitted_total", "Rows that a lane admitted.", OF(admitted)},
        {"rows_duplicate_total", "Rows that a lane had already.", OF(duplicates)},
        {"rows_regression_total", "Rows older than what a lane has.", OF(regressions)},
        {"rows_missed_total", "Rows that no lane took: the sequencer was away, or a queue full.",
         OF(missed)},
    };
#undef OF
    const tg__directory *directory = view->sequencer->directory;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        tg__prometheus_add_head(out, figures[i].name, COUNTER, figures[i].help);
        for (uint32_t venue = 0; venue < directory->venue_count; venue++) {
            const char *counts = (const char *)&view->sequencer->venues[venue];
            const tg__prometheus_label label = {"venue", directory->venues[venue].name};
            uint64_t value;
            memcpy(&value, counts + figures[i].offset, sizeof value);
            tg__prometheus_add_name(out, figures[i].name, "", label, no_label);
            tg__prometheus_add_count(out, value);
        }
    }
}

static void add_stale_venues(tg__text_buffer *out, const tg__metrics_view *view)
{
    static const char now[] = "venue_stale";
    static const char times[] = "venue_stale_total";
    const tg__directory *directory = view->sequencer->directory;
    tg__prometheus_add_head(out, now, GAUGE, "1: clients are told that the venue is stale.");
    for (uint32_t venue = 0; venue < directory->venue_count; venue++) {
        const tg__prometheus_label label = {"venue", directory->venues[venue].name};
        tg__prometheus_add_name(out, now, "", label, no_label);
        tg__prometheus_add_count(out, view->hub->stale_since[venue] != 0);
    }
    tg__prometheus_add_head(out, times, COUNTER, "Times that the venue became stale.");
    for (uint32_t venue = 0; venue < directory->venue_count; venue++) {
        const tg__prometheus_label label = {"venue", directory->venues[venue].name};
        tg__prometheus_add_name(out, times, "", label, no_label);
        tg__prometheus_add_count(out, view->playback->watch.times_stale[venue]);
    }
}

/* Who came in by what: the hit rate of tokens, and of session tickets. */
static void add_door(tg__text_buffer *out, const tg__metrics_view *view)
{
    static const char refused[] = "tokens_refused_total";
    const tg__door_counts *door = tg__door_counts_of(view->hub->options.door);
    const figure figures[] = {
        {"token_hits_total", COUNTER, "Tokens that were verified before.", door->hits},
        {"token_misses_total", COUNTER, "Tokens that had to be verified.", door->misses},
        {"token_false_hits_total", COUNTER, "Tokens that were found false before.",
         door->negative_hits},
        {"tokens_verified_total", COUNTER, "Signatures verified, with either outcome.",
         door->verified},
        {"certificates_total", COUNTER, "Certificates loaded.", view->tls->certificates},
        {"tickets_given_total", COUNTER, "TLS session tickets given.", view->tls->tickets_given},
        {"tickets_taken_total", COUNTER, "TLS sessions resumed.", view->tls->tickets_taken},
        {"tickets_refused_total", COUNTER, "Tickets that a full handshake followed.",
         view->tls->tickets_refused},
    };
    add_figures(out, figures, sizeof figures / sizeof figures[0]);
    tg__prometheus_add_head(out, refused, COUNTER, "Tokens that were refused, by cause.");
    for (unsigned i = TG__TOKEN_ADMITTED + 1; i < TG__TOKEN_VERDICT_COUNT; i++) {
        const tg__prometheus_label label = {"cause", tg__token_verdict_text((tg__token_verdict)i)};
        tg__prometheus_add_name(out, refused, "", label, no_label);
        tg__prometheus_add_count(out, door->refused[i]);
    }
}

static void add_bus(tg__text_buffer *out, const tg__bus_writer *bus)
{
    if (bus == NULL) {
        return;
    }
    const tg__bus_writer_counts *counts = tg__bus_writer_counts_of(bus);
    const figure figures[] = {
        {"bus_nodes_accepted_total", COUNTER, "Nodes that joined the bus.", counts->accepted},
        {"bus_nodes_refused_total", COUNTER, "Nodes that there was no room for.", counts->refused},
        {"bus_nodes_lost_total", COUNTER, "Nodes that went by themselves.", counts->lost},
        {"bus_nodes_dropped_total", COUNTER, "Nodes that did not keep up.", counts->dropped},
        {"bus_cuts_total", COUNTER, "Boundaries that the bus was told.", counts->cuts},
        {"bus_bytes_total", COUNTER, "Bytes for the bus, encoded once for all nodes.",
         counts->bytes},
    };
    add_figures(out, figures, sizeof figures / sizeof figures[0]);
}

static void add_refused_reports(tg__text_buffer *out, const tg__hub_counts *counts)
{
    static const char name[] = "client_reports_refused_total";
    tg__prometheus_add_head(out, name, COUNTER, "Reports of clients that were not, by cause.");
    for (unsigned i = TG__REPORT_TAKEN + 1; i < TG__REPORT_VERDICT_COUNT; i++) {
        const tg__prometheus_label label = {"cause",
                                            tg__report_verdict_text((tg__report_verdict)i)};
        tg__prometheus_add_name(out, name, "", label, no_label);
        tg__prometheus_add_count(out, counts->reports[i]);
    }
}

static void add_ends(tg__text_buffer *out, const tg__hub_counts *counts)
{
    static const char name[] = "connections_ended_total";
    tg__prometheus_add_head(out, name, COUNTER, "Connections that ended, by reason.");
    for (unsigned i = 0; i < TG__END_REASONS; i++) {
        const tg__prometheus_label label = {"reason", tg__end_reason_text((tg__end_reason)i)};
        tg__prometheus_add_name(out, name, "", label, no_label);
        tg__prometheus_add_count(out, counts->ends[i]);
    }
}

static void add_upgrades(tg__text_buffer *out, const tg__upgrade_counts *upgrades)
{
    static const char name[] = "upgrades_refused_total";
    const figure accepted[] = {
        {"upgrades_accepted_total", COUNTER, "Upgrades that were accepted.", upgrades->accepted}};
    add_figures(out, accepted, 1);
    tg__prometheus_add_head(out, name, COUNTER, "Upgrades that were refused, by HTTP status.");
    for (unsigned i = 0; i < TG__UPGRADE_STATUSES; i++) {
        char status[16];
        (void)snprintf(status, sizeof status, "%u", tg__upgrade_statuses[i]);
        const tg__prometheus_label label = {"status",
                                            tg__upgrade_statuses[i] == 0 ? "other" : status};
        tg__prometheus_add_name(out, name, "", label, no_label);
        tg__prometheus_add_count(out, upgrades->refused[i]);
    }
}

static void add_quantile(tg__text_buffer *out, tg__stage stage, const char *quantile, bool known,
                         int64_t value_ns)
{
    const tg__prometheus_label of_stage = {"stage", tg__stage_names[stage]};
    const tg__prometheus_label of_quantile = {"quantile", quantile};
    tg__prometheus_add_name(out, "stage_seconds", "", of_stage, of_quantile);
    if (known) {
        tg__prometheus_add_ns(out, (uint64_t)value_ns);
    } else {
        tg__prometheus_add_nan(out);
    }
}

static void add_stages(tg__text_buffer *out, const tg__metrics *metrics)
{
    static const char name[] = "stage_seconds";
    tg__prometheus_add_head(
        out, name, SUMMARY,
        "Time in each stage, client_* as clients report it; quantiles of the last "
        "whole 10 s.");
    for (unsigned i = 0; i < TG__STAGE_COUNT; i++) {
        const tg__stage stage = (tg__stage)i;
        const tg__stage_quantiles *quantiles = &metrics->quantiles[stage];
        const tg__prometheus_label of_stage = {"stage", tg__stage_names[stage]};
        add_quantile(out, stage, "0.5", quantiles->known, quantiles->p50_ns);
        add_quantile(out, stage, "0.99", quantiles->known, quantiles->p99_ns);
        add_quantile(out, stage, "0.999", quantiles->known, quantiles->p999_ns);
        tg__prometheus_add_name(out, name, "_sum", of_stage, no_label);
        tg__prometheus_add_ns(out, metrics->totals[stage].sum_ns);
        tg__prometheus_add_name(out, name, "_count", of_stage, no_label);
        tg__prometheus_add_count(out, metrics->totals[stage].count);
    }
}

void tg__metrics_report(const tg__metrics_view *view, tg__text_buffer *out)
{
    static const char build[] = "build_info";
    tg__prometheus_add_head(out, build, GAUGE, "1; the labels tell what was built.");
    tg__prometheus_add_name(out, build, "", (tg__prometheus_label){"version", TG_VERSION_STRING},
                            (tg__prometheus_label){"protocol", TG__SUBPROTOCOL});
    tg__prometheus_add_count(out, 1);
    add_gateway(out, view);
    add_venues(out, view);
    add_stale_venues(out, view);
    add_door(out, view);
    add_bus(out, view->playback->bus);
    add_refused_reports(out, &view->hub->counts);
    add_ends(out, &view->hub->counts);
    add_upgrades(out, view->upgrades);
    add_stages(out, view->metrics);
}
