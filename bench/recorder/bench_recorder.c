/*
 * bench_recorder [--json] [--plots FOLDER]
 * [kill|burst|paced|sustained|overload|limits|embedded|threads|merged|cat|text|stats|hist]: what
 * recording costs, beside the floor of the same run. With --json only lines of JSON go to standard
 * output.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickglass/histogram.h>
#include <tickglass/recorder.h>

#include "embedded.h"
#include "floor.h"
#include "killed.h"
#include "log_merge.h"
#include "log_skim.h"
#include "log_text.h"
#include "merged.h"
#include "overload.h"
#include "plain_hdr.h"
#include "plot.h"
#include "printed.h"
#include "threads.h"
#include "timing.h"
#ifdef TG_BENCH_SPDLOG
#include "spdlog_async.h"
#endif

enum {
    burst_calls = 10000, /* 480 KB: they fit into a ring of 1 MiB */
    burst_rounds = 201,
    paced_calls = 100000,
    paced_piece = 10000, /* 6 ms: the writer has come by several times */
    paced_impls = 3,
    sustained_calls = 2000000, /* a tenth of a second: the machine's speed is one meanwhile */
    sustained_rounds = 15,
    hist_values = 1 << 16,
    hist_rounds = 101,
    kill_trials = 200
};

static bool json;
static const char *plots; /* folder; NULL: none are wanted */
static char dir[512];

static bool wanted(const char *only, const char *name)
{
    return only == NULL || strcmp(only, name) == 0;
}

static void row_ns(const char *bench, const char *key, const char *name, const char *impl,
                   double ns)
{
    if (json) {
        (void)printf("{\"bench\":\"%s\",\"%s\":\"%s\",\"impl\":\"%s\",\"ns\":%.2f}\n", bench, key,
                     name, impl, ns);
    } else {
        (void)printf("%-20s %-12s %-16s %10.2f ns\n", bench, name, impl, ns);
    }
}

static const char *path_in(const char *folder, const char *name, char *out, size_t size)
{
    (void)snprintf(out, size, "%s/%s", folder, name);
    return out;
}

static tg_recorder *open_recorder(const char *path, tg_overflow overflow)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.overflow[TG_RECORD_INFO] = overflow;
    tg_recorder *recorder = NULL;
    if (tg_recorder_open(&opt, &recorder) != TG_OK ||
        tg_recorder_prepare_thread(recorder, "bench") != TG_OK) {
        perror(path);
        exit(1);
    }
    return recorder;
}

static uint64_t dropped_of(const tg_recorder *recorder)
{
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    return tg_recorder_counters_get(recorder, &counters) == TG_OK ? counters.dropped : UINT64_MAX;
}

/* ---- burst: calls in a row into an empty ring ------------------------------------------------ */

typedef enum burst_impl {
    BURST_TICKGLASS,
    BURST_TICKGLASS_STAMP,
    BURST_FLOOR,
    BURST_FLOOR_NOSTAMP,
    BURST_IMPLS
} burst_impl;

static void burst_once(burst_impl impl, tg_recorder *recorder, floor_ring *ring, int64_t bid,
                       int64_t ask)
{
    switch (impl) {
    case BURST_TICKGLASS:
        for (uint32_t i = 0; i < burst_calls; i++) {
            TG_RECORD(recorder, TG_RECORD_INFO,
                      "id %u bid %" PRId64 " ask %" PRId64 " seq %" PRIu64, i, bid + i, ask,
                      (uint64_t)i);
        }
        break;
    case BURST_TICKGLASS_STAMP:
        for (uint32_t i = 0; i < burst_calls; i++) {
            TG_RECORD_AT(recorder, TG_RECORD_INFO, ask + i,
                         "id %u bid %" PRId64 " ask %" PRId64 " seq %" PRIu64, i, bid + i, ask,
                         (uint64_t)i);
        }
        break;
    case BURST_FLOOR:
        for (uint32_t i = 0; i < burst_calls; i++) {
            floor_put(ring, bench_cycles(), i, bid + i, ask, i);
        }
        break;
    case BURST_FLOOR_NOSTAMP:
        for (uint32_t i = 0; i < burst_calls; i++) {
            floor_put(ring, (uint64_t)ask + i, i, bid + i, ask, i);
        }
        break;
    case BURST_IMPLS:
        break;
    }
}

/* All in turn in each round, so that a busy machine disturbs them alike; the median counts. */
static void bench_burst(void)
{
    static const char *const cases[] = {"args4", "args4_stamp", "args4", "args4_stamp"};
    static const char *const impls[] = {"tickglass", "tickglass", "floor", "floor_nostamp"};
    static double ns[BURST_IMPLS][burst_rounds];
    char path[1024];
    tg_recorder *recorder =
        open_recorder(path_in(dir, "burst.tgrec", path, sizeof path), TG_OVERFLOW_DROP_NEWEST);
    floor_ring *ring = floor_open();
    for (int round = 0; round < burst_rounds; round++) {
        for (int i = 0; i < BURST_IMPLS; i++) {
            if (tg_recorder_flush(recorder, 10000) != TG_OK) {
                exit(1);
            }
            const int64_t begin_ns = bench_now_ns();
            burst_once((burst_impl)i, recorder, ring, begin_ns, begin_ns + 1);
            ns[i][round] = (double)(bench_now_ns() - begin_ns) / burst_calls;
        }
    }
    for (int i = 0; i < BURST_IMPLS; i++) {
        row_ns("recorder.burst", "case", cases[i], impls[i],
               bench_quantile(ns[i], burst_rounds, 0.5));
    }
    if (dropped_of(recorder) != 0) {
        (void)fprintf(stderr, "bench_recorder: the burst dropped records\n");
    }
    floor_close(ring);
    tg_recorder_close(recorder);
    (void)unlink(path);
}

/* ---- paced: a call each 600 ns, alone -------------------------------------------------------- */

typedef enum paced_impl {
    PACED_FLOOR,
    PACED_TICKGLASS,
    PACED_SPDLOG
} paced_impl;

/* A piece of one's calls. */
static void paced_calls_of(paced_impl impl, tg_recorder *recorder, floor_ring *ring,
                           double cycle_ns, double *took)
{
    const uint64_t gap = (uint64_t)(600 / cycle_ns);
    uint64_t due = bench_cycles();
    for (uint32_t i = 0; i < paced_piece; i++) {
        due += gap;
        while (bench_cycles() < due) {
        }
        const uint64_t begin = bench_cycles();
        if (impl == PACED_TICKGLASS) {
            TG_RECORD(recorder, TG_RECORD_INFO,
                      "id %u bid %" PRId64 " ask %" PRId64 " seq %" PRIu64, i, (int64_t)begin,
                      (int64_t)due, (uint64_t)i);
        } else if (impl == PACED_FLOOR) {
            floor_put(ring, bench_cycles(), i, (int64_t)begin, (int64_t)due, i);
        } else {
#ifdef TG_BENCH_SPDLOG
            spdlog_async_put(i, 1, (int64_t)begin, (int64_t)due);
#endif
        }
        took[i] = (double)(bench_cycles() - begin) * cycle_ns;
    }
}

static void row_paced(paced_impl impl, double *took)
{
    static const char *const names[paced_impls] = {"floor", "tickglass", "spdlog"};
    const double p50 = bench_quantile(took, paced_calls, 0.5);
    const double p99 = bench_quantile(took, paced_calls, 0.99);
    const double p999 = bench_quantile(took, paced_calls, 0.999);
    const double most = took[paced_calls - 1];
    if (json) {
        (void)printf("{\"bench\":\"recorder.paced\",\"case\":\"args4\",\"impl\":\"%s\","
                     "\"p50_ns\":%.1f,\"p99_ns\":%.1f,\"p999_ns\":%.1f,\"max_ns\":%.1f}\n",
                     names[impl], p50, p99, p999, most);
    } else {
        (void)printf("%-20s %-12s %-16s p50 %.1f p99 %.1f p99.9 %.1f max %.1f ns\n",
                     "recorder.paced", "args4", names[impl], p50, p99, p999, most);
    }
}

/* In pieces, one's after another's, for a tick of the machine's clock or a neighbour's work makes
 * the tail of whom it meets: within a tenth of a second it meets all of them alike. All calls
 * count. */
static void bench_paced(double cycle_ns)
{
    static double took[paced_impls][paced_calls];
    char path[1024];
    tg_recorder *recorder =
        open_recorder(path_in(dir, "paced.tgrec", path, sizeof path), TG_OVERFLOW_DROP_NEWEST);
    floor_ring *ring = floor_open();
    for (uint32_t at = 0; at < paced_calls; at += paced_piece) {
        paced_calls_of(PACED_FLOOR, recorder, ring, cycle_ns, &took[PACED_FLOOR][at]);
        paced_calls_of(PACED_TICKGLASS, recorder, ring, cycle_ns, &took[PACED_TICKGLASS][at]);
    }
    row_paced(PACED_FLOOR, took[PACED_FLOOR]);
    row_paced(PACED_TICKGLASS, took[PACED_TICKGLASS]);
    if (dropped_of(recorder) != 0) {
        (void)fprintf(stderr, "bench_recorder: the paced case dropped records\n");
    }
    floor_close(ring);
    tg_recorder_close(recorder);
    (void)unlink(path);
#ifdef TG_BENCH_SPDLOG
    spdlog_async_open(path_in(dir, "spdlog", path, sizeof path), 8192);
    for (uint32_t at = 0; at < paced_calls; at += paced_piece) {
        paced_calls_of(PACED_SPDLOG, NULL, NULL, cycle_ns, &took[PACED_SPDLOG][at]);
    }
    row_paced(PACED_SPDLOG, took[PACED_SPDLOG]);
    spdlog_async_close();
    (void)unlink(path);
#endif
}

/* ---- sustained: as fast as the file takes it, nothing lost ------------------------------------
 */

static void row_sustained(const char *name, const char *impl, const char *medium, double ns,
                          double bytes, uint64_t lost)
{
    if (json) {
        (void)printf("{\"bench\":\"recorder.sustained\",\"case\":\"%s\",\"impl\":\"%s\","
                     "\"medium\":\"%s\",\"ns\":%.2f,\"bytes_per_record\":%.2f,\"lost\":%" PRIu64
                     "}\n",
                     name, impl, medium, ns, bytes, lost);
    } else {
        (void)printf("%-20s %-12s %-16s %10.2f ns %8.2f bytes %" PRIu64 " lost (%s)\n",
                     "recorder.sustained", name, impl, ns, bytes, lost, medium);
    }
}

static double file_size(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? (double)facts.st_size : 0;
}

/* Prices walk as the demo tape's do: some steps of a tick, most of them none. */
static void sustained_calls_of(tg_recorder *recorder, bool is_static)
{
    int64_t bid = 6784275;
    for (uint32_t i = 0; i < sustained_calls; i++) {
        if (is_static) {
            TG_RECORD(recorder, TG_RECORD_INFO, "a constant line");
        } else {
            bid += i % 7 == 0 ? (int64_t)(i % 5) - 2 : 0;
            TG_RECORD(recorder, TG_RECORD_INFO,
                      "id %u bid %" PRId64 " ask %" PRId64 " seq %" PRIu64, i % 120, bid, bid + 25,
                      (uint64_t)i);
        }
    }
}

typedef struct sustained_result {
    double ns[sustained_rounds];
    double bytes;
    uint64_t lost;
} sustained_result;

static void sustain(const char *path, bool is_static, double *ns, sustained_result *result)
{
    tg_recorder *recorder = open_recorder(path, TG_OVERFLOW_WAIT);
    const int64_t begin_ns = bench_now_ns();
    sustained_calls_of(recorder, is_static);
    const tg_err err = tg_recorder_flush(recorder, 60000);
    *ns = (double)(bench_now_ns() - begin_ns) / sustained_calls;
    result->lost += err == TG_OK ? dropped_of(recorder) : UINT64_MAX;
    tg_recorder_close(recorder);
    result->bytes = file_size(path) / sustained_calls;
    (void)unlink(path);
}

/* The round whose ratio of the recorder's time to the floor's is the median. Both are told of this
 * one: the medians of each alone may be of a fast minute here and of a slow one there. */
static int median_round(const double *own_ns, const double *floor_ns)
{
    double ratios[sustained_rounds];
    for (int round = 0; round < sustained_rounds; round++) {
        ratios[round] = own_ns[round] / floor_ns[round];
    }
    const double median = bench_quantile(ratios, sustained_rounds, 0.5);
    int round = 0;
    while (own_ns[round] / floor_ns[round] != median) {
        round++;
    }
    return round;
}

/* Neither waits for the platter: what is compared is the way to the file system. All in turn in
 * each round, so that a busy machine disturbs them alike. */
static void bench_sustained(const char *folder, const char *medium)
{
    sustained_result line = {{0}, 0, 0};
    sustained_result args = {{0}, 0, 0};
    sustained_result floor = {{0}, 0, 0};
    char path[1024];
    (void)path_in(folder, "sustained", path, sizeof path);
    for (int round = 0; round < sustained_rounds; round++) {
        sustain(path, true, &line.ns[round], &line);
        sustain(path, false, &args.ns[round], &args);
        floor.ns[round] = floor_sustained(path, sustained_calls);
        floor.bytes = file_size(path) / sustained_calls;
        (void)unlink(path);
    }
    const int round = median_round(args.ns, floor.ns);
    row_sustained("args4", "tickglass", medium, args.ns[round], args.bytes, args.lost);
    row_sustained("args4", "floor", medium, floor.ns[round], floor.bytes, floor.lost);
    row_sustained("static", "tickglass", medium, bench_quantile(line.ns, sustained_rounds, 0.5),
                  line.bytes, line.lost);
}

/* ---- spdlog, for comparison: burst, paced, sustained --------------------------------------------
 */

#ifdef TG_BENCH_SPDLOG
static void bench_spdlog_burst(void)
{
    enum {
        rounds = 21
    };
    static double ns[rounds];
    char path[1024];
    (void)path_in(dir, "spdlog", path, sizeof path);
    for (int round = 0; round < rounds; round++) {
        spdlog_async_open(path, burst_calls);
        const int64_t begin_ns = bench_now_ns();
        spdlog_async_put(0, burst_calls, begin_ns, begin_ns + 1);
        ns[round] = (double)(bench_now_ns() - begin_ns) / burst_calls;
        spdlog_async_close();
    }
    row_ns("recorder.burst", "case", "args4", "spdlog", bench_quantile(ns, rounds, 0.5));
    (void)unlink(path);
}

static void bench_spdlog_sustained(const char *folder, const char *medium)
{
    enum {
        calls = sustained_calls / 8 /* it takes some ten times as long */
    };
    char path[1024];
    spdlog_async_open(path_in(folder, "spdlog", path, sizeof path), 8192);
    const int64_t begin_ns = bench_now_ns();
    spdlog_async_put(0, calls, 6784275, 6784300);
    spdlog_async_close();
    const double ns = (double)(bench_now_ns() - begin_ns) / calls;
    row_sustained("args4", "spdlog", medium, ns, file_size(path) / calls, 0);
    (void)unlink(path);
}
#endif

/* ---- reading: text of a record, statistics of one argument ------------------------------------
 */

static void make_record(char *path, size_t size, uint32_t calls)
{
    tg_recorder *recorder = open_recorder(path_in(dir, "read.tgrec", path, size), TG_OVERFLOW_WAIT);
    for (uint32_t i = 0; i < calls; i++) {
        TG_RECORD(recorder, TG_RECORD_INFO, "id %u bid %" PRId64 " ask %" PRId64 " seq %" PRIu64,
                  i % 120, INT64_C(6784275) + i % 5, INT64_C(6784300), (uint64_t)i);
    }
    tg_recorder_close(recorder);
}

static double text_ns(tg__log_file *file)
{
    static tg__log_text text;
    tg__log_merge merge;
    tg__log_record record;
    tg__text_buffer out = {NULL, 0, 0, false};
    uint64_t count = 0;
    const int64_t begin_ns = bench_now_ns();
    if (tg__log_merge_open(file, 1, &merge) != TG_OK) {
        exit(1);
    }
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        out.size = 0;
        count += tg__log_text_line(&text, &record, &out) == TG_OK;
    }
    const double ns = (double)(bench_now_ns() - begin_ns) / (double)count;
    tg__log_merge_close(&merge);
    tg__log_text_deinit(&text);
    tg__text_buffer_deinit(&out);
    return ns;
}

/* The dictionary has the sites of the other measurements too. */
static const tg__site_info *site_of_first_record(tg__log_file *file)
{
    tg__log_merge merge;
    tg__log_record record;
    if (tg__log_merge_open(file, 1, &merge) != TG_OK ||
        tg__log_merge_next(&merge, &record) != TG_OK) {
        exit(1);
    }
    tg__log_merge_close(&merge);
    return record.site;
}

/* What `tickglass-log stats --argument 4` does with an opened file. */
static double stats_ns(tg__log_file *file, unsigned threads)
{
    const tg__skim wanted = {site_of_first_record(file), 3};
    tg__number_stats stats;
    memset(&stats, 0, sizeof stats);
    const int64_t begin_ns = bench_now_ns();
    if (tg__log_skim(file, &wanted, threads, &stats) != TG_OK ||
        tg__number_stats_percentile(&stats, 99.9) <= 0) {
        exit(1);
    }
    const double ns = (double)(bench_now_ns() - begin_ns) / (double)stats.count;
    tg__number_stats_deinit(&stats);
    return ns;
}

static void bench_reading(const char *only)
{
    enum {
        rounds = 7
    };
    double ns[rounds];
    char path[1024];
    tg__log_file file;
    make_record(path, sizeof path, 1000000);
    if (tg__log_file_open(path, &file) != TG_OK) {
        exit(1);
    }
    for (int i = 0; i < rounds && wanted(only, "text"); i++) {
        ns[i] = text_ns(&file);
    }
    if (wanted(only, "text")) {
        row_ns("recorder.text", "case", "args4", "tickglass", bench_quantile(ns, rounds, 0.5));
    }
    static const char *const cases[] = {"args4", "args4_2_threads"};
    for (unsigned threads = 1; threads <= 2 && wanted(only, "stats"); threads++) {
        for (int i = 0; i < rounds; i++) {
            ns[i] = stats_ns(&file, threads);
        }
        row_ns("recorder.stats", "case", cases[threads - 1], "tickglass",
               bench_quantile(ns, rounds, 0.5));
    }
    tg__log_file_close(&file);
    (void)unlink(path);
}

/* ---- histograms -------------------------------------------------------------------------------
 */

static void bench_hist(void)
{
    static int64_t values[hist_values];
    static double own_ns[hist_rounds];
    static double plain_ns[hist_rounds];
    uint64_t random = 88172645463325252u; /* xorshift64, any odd start */
    for (int i = 0; i < hist_values; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        /* Latencies: most around a millisecond, a long tail. */
        values[i] = (int64_t)(200000 + random % 1800000) << (random >> 61);
    }
    tg_histogram *own = NULL;
    if (tg_histogram_open(NULL, &own) != TG_OK) {
        exit(1);
    }
    plain_hdr *plain = plain_hdr_open(1000, INT64_C(60000000000), 3);
    for (int round = 0; round < hist_rounds; round++) {
        int64_t begin_ns = bench_now_ns();
        for (int i = 0; i < hist_values; i++) {
            tg_histogram_record(own, values[i]);
        }
        own_ns[round] = (double)(bench_now_ns() - begin_ns) / hist_values;
        begin_ns = bench_now_ns();
        for (int i = 0; i < hist_values; i++) {
            (void)plain_hdr_record(plain, values[i]);
        }
        plain_ns[round] = (double)(bench_now_ns() - begin_ns) / hist_values;
    }
    const double ns[] = {bench_quantile(own_ns, hist_rounds, 0.5),
                         bench_quantile(plain_ns, hist_rounds, 0.5)};
    const size_t bytes[] = {tg_histogram_size(own), plain_hdr_size(plain)};
    static const char *const impls[] = {"tickglass", "plain"};
    for (int i = 0; i < 2; i++) {
        if (json) {
            (void)printf("{\"bench\":\"hist.record\",\"impl\":\"%s\",\"ns\":%.2f,\"bytes\":%zu}\n",
                         impls[i], ns[i], bytes[i]);
        } else {
            (void)printf("%-20s %-12s %-16s %10.2f ns %zu bytes\n", "hist.record", "", impls[i],
                         ns[i], bytes[i]);
        }
    }
    tg_histogram_close(own);
    plain_hdr_close(plain);
}

static void bench_kill(void)
{
    const killed_result result = killed_run(dir, kill_trials);
    if (json) {
        (void)printf("{\"bench\":\"recorder.kill\",\"trials\":%" PRIu64 ",\"returned\":%" PRIu64
                     ",\"lost\":%" PRIu64 ",\"unreadable\":%" PRIu64 "}\n",
                     result.trials, result.returned, result.lost, result.unreadable);
    } else {
        (void)printf("%-20s %" PRIu64 " trials, %" PRIu64 " calls returned, %" PRIu64
                     " lost, %" PRIu64 " unreadable\n",
                     "recorder.kill", result.trials, result.returned, result.lost,
                     result.unreadable);
    }
}

static void bench_threads(void)
{
    static const char *const cases[] = {"wait", "drop"};
    static const tg_overflow policies[] = {TG_OVERFLOW_WAIT, TG_OVERFLOW_DROP_NEWEST};
    for (int i = 0; i < 2; i++) {
        const threads_result r = threads_run(dir, policies[i]);
        if (json) {
            (void)printf("{\"bench\":\"recorder.threads\",\"case\":\"%s\",\"impl\":\"tickglass\","
                         "\"threads\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"ns\":%.2f,"
                         "\"lost\":%" PRIu64 ",\"counted\":%" PRIu64 ",\"told\":%" PRIu64 "}\n",
                         cases[i], r.threads, r.calls, r.ns, r.lost, r.counted, r.told);
        } else {
            (void)printf("%-20s %-12s %" PRIu64 " threads, %.2f ns a call, %" PRIu64
                         " lost, counted %" PRIu64 ", told %" PRIu64 "\n",
                         "recorder.threads", cases[i], r.threads, r.ns, r.lost, r.counted, r.told);
        }
    }
}

static void bench_merged(void)
{
    const merged_result r = merged_run(dir);
    if (json) {
        (void)printf("{\"bench\":\"recorder.merged\",\"case\":\"text\",\"impl\":\"tickglass\","
                     "\"threads\":%" PRIu64 ",\"records\":%" PRIu64
                     ",\"unsorted_ns\":%.2f,\"ns\":%.2f,\"ratio\":%.3f,\"out_of_order\":%" PRIu64
                     "}\n",
                     r.threads, r.records, r.unsorted_ns, r.merged_ns, r.ratio, r.out_of_order);
    } else {
        (void)printf(
            "%-20s %" PRIu64 " threads, %.2f ns a record merged, %.2f unsorted: %.3f, %" PRIu64
            " out of order\n",
            "recorder.merged", r.threads, r.merged_ns, r.unsorted_ns, r.ratio, r.out_of_order);
    }
}

static void bench_cat(void)
{
    char memory[] = "/dev/shm/bench-recorder-XXXXXX";
    printed_result results[printed_media];
    if (mkdtemp(memory) == NULL) {
        perror(memory);
        return;
    }
    printed_run(dir, memory, results);
    (void)rmdir(memory);
    for (int i = 0; i < printed_media; i++) {
        const printed_result *r = &results[i];
        if (json) {
            (void)printf("{\"bench\":\"recorder.cat\",\"case\":\"%s\",\"impl\":\"tickglass\","
                         "\"records\":%" PRIu64 ",\"ns\":%.2f,\"two_cores_ns\":%.2f,"
                         "\"speed_up\":%.2f}\n",
                         printed_names[i], r->records, r->ns[0], r->ns[1], r->ratio);
        } else {
            (void)printf("%-20s %-12s %.2f ns a record on one core, %.2f on two: %.2f times\n",
                         "recorder.cat", printed_names[i], r->ns[0], r->ns[1], r->ratio);
        }
    }
}

static void bench_embedded(void)
{
    const embedded_result r = embedded_run(dir);
    if (json) {
        (void)printf("{\"bench\":\"recorder.embedded\",\"case\":\"receive\",\"impl\":\"tickglass\","
                     "\"off_ns\":%.1f,\"on_ns\":%.1f,\"ratio\":%.4f,\"ratio_of_sums\":%.4f,"
                     "\"lost\":%" PRIu64 "}\n",
                     r.off_ns, r.on_ns, r.ratio, r.ratio_of_sums, r.lost);
    } else {
        (void)printf(
            "%-20s %-12s off %.1f on %.1f ns a frame: %.4f (all in all %.4f), %" PRIu64 " lost\n",
            "recorder.embedded", "receive", r.off_ns, r.on_ns, r.ratio, r.ratio_of_sums, r.lost);
    }
}

static void row_tail(const overload_tail *tail)
{
    if (json) {
        (void)printf("{\"bench\":\"recorder.overload\",\"case\":\"%s\",\"impl\":\"tickglass\","
                     "\"p50_ns\":%.1f,\"p99_ns\":%.1f,\"p999_ns\":%.1f,\"max_ns\":%.1f,"
                     "\"lost\":%" PRIu64 "}\n",
                     tail->name, tail->p50_ns, tail->p99_ns, tail->p999_ns, tail->max_ns,
                     tail->lost);
    } else {
        (void)printf("%-20s %-12s p50 %.1f p99 %.1f p99.9 %.1f max %.1f ns, %" PRIu64 " lost\n",
                     "recorder.overload", tail->name, tail->p50_ns, tail->p99_ns, tail->p999_ns,
                     tail->max_ns, tail->lost);
    }
}

static void bench_overload(double cycle_ns)
{
    static overload_tail tails[overload_rings];
    plot_line lines[overload_rings];
    overload_tails(dir, cycle_ns, tails);
    for (int i = 0; i < overload_rings; i++) {
        row_tail(&tails[i]);
        lines[i] = (plot_line){tails[i].name, tails[i].ns, tails[i].share, overload_shares};
    }
    char path[1024];
    if (plots != NULL &&
        !plot_lines(path_in(plots, "overload.svg", path, sizeof path),
                    "Calls in a row, waiting for the writer, by size of the ring", "ns a call",
                    "share of the calls that take as long", lines, overload_rings)) {
        perror(path);
    }
}

static void bench_limits(void)
{
    char memory[] = "/dev/shm/bench-recorder-XXXXXX";
    double ns[OVERLOAD_LIMITS];
    if (mkdtemp(memory) == NULL) {
        perror(memory);
        return;
    }
    overload_limits(dir, memory, ns);
    (void)rmdir(memory);
    for (int i = 0; i < OVERLOAD_LIMITS; i++) {
        row_ns("recorder.limits", "case", overload_limit_names[i], "tickglass", ns[i]);
    }
    char path[1024];
    if (plots != NULL && !plot_bars(path_in(plots, "limits.svg", path, sizeof path),
                                    "What limits: a record with each part switched off in turn",
                                    "ns", overload_limit_names, ns, OVERLOAD_LIMITS)) {
        perror(path);
    }
}

static void run(const char *only)
{
    char memory[] = "/dev/shm/bench-recorder-XXXXXX";
    const double cycle_ns = bench_cycle_ns();
    if (wanted(only, "kill")) { /* first: its children are forked while there is one thread */
        bench_kill();
    }
    if (wanted(only, "burst")) {
        bench_burst();
#ifdef TG_BENCH_SPDLOG
        bench_spdlog_burst();
#endif
    }
    if (wanted(only, "paced")) {
        bench_paced(cycle_ns);
    }
    if (wanted(only, "sustained") && mkdtemp(memory) != NULL) {
        bench_sustained(memory, "tmpfs");
#ifdef TG_BENCH_SPDLOG
        bench_spdlog_sustained(memory, "tmpfs");
#endif
        (void)rmdir(memory);
    }
    if (wanted(only, "sustained")) {
        bench_sustained(dir, "disk");
#ifdef TG_BENCH_SPDLOG
        bench_spdlog_sustained(dir, "disk");
#endif
    }
    if (wanted(only, "overload")) {
        bench_overload(cycle_ns);
    }
    if (wanted(only, "limits")) {
        bench_limits();
    }
    if (wanted(only, "embedded")) {
        bench_embedded();
    }
    if (wanted(only, "threads")) {
        bench_threads();
    }
    if (wanted(only, "merged")) {
        bench_merged();
    }
    if (wanted(only, "cat")) {
        bench_cat();
    }
    if (wanted(only, "text") || wanted(only, "stats")) {
        bench_reading(only);
    }
    if (wanted(only, "hist")) {
        bench_hist();
    }
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "--plots") == 0 && i + 1 < argc) {
            plots = argv[++i];
        } else {
            only = argv[i];
        }
    }
    const char *base = getenv("TMPDIR");
    (void)snprintf(dir, sizeof dir, "%s/bench-recorder-XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(dir) == NULL) {
        perror(dir);
        return 1;
    }
    run(only);
    (void)rmdir(dir);
    return 0;
}
