/*
 * bench_market [--json] [TAPE...]: recorded markets and the simulated one side by side, and what a
 * simulated row costs. Without tapes: those of ../shared/data/tapes, which may be absent. With
 * --json only lines of JSON go to standard output.
 *
 * A calibrated figure is met between the lowest and the highest of the recorded markets, a fifth
 * added on both sides.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "market_statistics.h"
#include "samples.h"
#include "sim.h"
#include "tape.h"

enum {
    sources_max = 16,
    name_size = 48,
    rounds = 31,
    rows_a_round = 100000
};

typedef struct source {
    char name[name_size];
    market_figures figures;
} source;

/* Of a simulated row, in ns. */
typedef struct cost {
    double usual;
    double release;
} cost;

typedef struct figure_name {
    const char *name;
    size_t offset;
    bool calibrated; /* the simulation is to lie where the recorded markets do */
} figure_name;

#define FIGURE(name)                                                                               \
    {                                                                                              \
#name, offsetof(market_figures, name), false                                               \
    }
#define CALIBRATED(name)                                                                           \
    {                                                                                              \
#name, offsetof(market_figures, name), true                                                \
    }

static const figure_name names[] = {
    FIGURE(instruments),
    FIGURE(seconds),
    FIGURE(ticks_per_s),
    CALIBRATED(trade_pct),
    CALIBRATED(both_pct),
    CALIBRATED(moved_pct),
    CALIBRATED(move_one_tick_pct),
    CALIBRATED(spread_one_tick_pct),
    CALIBRATED(spread_to_32_pct),
    CALIBRATED(trade_run),
    FIGURE(top_1_pct),
    CALIBRATED(top_10_pct),
    FIGURE(market_fano_1ms),
    FIGURE(market_fano_10ms),
    CALIBRATED(market_cv_1s),
    CALIBRATED(peak_s_ratio),
    FIGURE(peak_s),
    FIGURE(peak_ms),
    FIGURE(busy),
    CALIBRATED(gap_cv),
    CALIBRATED(gap_over_10_medians_pct),
    CALIBRATED(gap_under_1ms_pct),
    CALIBRATED(silence_ratio),
    CALIBRATED(fano_10ms),
    CALIBRATED(fano_1s),
};

static const double tolerance = 0.2;

static source sources[sources_max];
static size_t source_count;

static void stop(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_market: %s: %s\n", what, why);
    exit(1);
}

static source *add_source(const char *name)
{
    if (source_count == sources_max) {
        stop(name, "too many tapes");
    }
    source *added = &sources[source_count++];
    (void)snprintf(added->name, sizeof added->name, "%s", name);
    return added;
}

static double figure_of(const source *of, size_t index)
{
    double value = 0;
    memcpy(&value, (const char *)&of->figures + names[index].offset, sizeof value);
    return value;
}

static void measure_tape(const char *path)
{
    tg__directory directory;
    tg__tape *tape = NULL;
    tg__cause cause = {""};
    market_statistics statistics;
    tg__row row;
    tg__directory_init(&directory);
    if (tg__tape_open(path, false, &directory, &tape, &cause) != TG_OK) {
        stop(path, cause.text);
    }
    market_statistics_init(&statistics, &directory);
    tg_err err = tg__tape_next(tape, &row, &cause);
    for (; err == TG_OK; err = tg__tape_next(tape, &row, &cause)) {
        market_statistics_add(&statistics, &row);
    }
    if (err != TG_ERR_NOT_FOUND) {
        stop(path, cause.text);
    }
    const char *slash = strrchr(path, '/');
    add_source(slash == NULL ? path : slash + 1)->figures = market_statistics_figures(&statistics);
    market_statistics_free(&statistics);
    tg__tape_close(tape);
    tg__directory_deinit(&directory);
}

static tg__sim *open_sim(tg__directory *directory, const tg__sim_options *options)
{
    tg__sim *sim = NULL;
    tg__directory_init(directory);
    if (tg__sim_open(1, options, directory, &sim) != TG_OK) {
        stop("the simulated market", "cannot be opened");
    }
    return sim;
}

/* Without the first quote and trade of everything at time 0, which no recording has. */
static void measure_sim(const char *name, const tg__sim_options *options, int64_t seconds)
{
    tg__directory directory;
    tg__sim *sim = open_sim(&directory, options);
    market_statistics statistics;
    tg__row row = {0};
    market_statistics_init(&statistics, &directory);
    for (tg__sim_next(sim, &row); row.ts_ns < seconds * INT64_C(1000000000);
         tg__sim_next(sim, &row)) {
        if (row.ts_ns > 0) {
            market_statistics_add(&statistics, &row);
        }
    }
    add_source(name)->figures = market_statistics_figures(&statistics);
    market_statistics_free(&statistics);
    tg__sim_close(sim);
    tg__directory_deinit(&directory);
}

/* At a steady pace: the faster, the more trains are under way. */
static double measure_cost(uint32_t ticks_per_s)
{
    tg__sim_options options = tg__sim_usual;
    options.ticks_per_s = ticks_per_s;
    options.release_every_s = 0;
    tg__directory directory;
    tg__sim *sim = open_sim(&directory, &options);
    samples row_ns = {.count = 0};
    tg__row row;
    for (int round = 0; round < rounds; round++) {
        const int64_t start = now_ns();
        for (int i = 0; i < rows_a_round; i++) {
            tg__sim_next(sim, &row);
        }
        samples_add(&row_ns, (double)(now_ns() - start) / rows_a_round);
    }
    tg__sim_close(sim);
    tg__directory_deinit(&directory);
    return samples_median(&row_ns);
}

/* Of the source "sim", whose place is at; the sources before it are recorded. */
static bool is_met(size_t at, size_t figure)
{
    double lowest = figure_of(&sources[0], figure);
    double highest = lowest;
    for (size_t s = 1; s < at; s++) {
        const double value = figure_of(&sources[s], figure);
        lowest = value < lowest ? value : lowest;
        highest = value > highest ? value : highest;
    }
    const double value = figure_of(&sources[at], figure);
    return value >= lowest * (1 - tolerance) && value <= highest * (1 + tolerance);
}

static void print_json(size_t recorded, const cost *row_ns)
{
    unsigned calibrated = 0;
    unsigned met = 0;
    for (size_t s = 0; s < source_count; s++) {
        printf("{\"bench\":\"gateway.market\",\"source\":\"%s\"", sources[s].name);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            printf(",\"%s\":%.3f", names[i].name, figure_of(&sources[s], i));
        }
        printf("}\n");
    }
    for (size_t i = 0; recorded > 0 && i < sizeof names / sizeof names[0]; i++) {
        calibrated += names[i].calibrated;
        met += names[i].calibrated && is_met(recorded, i);
    }
    printf("{\"bench\":\"gateway.sim\",\"row_ns\":%.1f,\"release_row_ns\":%.1f,"
           "\"calibrated\":%u,\"met\":%u}\n",
           row_ns->usual, row_ns->release, calibrated, met);
}

static void print_table(size_t recorded, const cost *row_ns)
{
    printf("%-24s", "");
    for (size_t s = 0; s < source_count; s++) {
        printf(" %16.16s", sources[s].name);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        printf("\n%-24s", names[i].name);
        for (size_t s = 0; s < source_count; s++) {
            printf(" %16.2f", figure_of(&sources[s], i));
        }
        if (recorded > 0 && names[i].calibrated) {
            printf("  %s", is_met(recorded, i) ? "met" : "MISSED");
        }
    }
    printf("\n\na simulated row costs %.1f ns, at a release's rate %.1f ns\n", row_ns->usual,
           row_ns->release);
}

static void measure_own_tapes(void)
{
    static const char *const own[] = {TG_TAPES_DIR "/merged_binance3_5min_bbo.csv.xz",
                                      TG_TAPES_DIR "/merged_2021-04-17_bbo.csv.xz"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        FILE *present = fopen(own[i], "rb");
        if (present == NULL) {
            (void)fprintf(stderr, "bench_market: %s: not there, left out\n", own[i]);
            continue;
        }
        (void)fclose(present);
        measure_tape(own[i]);
    }
}

int main(int argc, char **argv)
{
    const bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    const int first = json ? 2 : 1;
    for (int i = first; i < argc; i++) {
        measure_tape(argv[i]);
    }
    if (first == argc) {
        measure_own_tapes();
    }
    const size_t recorded = source_count;
    tg__sim_options release = tg__sim_usual;
    release.release_count = 1;
    release.release_s[0] = 30;
    measure_sim("sim", &tg__sim_usual, 300);
    measure_sim("sim release", &release, 60);
    const cost row_ns = {measure_cost(TG__SIM_TICKS_PER_S),
                         measure_cost(TG__SIM_RELEASE_TICKS_PER_S)};
    if (json) {
        print_json(recorded, &row_ns);
    } else {
        print_table(recorded, &row_ns);
    }
    return 0;
}
