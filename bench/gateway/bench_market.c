/*
 * bench_market [--json] [TAPE...]: recorded markets and the simulated one side by side, and what a
 * simulated row costs. Without tapes: those of ../shared/data/tapes, which may be absent. With
 * --json only lines of JSON go to standard output.
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

typedef struct figure_name {
    const char *name;
    size_t offset;
} figure_name;

#define FIGURE(name)                                                                               \
    {                                                                                              \
#name, offsetof(market_figures, name)                                                      \
    }

static const figure_name names[] = {
    FIGURE(instruments),
    FIGURE(seconds),
    FIGURE(ticks_per_s),
    FIGURE(trade_pct),
    FIGURE(both_pct),
    FIGURE(moved_pct),
    FIGURE(move_one_tick_pct),
    FIGURE(spread_one_tick_pct),
    FIGURE(spread_to_32_pct),
    FIGURE(trade_run),
    FIGURE(top_1_pct),
    FIGURE(top_10_pct),
    FIGURE(market_fano_1ms),
    FIGURE(market_fano_10ms),
    FIGURE(market_cv_1s),
    FIGURE(peak_s_ratio),
    FIGURE(peak_s),
    FIGURE(peak_ms),
    FIGURE(busy),
    FIGURE(gap_cv),
    FIGURE(gap_over_10_medians_pct),
    FIGURE(gap_under_1ms_pct),
    FIGURE(silence_ratio),
    FIGURE(fano_10ms),
    FIGURE(fano_1s),
};

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

static double measure_cost(const tg__sim_options *options)
{
    tg__directory directory;
    tg__sim *sim = open_sim(&directory, options);
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

static void print_json(double row_ns)
{
    for (size_t s = 0; s < source_count; s++) {
        printf("{\"bench\":\"gateway.market\",\"source\":\"%s\"", sources[s].name);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            printf(",\"%s\":%.3f", names[i].name, figure_of(&sources[s], i));
        }
        printf("}\n");
    }
    printf("{\"bench\":\"gateway.sim\",\"row_ns\":%.1f}\n", row_ns);
}

static void print_table(double row_ns)
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
    }
    printf("\n\na simulated row costs %.1f ns\n", row_ns);
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
    tg__sim_options release = tg__sim_usual;
    release.release_count = 1;
    release.release_s[0] = 30;
    measure_sim("sim", &tg__sim_usual, 300);
    measure_sim("sim release", &release, 60);
    const double row_ns = measure_cost(&tg__sim_usual);
    if (json) {
        print_json(row_ns);
    } else {
        print_table(row_ns);
    }
    return 0;
}
