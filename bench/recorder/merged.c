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
    rounds = 9
};

#define START_NS INT64_C(1000000000000)
#define STEP_NS  INT64_C(97)

typedef struct recording {
    tg_recorder *recorder;
    uint32_t number;
} recording;

/* A merge that is read in turns. */
typedef struct merging {
    tg__log_file *file_row;
    tg__log_text *texts; /* by file */
    tg__text_buffer out;
    tg__log_merge merge;
    bool is_open;
    int64_t last_ns;
    uint64_t records; /* of the merge that is open, or of the latest */
    uint64_t out_of_order;
} merging;

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

/* The text of one file's records, each as it comes. */
static double print_unsorted(tg__log_file *file, tg__log_text *text, tg__text_buffer *out)
{
    static unsigned char ring_form[TG_RECORD_BYTES_MAX + 4096];
    const int64_t begin_ns = bench_cpu_ns();
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
                const tg__log_record record = {.file = file,
                                               .site = &file->sites[id],
                                               .thread = thread->number,
                                               .thread_name = thread->name,
                                               .mono_ns = mono_ns,
                                               .utc_ns = tg__time_map_utc(&file->times, mono_ns),
                                               .arguments = ring_form + TG__RECORD_HEADER,
                                               .arguments_size =
                                                   tg__get_u32(ring_form) - TG__RECORD_HEADER};
                out->size = 0;
                must(tg__log_text_line(text, &record, out) == TG_OK, "text");
            }
        }
    }
    tg__pack_deinit(&pack);
    return (double)(bench_cpu_ns() - begin_ns);
}

/* The text of the merge's next records, at most so many. Opening it belongs to the first turn,
 * closing it to the last. */
static double print_merged(merging *m, uint64_t most)
{
    tg__log_record record;
    const int64_t begin_ns = bench_cpu_ns();
    if (!m->is_open) {
        must(tg__log_merge_open(m->file_row, files, &m->merge) == TG_OK, "merge");
        m->is_open = true;
        m->last_ns = INT64_MIN;
        m->records = 0;
    }
    uint64_t count = 0;
    while (count < most && tg__log_merge_next(&m->merge, &record) == TG_OK) {
        m->out_of_order += record.mono_ns < m->last_ns;
        m->last_ns = record.mono_ns;
        count++;
        m->out.size = 0;
        must(tg__log_text_line(&m->texts[record.file - m->file_row], &record, &m->out) == TG_OK,
             "text");
    }
    m->records += count;
    if (count < most) {
        tg__log_merge_close(&m->merge);
        m->is_open = false;
    }
    return (double)(bench_cpu_ns() - begin_ns);
}

/* All records both ways, a file's worth in turn: some hundredths of a second, so that a machine
 * whose speed changes changes it for both. */
static void print_both(merging *m, double *unsorted_ns, double *merged_ns)
{
    *unsorted_ns = 0;
    *merged_ns = 0;
    for (int f = 0; f < files; f++) {
        const uint64_t most = f + 1 < files ? m->file_row[f].record_count : UINT64_MAX;
        *unsorted_ns += print_unsorted(&m->file_row[f], &m->texts[f], &m->out);
        *merged_ns += print_merged(m, most);
    }
}

merged_result merged_run(const char *dir)
{
    static tg__log_file file_row[files];
    static char paths[files][1024];
    static tg__log_text texts[files];
    merging m = {.file_row = file_row, .texts = texts};
    merged_result result = {0, 0, 0, 0, 0, 0};
    double unsorted_ns[rounds];
    double merged_ns[rounds];
    double ratios[rounds];
    for (uint32_t f = 0; f < files; f++) {
        (void)snprintf(paths[f], sizeof paths[f], "%s/merged-%u.tgrec", dir, (unsigned)f);
        make_file(paths[f], f);
        must(tg__log_file_open(paths[f], &file_row[f]) == TG_OK, paths[f]);
        result.threads += file_row[f].thread_count;
    }
    for (int i = 0; i < rounds; i++) {
        print_both(&m, &unsorted_ns[i], &merged_ns[i]);
        ratios[i] = merged_ns[i] / unsorted_ns[i];
    }
    result.records = m.records;
    result.out_of_order = m.out_of_order;
    result.unsorted_ns = bench_quantile(unsorted_ns, rounds, 0.5) / (double)m.records;
    result.merged_ns = bench_quantile(merged_ns, rounds, 0.5) / (double)m.records;
    result.ratio = bench_quantile(ratios, rounds, 0.5);
    tg__text_buffer_deinit(&m.out);
    for (int f = 0; f < files; f++) {
        tg__log_text_deinit(&texts[f]);
        tg__log_file_close(&file_row[f]);
        (void)unlink(paths[f]);
    }
    return result;
}
