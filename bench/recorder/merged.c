#include "merged.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/recorder.h>

#include "bytes.h"
#include "log_merge.h"
#include "log_text.h"
#include "pack.h"
#include "timing.h"

enum {
    threads = 4096,
    threads_a_file = 512,
    files = threads / threads_a_file,
    records_each = 400,
    rings = 64,
    rounds = 5
};

#define START_NS INT64_C(1000000000000)
#define STEP_NS  INT64_C(97)

typedef struct recording {
    tg_recorder *recorder;
    uint32_t number;
} recording;

static void must(bool good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}

/* Given stamps, so that each thread's next record lies behind one of every other thread, though
 * they run one after the other: the worst case of merging. */
static void *record_share(void *arg)
{
    const recording *r = arg;
    for (uint32_t i = 0; i < records_each; i++) {
        TG_RECORD_AT(r->recorder, TG_RECORD_INFO,
                     START_NS + ((int64_t)i * threads + r->number) * STEP_NS,
                     "id %u bid %" PRId64 " ask %" PRId64 " seq %" PRIu64, r->number,
                     INT64_C(6784275) + i % 5, INT64_C(6784300), (uint64_t)i);
    }
    return NULL;
}

static void make_file(const char *path, uint32_t file)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    opt.threads_max = 2 * rings;
    recording r = {NULL, 0};
    must(tg_recorder_open(&opt, &r.recorder) == TG_OK, path);
    for (uint32_t i = 0; i < threads_a_file; i++) {
        pthread_t thread;
        r.number = i * files + file;
        must(pthread_create(&thread, NULL, record_share, &r) == 0, "thread");
        (void)pthread_join(thread, NULL);
        if (i % rings == rings - 1) { /* the rings of those that have ended serve the next */
            must(tg_recorder_flush(r.recorder, 10000) == TG_OK, path);
        }
    }
    tg_recorder_close(r.recorder);
}

/* The files' records to text, each as it comes. */
static double print_unsorted(tg__log_file *file_row, tg__log_text *texts)
{
    static unsigned char ring_form[TG_RECORD_BYTES_MAX + 4096];
    tg__text_buffer out = {NULL, 0, 0, false};
    const int64_t begin_ns = bench_cpu_ns();
    for (int f = 0; f < files; f++) {
        tg__log_file *file = &file_row[f];
        tg__pack pack;
        must(tg__pack_init(&pack, TG__SITES_MAX + 1) == TG_OK, "memory");
        for (size_t t = 0; t < file->thread_count; t++) {
            const tg__log_thread *thread = &file->threads[t];
            for (size_t b = 0; b < thread->count; b++) {
                const size_t offset = (size_t)thread->offsets[b];
                tg__block block;
                must(tg__block_open(file->bytes + offset, file->size - offset, &block) == TG_OK,
                     "block");
                tg__packed in = {block.payload, block.payload + block.payload_size};
                tg__pack_begin_block(&pack);
                while (in.at < in.end) {
                    must(tg__unpack_record(&pack, file->sites, &in, ring_form, sizeof ring_form) ==
                             TG_OK,
                         "record");
                    const uint32_t id = tg__get_u32(ring_form + 4) & ~TG__SITE_STAMP_NS;
                    const int64_t mono_ns = (int64_t)tg__get_u64(ring_form + 8);
                    const tg__log_record record = {
                        .file = file,
                        .site = &file->sites[id],
                        .thread = thread->number,
                        .thread_name = thread->name,
                        .mono_ns = mono_ns,
                        .utc_ns = tg__time_map_utc(&file->times, mono_ns),
                        .arguments = ring_form + TG__RECORD_HEADER,
                        .arguments_size = tg__get_u32(ring_form) - TG__RECORD_HEADER};
                    out.size = 0;
                    must(tg__log_text_line(&texts[f], &record, &out) == TG_OK, "text");
                }
            }
        }
        tg__pack_deinit(&pack);
    }
    const double took_ns = (double)(bench_cpu_ns() - begin_ns);
    tg__text_buffer_deinit(&out);
    return took_ns;
}

static double print_merged(tg__log_file *file_row, tg__log_text *texts, merged_result *result)
{
    tg__text_buffer out = {NULL, 0, 0, false};
    tg__log_merge merge;
    tg__log_record record;
    int64_t last_ns = INT64_MIN;
    result->records = 0;
    const int64_t begin_ns = bench_cpu_ns();
    must(tg__log_merge_open(file_row, files, &merge) == TG_OK, "merge");
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        result->out_of_order += record.mono_ns < last_ns;
        last_ns = record.mono_ns;
        result->records++;
        out.size = 0;
        must(tg__log_text_line(&texts[record.file - file_row], &record, &out) == TG_OK, "text");
    }
    const double took_ns = (double)(bench_cpu_ns() - begin_ns);
    tg__log_merge_close(&merge);
    tg__text_buffer_deinit(&out);
    return took_ns;
}

merged_result merged_run(const char *dir)
{
    static tg__log_file file_row[files];
    static char paths[files][1024];
    static tg__log_text texts[files];
    merged_result result = {0, 0, 0, 0, 0};
    double unsorted[rounds];
    double merged[rounds];
    for (uint32_t f = 0; f < files; f++) {
        (void)snprintf(paths[f], sizeof paths[f], "%s/merged-%u.tgrec", dir, (unsigned)f);
        make_file(paths[f], f);
        must(tg__log_file_open(paths[f], &file_row[f]) == TG_OK, paths[f]);
        result.threads += file_row[f].thread_count;
    }
    for (int i = 0; i < rounds; i++) {
        unsorted[i] = print_unsorted(file_row, texts);
        merged[i] = print_merged(file_row, texts, &result);
    }
    result.unsorted_ns = bench_quantile(unsorted, rounds, 0.5) / (double)result.records;
    result.merged_ns = bench_quantile(merged, rounds, 0.5) / (double)result.records;
    for (int f = 0; f < files; f++) {
        tg__log_text_deinit(&texts[f]);
        tg__log_file_close(&file_row[f]);
        (void)unlink(paths[f]);
    }
    return result;
}
