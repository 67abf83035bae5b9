/*
 * gateway.tier: terminals of a tier at the market's full rate. Latency is tick-to-admit: from the
 * scheduled time of the oldest tick that a row covers to the row's publication in the terminal's
 * store.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "bench_scene.h"
#include "metrics_page.h"
#include "usage.h"

#define MEMORY_AFTER_S 10u

typedef struct gateway_sums {
    bool known;
    double encoded;
    double sent;
} gateway_sums;

typedef struct tier {
    double seconds;
    swarm_frames frames;
    swarm_counts before;
    swarm_counts counts;
    gateway_sums first;
    gateway_sums last;
    usage gateway_first;
    usage gateway_at_10s;
    usage gateway_last;
    usage swarm_first;
    usage swarm_last;
    latency_summary oldest;
    latency_summary newest;
    uint64_t unmatched;
    double ticks_per_s;
} tier;

/* What was sent to all, from a gateway that counts it, or what was queued and not dropped again. */
static bool sent_of(const char *page, double *sent)
{
    double dropped = 0;
    if (metrics_page_sum(page, "tickglass_gateway_frames_sent_total", sent)) {
        return true;
    }
    const bool known = metrics_page_sum(page, "tickglass_gateway_frames_queued_total", sent) &&
                       metrics_page_sum(page, "tickglass_gateway_frames_dropped_total", &dropped);
    *sent -= dropped;
    return known;
}

static gateway_sums sums_of(const gateway_child *g)
{
    static char page[METRICS_PAGE_SIZE];
    gateway_sums sums = {false, 0, 0};
    why reason;
    if (g->metrics_port != 0 && !metrics_page_get(g->metrics_port, page, sizeof page, &reason)) {
        (void)fprintf(stderr, "bench_gateway: %s\n", reason.text);
    } else if (g->metrics_port != 0) {
        sums.known =
            metrics_page_sum(page, "tickglass_gateway_frames_encoded_total", &sums.encoded) &&
            sent_of(page, &sums.sent);
    }
    return sums;
}

static void measure(bench_scene *s, const bench_settings *settings, tier *t)
{
    const pid_t gateway = s->gateway.process.pid;
    const uint32_t first_s =
        settings->seconds > MEMORY_AFTER_S ? MEMORY_AFTER_S : settings->seconds / 2;
    swarm_counts_of(s->swarm, 0, settings->terminals, &t->before);
    t->first = sums_of(&s->gateway);
    (void)usage_of(gateway, &t->gateway_first);
    (void)usage_of(getpid(), &t->swarm_first);
    swarm_measure_begin(s->swarm);
    swarm_sleep(s->swarm, first_s * 1000);
    (void)usage_of(gateway, &t->gateway_at_10s);
    swarm_sleep(s->swarm, (settings->seconds - first_s) * 1000);
    swarm_measure_end(s->swarm);
    (void)usage_of(gateway, &t->gateway_last);
    (void)usage_of(getpid(), &t->swarm_last);
    t->last = sums_of(&s->gateway);
    t->seconds = swarm_measured_s(s->swarm);
    swarm_frames_of(s->swarm, 0, settings->terminals, &t->frames);
    swarm_counts_of(s->swarm, 0, settings->terminals, &t->counts);
}

static bool join(bench_scene *s, tier *t, why *reason)
{
    tick_log *log = NULL;
    tick_latency latency;
    if (!bench_scene_finish(s, &log, reason)) {
        return false;
    }
    tick_latency_open(&latency);
    for (uint32_t i = 0; i < swarm_count(s->swarm); i++) {
        tick_log_join(&latency, &swarm_at(s->swarm, i)->samples, TIME_WINDOW_ALL, log);
    }
    latency_summarise(latency.oldest, &t->oldest);
    latency_summarise(latency.newest, &t->newest);
    t->unmatched = latency.unmatched;
    t->ticks_per_s = tick_log_rate(log);
    tick_latency_close(&latency);
    tick_log_close(log);
    swarm_counts counts;
    swarm_counts_of(s->swarm, 0, swarm_count(s->swarm), &counts);
    return counts.samples_left_out == 0 ||
           why_say(reason, "%" PRIu64 " rows found no room in the samples",
                   counts.samples_left_out);
}

static double encodes_per_s(const tier *t)
{
    return (t->last.encoded - t->first.encoded) / t->seconds;
}

static double sends_per_s(const tier *t)
{
    return (t->last.sent - t->first.sent) / t->seconds;
}

static bool judge(const tier *t, bool told)
{
    const uint64_t gaps = t->counts.session.gaps - t->before.session.gaps;
    bool met = bench_judge(told, "frames/s of the worst terminal", t->frames.least_per_s,
                           t->frames.least_per_s >= 24.5, ">= 24.5");
    met = bench_judge(told, "oldest tick to admitted, p99, ms", t->oldest.p99_ms,
                      t->oldest.p99_ms <= 45, "<= 45") &&
          met;
    met = bench_judge(told, "gaps", (double)gaps, gaps == 0, "0") && met;
    met = bench_judge(told, "regressions shown", (double)t->counts.regressions,
                      t->counts.regressions == 0, "0") &&
          met;
    return bench_judge(told, "memory of the gateway, end to 10 s",
                       t->gateway_last.rss_mib / t->gateway_at_10s.rss_mib,
                       t->gateway_last.rss_mib <= t->gateway_at_10s.rss_mib * 1.05, "<= 1.05") &&
           met;
}

static void print_json(const bench_settings *settings, const tier *t)
{
    printf("{\"bench\":\"gateway.tier\",\"terminals\":%u,\"lists\":%u,\"seconds\":%.1f,"
           "\"ticks_per_s\":%.0f,\"frames_per_s\":%.2f,\"frames_per_s_median\":%.2f,"
           "\"received_per_s\":%.0f",
           (unsigned)settings->terminals, (unsigned)settings->lists, t->seconds, t->ticks_per_s,
           t->frames.least_per_s, t->frames.median_per_s, t->frames.all_per_s);
    if (t->first.known && t->last.known) {
        printf(",\"encodes_per_s\":%.0f,\"sends_per_s\":%.0f", encodes_per_s(t), sends_per_s(t));
    } else {
        printf(",\"encodes_per_s\":null,\"sends_per_s\":null");
    }
    printf(",\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"p999_ms\":%.3f,\"max_ms\":%.3f,"
           "\"newest_p50_ms\":%.3f,\"newest_p99_ms\":%.3f,\"newest_p999_ms\":%.3f",
           t->oldest.p50_ms, t->oldest.p99_ms, t->oldest.p999_ms, t->oldest.max_ms,
           t->newest.p50_ms, t->newest.p99_ms, t->newest.p999_ms);
    printf(",\"rows\":%" PRIu64 ",\"unmatched\":%" PRIu64 ",\"gaps\":%" PRIu64
           ",\"resyncs\":%" PRIu64 ",\"links_lost\":%" PRIu64 ",\"client_regressions\":%" PRIu64
           ",\"client_rejects\":%" PRIu64,
           t->oldest.count, t->unmatched, t->counts.session.gaps - t->before.session.gaps,
           t->counts.session.resyncs - t->before.session.resyncs,
           t->counts.lost_links - t->before.lost_links, t->counts.regressions,
           t->counts.store.rejected_regression + t->counts.store.rejected_epoch +
               t->counts.session.frames_rejected);
    printf(",\"gateway_cpu_s\":%.2f,\"gateway_wait_s\":%.2f,\"swarm_cpu_s\":%.2f,\"swarm_wait_s\":%"
           ".2f,\"gateway_rss_10s_mib\":%.1f,"
           "\"gateway_rss_end_mib\":%.1f,\"swarm_rss_mib\":%.1f,\"met\":%s}\n",
           t->gateway_last.cpu_s - t->gateway_first.cpu_s,
           t->gateway_last.wait_s - t->gateway_first.wait_s,
           t->swarm_last.cpu_s - t->swarm_first.cpu_s, t->swarm_last.wait_s - t->swarm_first.wait_s,
           t->gateway_at_10s.rss_mib, t->gateway_last.rss_mib, t->swarm_last.rss_mib,
           judge(t, false) ? "true" : "false");
}

static void print_text(const bench_settings *settings, const tier *t)
{
    printf("gateway.tier: %u terminals, %u watchlists, %.0f ticks/s, %.1f s\n",
           (unsigned)settings->terminals, (unsigned)settings->lists, t->ticks_per_s, t->seconds);
    (void)judge(t, true);
    printf("  oldest p50 %.3f p99.9 %.3f max %.3f ms; newest p50 %.3f p99 %.3f ms; %" PRIu64
           " rows\n",
           t->oldest.p50_ms, t->oldest.p999_ms, t->oldest.max_ms, t->newest.p50_ms,
           t->newest.p99_ms, t->oldest.count);
    if (t->first.known && t->last.known) {
        printf("  %.0f frames/s encoded, %.0f sent, %.0f received\n", encodes_per_s(t),
               sends_per_s(t), t->frames.all_per_s);
    } else {
        printf("  %.0f frames/s received; this gateway tells no encodes and sends\n",
               t->frames.all_per_s);
    }
    printf("  waited for a core: gateway %.2f s, swarm %.2f s\n",
           t->gateway_last.wait_s - t->gateway_first.wait_s,
           t->swarm_last.wait_s - t->swarm_first.wait_s);
    printf("  CPU: gateway %.2f s, swarm %.2f s; memory: gateway %.1f, swarm %.1f MiB\n",
           t->gateway_last.cpu_s - t->gateway_first.cpu_s,
           t->swarm_last.cpu_s - t->swarm_first.cpu_s, t->gateway_last.rss_mib,
           t->swarm_last.rss_mib);
}

bool bench_tier(const bench_settings *settings, why *reason)
{
    bench_scene scene;
    tier t;
    if (!bench_scene_open(&scene, settings, 0, settings->seconds, reason)) {
        return false;
    }
    measure(&scene, settings, &t);
    const bool good = join(&scene, &t, reason);
    if (good && settings->json) {
        print_json(settings, &t);
    } else if (good) {
        print_text(settings, &t);
    }
    bench_scene_close(&scene);
    return good;
}
