#include "log_skim.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
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

/* A block in hand. */
typedef struct lane {
    tg__skim_lane skim;
    tg__pack pack;
    uint64_t words[WORDS_AT_ONCE];
    bool has_block;
} lane;

typedef struct worker {
    shared_blocks *shared;
    tg__number_stats stats;
    /* Where its latest block stands: blocks come with rising numbers. */
    size_t thread_number;
    size_t before; /* blocks of the threads before that one */
    tg_err err;
    pthread_t running;
} worker;

static void tell_problem(shared_blocks *shared, tg_err err, const tg__packed *in)
{
    tg__log_file *file = shared->file;
    (void)pthread_mutex_lock(&shared->problems);
    tg__log_file_problem(file, err, (uint64_t)(in->at - file->bytes), (uint64_t)(in->end - in->at),
                         "a record that its dictionary does not explain");
    (void)pthread_mutex_unlock(&shared->problems);
}

/* False: none is left. */
static bool next_block(worker *w, tg__block *out)
{
    const tg__log_file *file = w->shared->file;
    for (;;) {
        /* Only the number itself is shared: who gets one reads what was there before the threads.
         */
        const size_t own = atomic_fetch_add_explicit(&w->shared->next, 1, memory_order_relaxed);
        while (w->thread_number < file->thread_count &&
               own - w->before >= file->threads[w->thread_number].count) {
            w->before += file->threads[w->thread_number++].count;
        }
        if (w->thread_number == file->thread_count) {
            return false;
        }
        const size_t offset = (size_t)file->threads[w->thread_number].offsets[own - w->before];
        if (tg__block_open(file->bytes + offset, file->size - offset, out) == TG_OK) {
            return true;
        }
    }
}

/* Gives the lane a block if it has none. */
static void refill(worker *w, lane *l)
{
    tg__block block;
    if (!l->has_block && next_block(w, &block)) {
        l->skim.in = (tg__packed){block.payload, block.payload + block.payload_size};
        tg__pack_begin_block(&l->pack);
        l->has_block = true;
    }
}

/* What the lane has taken, once it is full or its block is over. */
static tg_err take_in(worker *w, lane *l, tg_err err)
{
    const tg__skim *wanted = w->shared->wanted;
    if (err != TG_OK) {
        tell_problem(w->shared, err, &l->skim.in);
        l->skim.in.at = l->skim.in.end;
    }
    if (l->skim.in.at == l->skim.in.end) {
        l->has_block = false;
    } else if (l->skim.count < l->skim.capacity) {
        return TG_OK;
    }
    const size_t count = l->skim.count;
    l->skim.count = 0;
    return tg__number_stats_add_words(&w->stats, wanted->site->types[wanted->index], l->words,
                                      count);
}

static tg_err skim_blocks(worker *w, lane lanes[TG__SKIM_LANES])
{
    const tg__site_info *sites = w->shared->file->sites;
    const tg__skim *wanted = w->shared->wanted;
    tg__skim_lane *row[TG__SKIM_LANES];
    for (unsigned i = 0; i < TG__SKIM_LANES; i++) {
        row[i] = &lanes[i].skim;
    }
    for (;;) {
        unsigned with_block = 0;
        for (unsigned i = 0; i < TG__SKIM_LANES; i++) {
            refill(w, &lanes[i]);
            with_block += lanes[i].has_block;
        }
        if (with_block == 0) {
            return TG_OK;
        }
        const bool is_row = with_block == TG__SKIM_LANES;
        if (is_row) {
            tg__skim_row(wanted, row);
        }
        for (unsigned i = 0; i < TG__SKIM_LANES; i++) {
            if (lanes[i].has_block) {
                TG_TRY(take_in(w, &lanes[i],
                               is_row ? tg__skim_one(sites, wanted, row[i])
                                      : tg__skim_on(sites, wanted, row[i])));
            }
        }
    }
}

static tg_err skim_share(worker *w)
{
    lane lanes[TG__SKIM_LANES];
    tg__skim_shapes shapes;
    memset(lanes, 0, sizeof lanes);
    memset(&shapes, 0, sizeof shapes);
    tg_err err = TG_OK;
    for (unsigned i = 0; i < TG__SKIM_LANES && err == TG_OK; i++) {
        err = tg__pack_init(&lanes[i].pack, TG__SITES_MAX + 1);
        lanes[i].skim.pack = &lanes[i].pack;
        lanes[i].skim.words = lanes[i].words;
        lanes[i].skim.capacity = WORDS_AT_ONCE;
        lanes[i].skim.shapes = &shapes;
    }
    if (err == TG_OK) {
        err = skim_blocks(w, lanes);
    }
    for (unsigned i = 0; i < TG__SKIM_LANES; i++) {
        tg__pack_deinit(&lanes[i].pack);
    }
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
        if (pthread_create(&workers[started].running, NULL, work, &workers[started]) != 0) {
            break; /* those that there are do it all */
        }
        started++;
    }
    workers[0].shared = &shared;
    (void)work(&workers[0]);
    tg_err err = TG_OK;
    for (unsigned i = 0; i < started; i++) {
        if (i != 0) {
            (void)pthread_join(workers[i].running, NULL);
        }
        err = err == TG_OK ? workers[i].err : err;
        err = err == TG_OK ? tg__number_stats_merge(stats, &workers[i].stats) : err;
        tg__number_stats_deinit(&workers[i].stats);
    }
    (void)pthread_mutex_destroy(&shared.problems);
    return err;
}
