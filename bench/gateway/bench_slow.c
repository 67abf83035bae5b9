/*
 * gateway.slow: some terminals stop reading for a while, as if their machines were suspended. They
 * must get GAP and a snapshot when they read again; the others must not notice. In each run the
 * others' p99 while nobody is slow stands against their p99 from the stop to some seconds after the
 * resumption.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../samples.h"
#include "bench_scene.h"

#define RESUME_LIMIT_MS 3000u
#define LOOK_MS         20u

typedef struct slow_run {
    double before_p99_ms;
    double meanwhile_p99_ms;
    uint64_t slow_gaps;   /* terminals among the slow that saw a GAP */
    uint64_t other_gaps;  /* gaps of all others */
    uint64_t regressions; /* of all */
    uint64_t links_lost;  /* of all: who connects anew has not been served by GAP */
    uint32_t live;        /* slow ones that are live again */
    uint32_t resumed_ms;  /* until all of them had their GAP and were live; 0: not within limit */
} slow_run;

/* Terminals from first on that have had a gap. */
static uint64_t with_gap(const swarm *s, uint32_t first)
{
    uint64_t count = 0;
    for (uint32_t i = first; i < swarm_count(s); i++) {
        swarm_counts one;
        swarm_counts_of(s, i, i + 1, &one);
        count += one.session.gaps > 0;
    }
    return count;
}

static void resume(bench_scene *s, const bench_settings *settings, slow_run *r)
{
    const uint32_t first = settings->terminals - settings->slow;
    swarm_pause(s->swarm, false);
    for (uint32_t waited_ms = LOOK_MS; waited_ms <= RESUME_LIMIT_MS; waited_ms += LOOK_MS) {
        swarm_sleep(s->swarm, LOOK_MS);
        if (r->resumed_ms == 0 && with_gap(s->swarm, first) == settings->slow &&
            swarm_live(s->swarm) == settings->terminals) {
            r->resumed_ms = waited_ms;
        }
    }
}

static double others_p99_ms(bench_scene *s, uint32_t end, time_window window, const tick_log *log)
{
    tick_latency latency;
    latency_summary summary;
    tick_latency_open(&latency);
    for (uint32_t i = 0; i < end; i++) {
        tick_log_join(&latency, &swarm_at(s->swarm, i)->samples, window, log);
    }
    latency_summarise(latency.oldest, &summary);
    tick_latency_close(&latency);
    return summary.p99_ms;
}

static bool run_once(const bench_settings *settings, slow_run *r, why *reason)
{
    const uint32_t others = settings->terminals - settings->slow;
    bench_scene scene;
    tick_log *log = NULL;
    swarm_counts counts;
    memset(r, 0, sizeof *r);
    if (!bench_scene_open(&scene, settings, settings->slow, 3 * settings->pause_s, reason)) {
        return false;
    }
    swarm_measure_begin(scene.swarm);
    time_window before = {bench_utc_ns(), 0};
    swarm_sleep(scene.swarm, settings->pause_s * 1000);
    before.to_ns = bench_utc_ns();
    time_window meanwhile = {before.to_ns, 0};
    swarm_pause(scene.swarm, true);
    swarm_sleep(scene.swarm, settings->pause_s * 1000);
    resume(&scene, settings, r);
    meanwhile.to_ns = bench_utc_ns();
    swarm_measure_end(scene.swarm);
    r->slow_gaps = with_gap(scene.swarm, others);
    r->live = swarm_live(scene.swarm);
    swarm_counts_of(scene.swarm, 0, others, &counts);
    r->other_gaps = counts.session.gaps;
    swarm_counts_of(scene.swarm, 0, settings->terminals, &counts);
    r->regressions = counts.regressions;
    r->links_lost = counts.lost_links;
    const bool good = bench_scene_finish(&scene, &log, reason);
    if (good) {
        r->before_p99_ms = others_p99_ms(&scene, others, before, log);
        r->meanwhile_p99_ms = others_p99_ms(&scene, others, meanwhile, log);
    }
    tick_log_close(log);
    bench_scene_close(&scene);
    return good;
}

static bool judge(const bench_settings *settings, double ratio, const slow_run *sum, bool told)
{
    const uint64_t expected = (uint64_t)settings->slow * settings->runs;
    bool met = bench_judge(told, "the others' p99, meanwhile to before", ratio, ratio < 1.2,
                           "< 1.2, the median");
    met = bench_judge(told, "slow terminals with a GAP", (double)sum->slow_gaps,
                      sum->slow_gaps == expected, "all of them") &&
          met;
    met = bench_judge(told, "gaps of the others", (double)sum->other_gaps, sum->other_gaps == 0,
                      "0") &&
          met;
    return bench_judge(told, "until all were live again, ms", sum->resumed_ms, sum->resumed_ms > 0,
                       "<= 3000 (0: later)") &&
           met;
}

static void print(const bench_settings *settings, double ratio, const slow_run *sum)
{
    if (settings->json) {
        printf("{\"bench\":\"gateway.slow\",\"terminals\":%u,\"slow\":%u,\"pause_s\":%u,"
               "\"runs\":%u,\"others_p99_ratio\":%.3f,\"gaps\":%" PRIu64 ",\"others_gaps\":%" PRIu64
               ",\"client_regressions\":%" PRIu64 ",\"links_lost\":%" PRIu64
               ",\"resumed_ms\":%u,\"met\":%s}\n",
               (unsigned)settings->terminals, (unsigned)settings->slow, (unsigned)settings->pause_s,
               (unsigned)settings->runs, ratio, sum->slow_gaps, sum->other_gaps, sum->regressions,
               sum->links_lost, (unsigned)sum->resumed_ms,
               judge(settings, ratio, sum, false) ? "true" : "false");
        return;
    }
    printf("gateway.slow: %u of %u terminals do not read for %u s, %u runs\n",
           (unsigned)settings->slow, (unsigned)settings->terminals, (unsigned)settings->pause_s,
           (unsigned)settings->runs);
    (void)judge(settings, ratio, sum, true);
}

bool bench_slow(const bench_settings *settings, why *reason)
{
    samples ratios = {.count = 0};
    slow_run sum;
    memset(&sum, 0, sizeof sum);
    bool all_resumed = true;
    for (uint32_t i = 0; i < settings->runs; i++) {
        slow_run r;
        if (!run_once(settings, &r, reason)) {
            return false;
        }
        (void)fprintf(stderr,
                      "slow, run %u: p99 of the others %.3f, then %.3f ms; %" PRIu64
                      " slow with GAP, resumed in %u ms\n",
                      (unsigned)i + 1, r.before_p99_ms, r.meanwhile_p99_ms, r.slow_gaps,
                      (unsigned)r.resumed_ms);
        samples_add(&ratios, r.meanwhile_p99_ms / r.before_p99_ms);
        sum.slow_gaps += r.slow_gaps;
        sum.other_gaps += r.other_gaps;
        sum.regressions += r.regressions;
        sum.links_lost += r.links_lost;
        all_resumed = all_resumed && r.resumed_ms > 0;
        sum.resumed_ms = r.resumed_ms > sum.resumed_ms ? r.resumed_ms : sum.resumed_ms;
    }
    sum.resumed_ms = all_resumed ? sum.resumed_ms : 0;
    print(settings, samples_median(&ratios), &sum);
    return true;
}
