#include "swarm_report.h"

#include <inttypes.h>

typedef struct counter {
    const char *name;
    uint64_t value;
} counter;

#define COUNTERS 30u

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
        {"publications_seen", c->publications},
        {"rows_seen", c->rows},
        {"first_rows_seen", c->first_rows},
        {"regressions_seen", c->regressions},
        {"restarts_seen", c->restarts},
        {"faults", c->faults},
        {"subscriptions_refused", c->refused},
        {"links_lost", c->lost_links},
    };
    for (size_t i = 0; i < COUNTERS; i++) {
        out[i] = all[i];
    }
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
    counters_of(r, counters);
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
    (void)fprintf(to, "%-28s %.3f ms\n", "largest latest RTT",
                  (double)r->counts.session.rtt_ns / 1e6);
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
    counters_of(r, counters);
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
    (void)fprintf(to,
                  ",\"samples_left_out\":%" PRIu64 ",\"rtt_ns\":%" PRId64
                  ",\"cpu_s\":%.3f,\"rss_mib\":%.1f}\n",
                  r->counts.samples_left_out, r->counts.session.rtt_ns, r->used.cpu_s,
                  r->used.rss_mib);
}
