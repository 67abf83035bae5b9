#include "swarm_report.h"

#include <inttypes.h>

typedef struct counter {
    const char *name;
    uint64_t value;
} counter;

#define COUNTERS 76u

/* Every counter under its own name: those of the client, of the store, of the swarm's own check. */
static void counters_of(const swarm_report *r, counter out[COUNTERS])
{
    const tg_client_counters *const s = &r->counts.session;
    const tg_store_counters *const st = &r->counts.store;
    const swarm_counts *const c = &r->counts;
    const counter all[COUNTERS] = {
        {"bytes", s->bytes},
        {"messages", s->messages},
        {"frames", s->frames},
        {"frames_rejected", s->frames_rejected},
        {"frames_unfit", s->frames_unfit},
        {"unknown_messages", s->unknown_messages},
        {"gaps", s->gaps},
        {"resyncs", s->resyncs},
        {"connects", s->connects},
        {"attempts", s->attempts},
        {"reconnects", s->reconnects},
        {"events_dropped", s->events_dropped},
        {"token_requests", s->token_requests},
        {"tokens_renewed", s->tokens_renewed},
        {"tokens_refused", s->tokens_refused},
        {"priority_rows", s->priority_rows},
        {"priority_held", s->priority_held},
        {"books_refused", s->books_refused},
        {"unknown_rows", s->unknown_rows},
        {"late_inputs", s->late_inputs},
        {"state_errors", s->state_errors},
        {"set_mismatches", s->set_mismatches},
        {"endpoint", s->endpoint},
        {"failovers", s->failovers},
        {"sleeps", s->sleeps},
        {"clock_steps", s->clock_steps},
        {"frames_late", s->frames_late},
        {"audits", s->audits},
        {"audits_failed", s->audits_failed},
        {"reports_sent", s->reports_sent},
        {"reports_failed", s->reports_failed},
        {"ended_resolve", s->ended_resolve},
        {"ended_connect", s->ended_connect},
        {"ended_tls", s->ended_tls},
        {"ended_certificate", s->ended_certificate},
        {"ended_http", s->ended_http},
        {"ended_upgrade", s->ended_upgrade},
        {"ended_proxy", s->ended_proxy},
        {"ended_token", s->ended_token},
        {"ended_close", s->ended_close},
        {"ended_lost", s->ended_lost},
        {"ended_timeout", s->ended_timeout},
        {"ended_fault", s->ended_fault},
        {"link_timeouts", s->link_timeouts},
        {"data_timeouts", s->data_timeouts},
        {"delays_told", s->delays_told},
        {"stops", s->stops},
        {"wanted", s->wanted},
        {"held", s->held},
        {"reconnect_spread_ms", s->reconnect_spread_ms},
        {"admitted", st->admitted},
        {"covered_ticks", st->covered_ticks},
        {"confirmed", st->confirmed},
        {"rejected_regression", st->rejected_regression},
        {"rejected_epoch", st->rejected_epoch},
        {"integrity_faults", st->integrity_faults},
        {"views_published", st->views_published},
        {"history_restarts", st->history_restarts},
        {"depth_admitted", st->depth_admitted},
        {"depth_refused", st->depth_refused},
        {"lane_ticks", st->lane_ticks},
        {"received", st->received},
        {"conflated", st->conflated},
        {"lost", st->lost},
        {"superseded", st->superseded},
        {"repeated", st->repeated},
        {"transitions", st->transitions},
        {"publications_seen", c->publications},
        {"rows_seen", c->rows},
        {"first_rows_seen", c->first_rows},
        {"regressions_seen", c->regressions},
        {"restarts_seen", c->restarts},
        {"faults", c->faults},
        {"subscriptions_refused", c->refused},
        {"links_lost", c->lost_links},
        {"samples_left_out", c->samples_left_out},
    };
    for (size_t i = 0; i < COUNTERS; i++) {
        out[i] = all[i];
    }
}

typedef struct time_fact {
    const char *name;
    int64_t value_ns;
} time_fact;

#define TIME_FACTS 6u

/* What the client tells beside its counts; how the clients' are put together: swarm_client.h. */
static void times_of(const swarm_report *r, time_fact out[TIME_FACTS])
{
    const tg_client_counters *const s = &r->counts.session;
    out[0] = (time_fact){"rtt_ns", s->rtt_ns};
    out[1] = (time_fact){"rtt_mono_ns", s->rtt_mono_ns};
    out[2] = (time_fact){"ts_gateway_ns", s->ts_gateway_ns};
    out[3] = (time_fact){"lateness_ns", s->lateness_ns};
    out[4] = (time_fact){"dialled_mono_ns", s->dialled_mono_ns};
    out[5] = (time_fact){"requested_mono_ns", s->requested_mono_ns};
}

static void latency_text(const char *what, const latency_summary *l, FILE *to)
{
    (void)fprintf(to,
                  "%-28s p50 %.3f  p99 %.3f  p99.9 %.3f  max %.3f ms; %" PRIu64 " rows, %" PRIu64
                  " negative, %" PRIu64 " over a minute\n",
                  what, l->p50_ms, l->p99_ms, l->p999_ms, l->max_ms, l->count, l->negative,
                  l->over);
}

void swarm_report_text(const swarm_report *r, FILE *to)
{
    counter counters[COUNTERS];
    time_fact times[TIME_FACTS];
    counters_of(r, counters);
    times_of(r, times);
    (void)fprintf(to, "%u clients, %u live at the end, measured for %.1f s\n", (unsigned)r->clients,
                  (unsigned)r->live, r->seconds);
    (void)fprintf(to, "%-28s least %.2f  median %.2f  all together %.0f\n", "frames/s of a client",
                  r->frames.least_per_s, r->frames.median_per_s, r->frames.all_per_s);
    latency_text("newest tick to admitted", &r->newest, to);
    if (r->oldest.count > 0 || r->unmatched > 0) {
        latency_text("oldest tick to admitted", &r->oldest, to);
        (void)fprintf(to, "%-28s %" PRIu64 "\n", "rows not in the tick log", r->unmatched);
    } else {
        (void)fprintf(to, "%-28s not known without --tick-log\n", "oldest tick to admitted");
    }
    for (size_t i = 0; i < COUNTERS; i++) {
        (void)fprintf(to, "%-28s %" PRIu64 "\n", counters[i].name, counters[i].value);
    }
    for (size_t i = 0; i < TIME_FACTS; i++) {
        (void)fprintf(to, "%-28s %" PRId64 "\n", times[i].name, times[i].value_ns);
    }
    (void)fprintf(to, "%-28s %.2f s CPU, %.1f MiB\n", "the swarm itself", r->used.cpu_s,
                  r->used.rss_mib);
}

static void latency_json(const char *prefix, const latency_summary *l, FILE *to)
{
    (void)fprintf(to,
                  ",\"%s_p50_ms\":%.3f,\"%s_p99_ms\":%.3f,\"%s_p999_ms\":%.3f,\"%s_max_ms\":%.3f,"
                  "\"%s_rows\":%" PRIu64 ",\"%s_negative\":%" PRIu64,
                  prefix, l->p50_ms, prefix, l->p99_ms, prefix, l->p999_ms, prefix, l->max_ms,
                  prefix, l->count, prefix, l->negative);
}

void swarm_report_json(const swarm_report *r, FILE *to)
{
    counter counters[COUNTERS];
    time_fact times[TIME_FACTS];
    counters_of(r, counters);
    times_of(r, times);
    (void)fprintf(to,
                  "{\"clients\":%u,\"live\":%u,\"seconds\":%.3f,\"frames_per_s_least\":%.3f,"
                  "\"frames_per_s_median\":%.3f,\"frames_per_s_all\":%.1f",
                  (unsigned)r->clients, (unsigned)r->live, r->seconds, r->frames.least_per_s,
                  r->frames.median_per_s, r->frames.all_per_s);
    latency_json("newest", &r->newest, to);
    if (r->oldest.count > 0 || r->unmatched > 0) {
        latency_json("oldest", &r->oldest, to);
        (void)fprintf(to, ",\"unmatched\":%" PRIu64, r->unmatched);
    }
    for (size_t i = 0; i < COUNTERS; i++) {
        (void)fprintf(to, ",\"%s\":%" PRIu64, counters[i].name, counters[i].value);
    }
    for (size_t i = 0; i < TIME_FACTS; i++) {
        (void)fprintf(to, ",\"%s\":%" PRId64, times[i].name, times[i].value_ns);
    }
    (void)fprintf(to, ",\"cpu_s\":%.3f,\"rss_mib\":%.1f}\n", r->used.cpu_s, r->used.rss_mib);
}
