#include "overload.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/recorder.h>

#include "floor.h"
#include "pack.h"
#include "timing.h"

enum {
    tail_calls = 1000000,
    limit_calls = 1000000, /* 48 MB: they fit into a ring of 64 MiB */
    rounds = 5
};

const char *const overload_limit_names[OVERLOAD_LIMITS] = {
    "all", "no_disk", "no_compaction", "no_producer", "producer_alone", "compaction_alone",
};

static void must(bool good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}

static tg_recorder *open_recorder(const char *path, uint32_t ring_size, bool host_driven)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.ring_size = ring_size;
    opt.threads_max = 2;
    opt.host_driven = host_driven;
    opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    tg_recorder *recorder = NULL;
    must(tg_recorder_open(&opt, &recorder) == TG_OK &&
             tg_recorder_prepare_thread(recorder, "bench") == TG_OK,
         path);
    return recorder;
}

static void put(tg_recorder *recorder, uint32_t i)
{
    TG_RECORD(recorder, TG_RECORD_INFO, "id %u bid %" PRId64 " ask %" PRId64 " seq %" PRIu64,
              i % 120, INT64_C(6784275) + i % 5, INT64_C(6784300), (uint64_t)i);
}

static uint64_t close_and_remove(tg_recorder *recorder, const char *path)
{
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    must(tg_recorder_counters_get(recorder, &counters) == TG_OK, path);
    tg_recorder_close(recorder);
    (void)unlink(path);
    return counters.dropped;
}

void overload_tails(const char *dir, double cycle_ns, overload_tail tails[overload_rings])
{
    static const char *const names[] = {"256 KiB", "1 MiB", "4 MiB", "16 MiB"};
    static double took[tail_calls];
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/overload.tgrec", dir);
    for (uint32_t ring = 0; ring < overload_rings; ring++) {
        tg_recorder *recorder = open_recorder(path, (UINT32_C(256) << 10) << (2 * ring), false);
        for (uint32_t i = 0; i < tail_calls; i++) {
            const uint64_t begin = bench_cycles();
            put(recorder, i);
            took[i] = (double)(bench_cycles() - begin) * cycle_ns;
        }
        overload_tail *tail = &tails[ring];
        tail->name = names[ring];
        tail->lost = close_and_remove(recorder, path);
        tail->p50_ns = bench_quantile(took, tail_calls, 0.5);
        tail->p99_ns = took[tail_calls / 100 * 99];
        tail->p999_ns = took[tail_calls / 1000 * 999];
        tail->max_ns = took[tail_calls - 1];
        for (int i = 0; i < overload_shares; i++) {
            tail->share[i] = pow(10, -i / 10.0);
            const uint32_t at = tail_calls - (uint32_t)(tail_calls * tail->share[i]);
            tail->ns[i] = fmax(took[at < tail_calls ? at : tail_calls - 1], 1);
        }
    }
}

static double both_at_once(const char *path)
{
    tg_recorder *recorder = open_recorder(path, UINT32_C(1) << 20, false);
    const int64_t begin_ns = bench_now_ns();
    for (uint32_t i = 0; i < limit_calls; i++) {
        put(recorder, i);
    }
    must(tg_recorder_flush(recorder, 60000) == TG_OK, path);
    const double ns = (double)(bench_now_ns() - begin_ns) / limit_calls;
    (void)close_and_remove(recorder, path);
    return ns;
}

static void one_after_the_other(const char *path, double *producer_ns, double *writer_ns)
{
    tg_recorder *recorder = open_recorder(path, UINT32_C(64) << 20, true);
    int64_t begin_ns = bench_now_ns();
    for (uint32_t i = 0; i < limit_calls; i++) {
        put(recorder, i);
    }
    *producer_ns = (double)(bench_now_ns() - begin_ns) / limit_calls;
    uint64_t moved = 0;
    begin_ns = bench_now_ns();
    must(tg_recorder_poll(recorder, &moved) == TG_OK && moved == limit_calls, path);
    *writer_ns = (double)(bench_now_ns() - begin_ns) / limit_calls;
    (void)close_and_remove(recorder, path);
}

/* What the writer does with each record, and nothing else. */
static double compaction_alone(void)
{
    enum {
        record_size = 48 /* 16 of head; u32, 2 x i64 and u64, filled up to 8 */
    };
    static const uint8_t types[] = {TG__TYPE_U32, TG__TYPE_I64, TG__TYPE_I64, TG__TYPE_U64};
    static unsigned char packed[record_size + TG__PACK_GROWTH];
    const tg__site_info site = {.id = 4, .argument_count = 4, .nibble_count = 4, .types = types};
    tg__pack pack;
    must(tg__pack_init(&pack, 5) == TG_OK, "memory");
    tg__pack_begin_block(&pack);
    size_t size = 0;
    const int64_t begin_ns = bench_now_ns();
    for (uint32_t i = 0; i < limit_calls; i++) {
        unsigned char record[record_size] = {0};
        const uint32_t head[] = {record_size, site.id};
        const uint64_t stamp = UINT64_C(1000000000) + i * UINT64_C(26);
        const uint32_t id = i % 120;
        const uint64_t numbers[] = {UINT64_C(6784275) + i % 5, UINT64_C(6784300), i};
        memcpy(record, head, sizeof head);
        memcpy(record + 8, &stamp, sizeof stamp);
        memcpy(record + 16, &id, sizeof id);
        memcpy(record + 20, numbers, sizeof numbers);
        size += tg__pack_record(&pack, &site, record, packed);
    }
    const double ns = (double)(bench_now_ns() - begin_ns) / limit_calls;
    must(size != 0, "nothing was packed");
    tg__pack_deinit(&pack);
    return ns;
}

void overload_limits(const char *dir, const char *memory_dir, double ns[OVERLOAD_LIMITS])
{
    static double samples[OVERLOAD_LIMITS][rounds];
    char path[1024];
    char memory_path[1024];
    (void)snprintf(path, sizeof path, "%s/limits.tgrec", dir);
    (void)snprintf(memory_path, sizeof memory_path, "%s/limits.tgrec", memory_dir);
    for (int round = 0; round < rounds; round++) {
        samples[OVERLOAD_ALL][round] = both_at_once(path);
        samples[OVERLOAD_NO_DISK][round] = both_at_once(memory_path);
        samples[OVERLOAD_NO_COMPACTION][round] = floor_sustained(path, limit_calls);
        (void)unlink(path);
        one_after_the_other(path, &samples[OVERLOAD_PRODUCER][round],
                            &samples[OVERLOAD_NO_PRODUCER][round]);
        samples[OVERLOAD_COMPACTION][round] = compaction_alone();
    }
    for (int i = 0; i < OVERLOAD_LIMITS; i++) {
        ns[i] = bench_quantile(samples[i], rounds, 0.5);
    }
}
