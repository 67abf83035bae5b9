/*
 * bench_storm [--json] [--clients N] [--outage-ms N] [--seed N] [--silent]: a fleet of engines on
 * virtual time when the gateway dies and returns, and when it is drained. --silent: its machine
 * dies with it, and nothing answers. Attempts count from the gateway's return (the first step of
 * the drain) until all are live. With --json only lines of JSON go to standard output. Exit code 1:
 * a bound does not hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storm.h"

#define DRAINED   4200u
#define OUTAGE_MS 30000u
#define PEAK_MAX  3.0

static void table_row(const char *bench, uint32_t clients, const storm_result *r)
{
    (void)printf("%-13s %6u clients: peak of 100 ms %.2f x mean, %u early, %u not live, all live "
                 "after %.2f s of %.2f; %llu attempts, %llu admitted, %llu refused\n",
                 bench, (unsigned)clients, r->peak_over_mean, (unsigned)r->early_connects,
                 (unsigned)r->not_live, r->seconds, r->limit_seconds,
                 (unsigned long long)r->attempts, (unsigned long long)r->admissions,
                 (unsigned long long)r->refusals);
}

static void outage_row(bool json, uint32_t clients, const storm_result *r)
{
    if (json) {
        (void)printf("{\"bench\":\"storm.outage\",\"clients\":%u,"
                     "\"peak_attempts_100ms_over_mean\":%.2f,\"early_connects\":%u,"
                     "\"not_live\":%u,\"seconds_to_all_live\":%.2f,\"limit_seconds\":%.2f,"
                     "\"attempts\":%llu,\"admissions\":%llu,\"refusals\":%llu}\n",
                     (unsigned)clients, r->peak_over_mean, (unsigned)r->early_connects,
                     (unsigned)r->not_live, r->seconds, r->limit_seconds,
                     (unsigned long long)r->attempts, (unsigned long long)r->admissions,
                     (unsigned long long)r->refusals);
    } else {
        table_row("storm.outage", clients, r);
    }
}

static void drain_row(bool json, uint32_t clients, const storm_result *r)
{
    if (json) {
        (void)printf("{\"bench\":\"storm.drain\",\"clients\":%u,\"seconds\":%.2f,"
                     "\"peak_attempts_100ms_over_mean\":%.2f,\"early_connects\":%u,"
                     "\"not_live\":%u,\"refusals\":%llu}\n",
                     (unsigned)clients, r->seconds, r->peak_over_mean, (unsigned)r->early_connects,
                     (unsigned)r->not_live, (unsigned long long)r->refusals);
    } else {
        table_row("storm.drain", clients, r);
    }
}

static bool holds(const storm_result *r)
{
    return r->peak_over_mean <= PEAK_MAX && r->early_connects == 0 && r->not_live == 0 &&
           r->seconds <= r->limit_seconds;
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
    storm_result outage;
    storm_outage(&options, outage_ms, &outage);
    outage_row(json, options.clients, &outage);

    options.clients = DRAINED;
    storm_result drain;
    storm_drain(&options, &drain);
    drain_row(json, options.clients, &drain);
    return holds(&outage) && holds(&drain) ? 0 : 1;
}
