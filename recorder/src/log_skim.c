#include "log_skim.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define WORDS_AT_ONCE 512u /* 4 KiB: they stay in the first cache */

/* Blocks of all threads of the file, counted through; each is some worker's. */
typedef struct shared_blocks {
    tg__log_file *file;
    const tg__skim *wanted;
    pthread_mutex_t problems; /* the file's list of them */
    _Atomic size_t next;
} shared_blocks;

typedef struct worker {
    shared_blocks *shared;
    tg__number_stats stats;
    tg_err err;
    pthread_t thread;
} worker;

static void tell_problem(shared_blocks *shared, tg_err err, const tg__packed *in)
{
    tg__log_file *file = shared->file;
    (void)pthread_mutex_lock(&shared->problems);
    tg__log_file_problem(file, err, (uint64_t)(in->at - file->bytes), (uint64_t)(in->end - in->at),
                         "a record that its dictionary does not explain");
    (void)pthread_mutex_unlock(&shared->problems);
}

static tg_err skim_block(worker *w, tg__pack *pack, const tg__block *block)
{
    const tg__skim *wanted = w->shared->wanted;
    const uint8_t type = wanted->site->types[wanted->index];
    tg__packed in = {block->payload, block->payload + block->payload_size};
    uint64_t words[WORDS_AT_ONCE];
    tg__pack_begin_block(pack);
    while (in.at < in.end) {
        size_t count = 0;
        const tg_err err = tg__skim_records(pack, w->shared->file->sites, &in, wanted, words,
                                            WORDS_AT_ONCE, &count);
        TG_TRY(tg__number_stats_add_words(&w->stats, type, words, count));
        if (err != TG_OK) {
            tell_problem(w->shared, err, &in);
            return TG_OK;
        }
    }
    return TG_OK;
}

static tg_err skim_share(worker *w)
{
    const tg__log_file *file = w->shared->file;
    tg__pack pack;
    TG_TRY(tg__pack_init(&pack, TG__SITES_MAX + 1));
    /* Only the number itself is shared: who gets one reads what was there before the threads. */
    size_t own = atomic_fetch_add_explicit(&w->shared->next, 1, memory_order_relaxed);
    size_t before = 0;
    tg_err err = TG_OK;
    for (size_t t = 0; t < file->thread_count && err == TG_OK; t++) {
        const tg__log_thread *thread = &file->threads[t];
        while (own - before < thread->count && err == TG_OK) {
            const size_t offset = (size_t)thread->offsets[own - before];
            tg__block block;
            if (tg__block_open(file->bytes + offset, file->size - offset, &block) == TG_OK) {
                err = skim_block(w, &pack, &block);
            }
            own = atomic_fetch_add_explicit(&w->shared->next, 1, memory_order_relaxed);
        }
        before += thread->count;
    }
    tg__pack_deinit(&pack);
    return err;
}

static void *work(void *arg)
{
    worker *w = arg;
    w->err = skim_share(w);
    return NULL;
}

tg_err tg__log_skim(tg__log_file *file, const tg__skim *wanted, unsigned threads,
                    tg__number_stats *stats)
{
    shared_blocks shared = {.file = file, .wanted = wanted};
    worker workers[TG__SKIM_THREADS_MAX];
    memset(workers, 0, sizeof workers);
    TG_ENSURE(pthread_mutex_init(&shared.problems, NULL) == 0, TG_ERR_NO_MEMORY);
    unsigned started = 1;
    while (started < threads && started < TG__SKIM_THREADS_MAX) {
        workers[started].shared = &shared;
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0) {
            break; /* those that there are do it all */
        }
        started++;
    }
    workers[0].shared = &shared;
    (void)work(&workers[0]);
    tg_err err = TG_OK;
    for (unsigned i = 0; i < started; i++) {
        if (i != 0) {
            (void)pthread_join(workers[i].thread, NULL);
        }
        err = err == TG_OK ? workers[i].err : err;
        err = err == TG_OK ? tg__number_stats_merge(stats, &workers[i].stats) : err;
        tg__number_stats_deinit(&workers[i].stats);
    }
    (void)pthread_mutex_destroy(&shared.problems);
    return err;
}
