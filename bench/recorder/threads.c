#include "threads.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bytes.h"
#include "log_merge.h"
#include "timing.h"

enum {
    threads = 8,
    calls_each = 500000
};

typedef struct crew {
    tg_recorder *recorder;
    pthread_barrier_t start;
} crew;

static void *record_in_crew(void *arg)
{
    crew *c = arg;
    if (tg_recorder_prepare_thread(c->recorder, "crew") != TG_OK) {
        perror("bench_recorder: ring");
        exit(1);
    }
    (void)pthread_barrier_wait(&c->start);
    int64_t bid = 6784275;
    for (uint32_t i = 0; i < calls_each; i++) {
        bid += i % 7 == 0 ? (int64_t)(i % 5) - 2 : 0;
        TG_RECORD(c->recorder, TG_RECORD_INFO, "id %u bid %" PRId64 " ask %" PRId64 " seq %" PRIu64,
                  i % 120, bid, bid + 25, (uint64_t)i);
    }
    return NULL;
}

static void read_back(const char *path, threads_result *result)
{
    tg__log_file file;
    tg__log_merge merge;
    tg__log_record record;
    uint64_t kept = 0;
    if (tg__log_file_open(path, &file) != TG_OK || file.problem_count != 0 ||
        tg__log_merge_open(&file, 1, &merge) != TG_OK) {
        perror(path);
        exit(1);
    }
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        kept += record.site->id >= TG__SITE_FIRST_OF_USER;
        if (record.site->id == TG__SITE_DROPPED) {
            result->told += tg__get_u64(record.arguments);
        }
    }
    for (size_t i = 0; i < file.note_count; i++) {
        result->told += file.notes[i].kind == TG__NOTE_DROPPED ? file.notes[i].count : 0;
    }
    result->lost = result->calls - kept;
    tg__log_merge_close(&merge);
    tg__log_file_close(&file);
}

threads_result threads_run(const char *dir, tg_overflow overflow)
{
    threads_result result = {threads, (uint64_t)threads * calls_each, 0, 0, 0, 0};
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/threads.tgrec", dir);
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.overflow[TG_RECORD_INFO] = overflow;
    crew c;
    pthread_t ids[threads];
    if (tg_recorder_open(&opt, &c.recorder) != TG_OK ||
        pthread_barrier_init(&c.start, NULL, threads + 1) != 0) {
        perror(path);
        exit(1);
    }
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, record_in_crew, &c) != 0) {
            perror("bench_recorder: thread");
            exit(1);
        }
    }
    (void)pthread_barrier_wait(&c.start);
    const int64_t begin_ns = bench_now_ns();
    for (int i = 0; i < threads; i++) {
        (void)pthread_join(ids[i], NULL);
    }
    const tg_err err = tg_recorder_flush(c.recorder, 60000);
    result.ns = (double)(bench_now_ns() - begin_ns) / (double)result.calls;
    tg_recorder_counters counters = {.struct_size = sizeof counters};
    if (err != TG_OK || tg_recorder_counters_get(c.recorder, &counters) != TG_OK) {
        (void)fprintf(stderr, "bench_recorder: %s\n", tg_err_text(err));
        exit(1);
    }
    result.counted = counters.dropped;
    tg_recorder_close(c.recorder);
    (void)pthread_barrier_destroy(&c.start);
    read_back(path, &result);
    (void)unlink(path);
    return result;
}
