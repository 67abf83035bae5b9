/*
 * bench_storm [--json] [--clients N] [--outage-ms N] [--seed N] [--silent]: a fleet of engines on
 * virtual time when the gateway dies and returns (for long, for long behind a balancer, for a
 * moment), hangs, gets another dictionary, loses or holds back frames, and when it is drained.
 * --silent: its machine dies with it, and nothing answers. Attempts count from the gateway's return
 * (the first step of the drain) until all are live. With --json only lines of JSON go to standard
 * output. Exit code 1: a bound does not hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storm.h"

#define DRAINED   4200u
#define OUTAGE_MS 30000u
#define BLIP_MS   200u  /* a restart */
#define PAUSE_MS  6000u /* a second over what a link may be silent */
#define STALL_MS  6500u
#define PEAK_MAX  3.0

static void print_row(bool json, const char *bench, uint32_t clients, const storm_result *r)
{
    if (json) {
        (void)printf("{\"bench\":\"%s\",\"clients\":%u,\"peak_attempts_100ms_over_mean\":%.2f,"
                     "\"early_connects\":%u,\"not_live\":%u,\"seconds_to_all_live\":%.2f,"
                     "\"limit_seconds\":%.2f,\"attempts\":%llu,\"admissions\":%llu,"
                     "\"refusals\":%llu}\n",
                     bench, (unsigned)clients, r->peak_over_mean, (unsigned)r->early_connects,
                     (unsigned)r->not_live, r->seconds, r->limit_seconds,
                     (unsigned long long)r->attempts, (unsigned long long)r->admissions,
                     (unsigned long long)r->refusals);
        return;
    }
    (void)printf("%-16s %6u clients: peak of 100 ms %.2f x mean, %u early, %u not live, all live "
                 "after %.2f s of %.2f; %llu attempts, %llu admitted, %llu refused\n",
                 bench, (unsigned)clients, r->peak_over_mean, (unsigned)r->early_connects,
                 (unsigned)r->not_live, r->seconds, r->limit_seconds,
                 (unsigned long long)r->attempts, (unsigned long long)r->admissions,
                 (unsigned long long)r->refusals);
}

static void print_drain(bool json, uint32_t clients, const storm_result *r)
{
    if (json) {
        (void)printf("{\"bench\":\"storm.drain\",\"clients\":%u,\"seconds\":%.2f,"
                     "\"peak_attempts_100ms_over_mean\":%.2f,\"early_connects\":%u,"
                     "\"not_live\":%u,\"refusals\":%llu}\n",
                     (unsigned)clients, r->seconds, r->peak_over_mean, (unsigned)r->early_connects,
                     (unsigned)r->not_live, (unsigned long long)r->refusals);
    } else {
        print_row(false, "storm.drain", clients, r);
    }
}

/* Images that were asked for: of a boundary that was lost for all, of a channel that was silent. */
static void print_resyncs(bool json, const char *cause, uint32_t clients, const storm_result *r)
{
    if (json) {
        (void)printf("{\"bench\":\"storm.resync\",\"cause\":\"%s\",\"clients\":%u,"
                     "\"resyncs\":%llu,\"peak_resyncs_100ms\":%u,"
                     "\"peak_resyncs_100ms_over_mean\":%.2f,\"reconnects\":%llu,"
                     "\"not_live\":%u,\"seconds_to_all_live\":%.2f}\n",
                     cause, (unsigned)clients, (unsigned long long)r->resyncs,
                     (unsigned)r->peak_resyncs_100ms, r->resync_peak_over_mean,
                     (unsigned long long)r->attempts, (unsigned)r->not_live, r->seconds);
        return;
    }
    (void)printf("storm.resync     %6u clients: %s: %llu asked, at most %u in 100 ms, %.2f x mean, "
                 "%llu reconnects, %u not live, all live after %.2f s\n",
                 (unsigned)clients, cause, (unsigned long long)r->resyncs,
                 (unsigned)r->peak_resyncs_100ms, r->resync_peak_over_mean,
                 (unsigned long long)r->attempts, (unsigned)r->not_live, r->seconds);
}

static bool holds(const storm_result *r)
{
    return r->peak_over_mean <= PEAK_MAX && r->early_connects == 0 && r->not_live == 0 &&
           r->seconds <= r->limit_seconds;
}

static bool has_calm_resyncs(uint32_t clients, const storm_result *r)
{
    return r->resyncs >= clients && r->resync_peak_over_mean <= PEAK_MAX && r->attempts == 0 &&
           r->not_live == 0;
}

/* Each row is printed whether it holds or not. */
static bool run_all(const storm_options *options, uint32_t outage_ms, bool json)
{
    const uint32_t clients = options->clients;
    bool good = true;
    storm_result r;
    storm_outage(options, outage_ms, &r);
    print_row(json, "storm.outage", clients, &r);
    good = holds(&r) && good;

    storm_options balanced = *options;
    balanced.hangs_up = true;
    storm_outage(&balanced, outage_ms, &r);
    print_row(json, "storm.balancer", clients, &r);
    good = holds(&r) && good;

    storm_outage(options, BLIP_MS, &r);
    print_row(json, "storm.blip", clients, &r);
    good = holds(&r) && good;

    storm_pause(options, PAUSE_MS, &r);
    print_row(json, "storm.pause", clients, &r);
    good = holds(&r) && good;

    storm_generation(options, &r);
    print_row(json, "storm.generation", clients, &r);
    good = holds(&r) && good;

    storm_gap(options, &r);
    print_resyncs(json, "gap", clients, &r);
    good = has_calm_resyncs(clients, &r) && good;

    storm_stall(options, STALL_MS, &r);
    print_resyncs(json, "stall", clients, &r);
    good = has_calm_resyncs(clients, &r) && good;

    storm_options drained = *options;
    drained.clients = DRAINED;
    storm_drain(&drained, &r);
    print_drain(json, DRAINED, &r);
    return holds(&r) && good;
}

int main(int argc, char **argv)
{
    storm_options options;
    storm_options_init(&options);
    uint32_t outage_ms = OUTAGE_MS;
    bool json = false;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
            continue;
        }
        if (strcmp(argv[i], "--silent") == 0) {
            options.silent = true;
            continue;
        }
        if (value != NULL && strcmp(argv[i], "--clients") == 0) {
            options.clients = (uint32_t)strtoul(value, NULL, 10);
        } else if (value != NULL && strcmp(argv[i], "--outage-ms") == 0) {
            outage_ms = (uint32_t)strtoul(value, NULL, 10);
        } else if (value != NULL && strcmp(argv[i], "--seed") == 0) {
            options.seed = strtoull(value, NULL, 10);
        } else {
            (void)fprintf(stderr,
                          "usage: bench_storm [--json] [--clients N] [--outage-ms N] [--seed N] "
                          "[--silent]\n");
            return 2;
        }
        i++;
    }
    return run_all(&options, outage_ms, json) ? 0 : 1;
}
