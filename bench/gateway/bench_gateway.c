/*
 * bench_gateway [--json] [--quick] [--runs N] [--seconds N] [--terminals N] [--lists N]
 *               [--watchlist-sizes SPEC] [--gateway PROGRAM] [tier|hydration|slow|drain|jwt]
 *
 * The gateway as a child, terminals of the SDK in this process, TLS between them on the loopback.
 * With --json only lines of JSON go to standard output. Long: some ten minutes without --quick.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench_settings.h"

static const struct {
    const char *name;
    bool (*run)(const bench_settings *settings, why *reason);
} cases[] = {
    {"tier", bench_tier},   {"hydration", bench_hydration}, {"slow", bench_slow},
    {"drain", bench_drain}, {"jwt", bench_tokens},
};
#define CASES (sizeof cases / sizeof cases[0])

bool bench_judge(bool told, const char *what, double value, bool met, const char *target)
{
    if (told) {
        printf("  %-42s %10.3f  %-20s %s\n", what, value, target, met ? "met" : "MISSED");
    }
    return met;
}

static void be_quick(bench_settings *s)
{
    s->quick = true;
    s->terminals = 20;
    s->lists = 10;
    s->seconds = 5;
    s->pause_s = 5;
    s->slow = 4;
    s->runs = 1;
    s->hydrations = 20;
}

static uint32_t *number_of(bench_settings *s, const char *option)
{
    return strcmp(option, "--runs") == 0        ? &s->runs
           : strcmp(option, "--seconds") == 0   ? &s->seconds
           : strcmp(option, "--terminals") == 0 ? &s->terminals
           : strcmp(option, "--lists") == 0     ? &s->lists
                                                : NULL;
}

static bool parse(bench_settings *s, const char **only, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        uint32_t *const number = number_of(s, argv[i]);
        if (strcmp(argv[i], "--json") == 0) {
            s->json = true;
        } else if (strcmp(argv[i], "--quick") == 0) {
            be_quick(s);
        } else if (strcmp(argv[i], "--gateway") == 0 && i + 1 < argc) {
            s->program = argv[++i];
        } else if (strcmp(argv[i], "--watchlist-sizes") == 0 && i + 1 < argc) {
            s->sizes = argv[++i];
        } else if (number != NULL && i + 1 < argc) {
            const long value = strtol(argv[++i], NULL, 10);
            if (value < 1 || value > 4000) {
                return false;
            }
            *number = (uint32_t)value;
        } else if (argv[i][0] != '-' && *only == NULL) {
            *only = argv[i];
        } else {
            return false;
        }
    }
    s->slow = s->slow < s->terminals ? s->slow : s->terminals - 1;
    return true;
}

static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(int argc, char **argv)
{
    bench_settings settings = {
        .program = TG_GATEWAY_PROGRAM,
        .sizes = "40:50,80:30,120:20",
        .terminals = 200,
        .lists = 50,
        .ticks_per_s = 32000, /* the market has quieter stretches: the row tells what came */
        .seconds = 60,
        .pause_s = 10,
        .slow = 20,
        .runs = 5,
        .hydrations = 300,
        .seed = 1,
    };
    const char *only = NULL;
    size_t ran = 0;
    int status = 0;
    if (!parse(&settings, &only, argc, argv)) {
        (void)fputs("usage: bench_gateway [--json] [--quick] [--runs N] [--seconds N] "
                    "[--terminals N] [--lists N] [--watchlist-sizes SPEC] [--gateway PROGRAM] "
                    "[tier|hydration|slow|drain|jwt]\n",
                    stderr);
        return 2;
    }
    raise_descriptor_limit();
    for (size_t i = 0; i < CASES; i++) {
        why reason;
        if (only != NULL && strcmp(only, cases[i].name) != 0) {
            continue;
        }
        ran++;
        if (!cases[i].run(&settings, &reason)) {
            (void)fprintf(stderr, "bench_gateway: %s: %s\n", cases[i].name, reason.text);
            status = 1;
        }
        (void)fflush(stdout);
    }
    if (ran == 0) {
        (void)fprintf(stderr, "bench_gateway: no case %s\n", only);
        return 2;
    }
    return status;
}
