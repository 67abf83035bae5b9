#include "log_print.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "log_progress.h"

/* A thread that finds another one taking or printing sleeps, and is awake again after some 50 µs:
 * batches take a millisecond or two. */
#define BATCH_RECORDS 8192u
#define BATCH_BYTES   (UINT32_C(1) << 20) /* of arguments, and one record more */
#define CACHE_LINE    64
#define FLUSH_SIZE    (UINT32_C(64) << 10)

/* Some records, copied out of the merge, and then their text. */
typedef struct print_batch {
    tg__log_record *records; /* BATCH_RECORDS */
    size_t count;
    tg__text_buffer arguments; /* those of each record, one behind the other */
    tg__text_buffer text;
} print_batch;

/*
 * Threads in turn take the next records out of the merge, each into a batch of its own; the one
 * that took them makes their text, for they are in its cache, while the next thread takes; then
 * they print in the order in which they took. So there is one batch for each thread, and no queue.
 */
typedef struct printing {
    const log_options *opt;
    const log_input *input;
    /* What is written for each record does not lie beside what others read for each of theirs. */
    _Alignas(2 * CACHE_LINE) pthread_mutex_t taking; /* over these: */
    tg__log_merge *merge;
    log_progress progress;
    uint64_t taken;                                /* batches */
    bool over;                                     /* no more are taken */
    _Alignas(2 * CACHE_LINE) pthread_mutex_t turn; /* over these: */
    pthread_cond_t next_turn;
    uint64_t printed;
    tg_err err;  /* the first one, by the order of batches */
    int failure; /* its errno, which is the thread's that met it */
} printing;

static bool contains(const tg__text_buffer *text, size_t from, const char *wanted)
{
    const size_t length = strlen(wanted);
    for (size_t at = from; text->size - at >= length; at++) {
        if (memcmp(text->bytes + at, wanted, length) == 0) {
            return true;
        }
    }
    return false;
}

/* One record behind `out`, or nothing if it is not wanted. */
static tg_err print_record(const log_options *opt, tg__log_text *text, const tg__log_record *record,
                           tg__text_buffer *out)
{
    if (!log_wants(opt, record)) {
        return TG_OK;
    }
    const size_t before = out->size;
    const tg_err err =
        opt->json ? tg__log_text_json(text, record, out) : tg__log_text_line(text, record, out);
    if (err == TG_OK && opt->contains != NULL && !contains(out, before, opt->contains)) {
        out->size = before;
    }
    return err;
}

static tg_err make_text(const printing *p, tg__log_text *texts, print_batch *batch)
{
    const char *arguments = batch->arguments.bytes;
    batch->text.size = 0;
    for (size_t i = 0; i < batch->count; i++) {
        tg__log_record *record = &batch->records[i];
        /* Only now, when they do not move any more. Never NULL. */
        record->arguments = (const unsigned char *)(arguments != NULL ? arguments : "");
        arguments += arguments != NULL ? record->arguments_size : 0;
        TG_TRY(print_record(p->opt, &texts[record->file - p->input->files], record, &batch->text));
    }
    return TG_OK;
}

/* TG_ERR_NOT_FOUND: that was the last one. */
static tg_err fill(print_batch *batch, tg__log_merge *merge, log_progress *progress)
{
    batch->count = 0;
    batch->arguments.size = 0;
    while (batch->count < BATCH_RECORDS && batch->arguments.size < BATCH_BYTES) {
        tg__log_record *record = &batch->records[batch->count];
        TG_TRY(tg__log_merge_next(merge, record));
        tg__text_add(&batch->arguments, (const char *)record->arguments, record->arguments_size);
        TG_ENSURE(!batch->arguments.failed, TG_ERR_NO_MEMORY);
        batch->count++;
        log_progress_step(progress);
    }
    return TG_OK;
}

static tg_err print(const tg__text_buffer *text)
{
    return text->size == 0 || fwrite(text->bytes, 1, text->size, stdout) == text->size ? TG_OK
                                                                                       : TG_ERR_IO;
}

/* The next records and the number of their batch. False: there are no more. */
static bool take(printing *p, print_batch *batch, uint64_t *number, tg_err *err)
{
    (void)pthread_mutex_lock(&p->taking);
    const bool wanted = !p->over;
    if (wanted) {
        *number = p->taken++;
        *err = fill(batch, p->merge, &p->progress);
        p->over = *err != TG_OK;
        *err = *err == TG_ERR_NOT_FOUND ? TG_OK : *err;
    }
    (void)pthread_mutex_unlock(&p->taking);
    return wanted;
}

/* Once all batches before it are. After the first error nothing is printed any more. */
static tg_err print_in_order(printing *p, const print_batch *batch, uint64_t number, tg_err err)
{
    (void)pthread_mutex_lock(&p->turn);
    while (p->printed != number) {
        (void)pthread_cond_wait(&p->next_turn, &p->turn);
    }
    if (p->err == TG_OK) {
        p->err = err == TG_OK ? print(&batch->text) : err;
        p->failure = errno;
    }
    const tg_err so_far = p->err;
    p->printed++;
    (void)pthread_cond_broadcast(&p->next_turn);
    (void)pthread_mutex_unlock(&p->turn);
    return so_far;
}

static void stop_taking(printing *p)
{
    (void)pthread_mutex_lock(&p->taking);
    p->over = true;
    (void)pthread_mutex_unlock(&p->taking);
}

static tg_err print_batches(printing *p, tg__log_text *texts, print_batch *batch)
{
    uint64_t number = 0;
    tg_err err = TG_OK;
    while (take(p, batch, &number, &err)) {
        err = err == TG_OK ? make_text(p, texts, batch) : err;
        err = print_in_order(p, batch, number, err);
        if (err != TG_OK) {
            stop_taking(p);
            break;
        }
    }
    return err;
}

/* One of the threads. TG_ERR_NO_MEMORY before it has taken anything: the others do it all. */
static tg_err work_here(printing *p)
{
    print_batch batch;
    memset(&batch, 0, sizeof batch);
    batch.records = calloc(BATCH_RECORDS, sizeof *batch.records);
    tg__log_text *texts = calloc(p->input->count + 1, sizeof *texts);
    tg_err err = TG_ERR_NO_MEMORY;
    if (batch.records != NULL && texts != NULL) {
        err = print_batches(p, texts, &batch);
    }
    for (size_t i = 0; texts != NULL && i < p->input->count; i++) {
        tg__log_text_deinit(&texts[i]);
    }
    free(texts);
    free(batch.records);
    tg__text_buffer_deinit(&batch.arguments);
    tg__text_buffer_deinit(&batch.text);
    return err;
}

static void *work(void *arg)
{
    (void)!work_here(arg); /* what went wrong stands in printing, or another one does it */
    return NULL;
}

static tg_err work_together(printing *p, unsigned threads)
{
    pthread_t others[LOG_PRINT_THREADS_MAX];
    unsigned started = 0;
    while (started + 1 < threads && started < LOG_PRINT_THREADS_MAX &&
           pthread_create(&others[started], NULL, work, p) == 0) {
        started++; /* those that there are do it all */
    }
    const tg_err err = work_here(p);
    for (unsigned i = 0; i < started; i++) {
        (void)pthread_join(others[i], NULL);
    }
    return p->err == TG_OK && err != TG_OK && !p->over ? err : p->err;
}

tg_err log_print_all(const log_options *opt, const log_input *input, tg__log_merge *merge,
                     unsigned threads)
{
    printing p;
    memset(&p, 0, sizeof p);
    p.opt = opt;
    p.input = input;
    p.merge = merge;
    TG_ENSURE(pthread_mutex_init(&p.taking, NULL) == 0, TG_ERR_NO_MEMORY);
    tg_err err = TG_ERR_NO_MEMORY;
    if (pthread_mutex_init(&p.turn, NULL) == 0) {
        if (pthread_cond_init(&p.next_turn, NULL) == 0) {
            log_progress_start(&p.progress, input);
            err = work_together(&p, threads);
            log_progress_end(&p.progress);
            errno = p.failure;
            (void)pthread_cond_destroy(&p.next_turn);
        }
        (void)pthread_mutex_destroy(&p.turn);
    }
    (void)pthread_mutex_destroy(&p.taking);
    return err == TG_OK && fflush(stdout) != 0 ? TG_ERR_IO : err;
}

tg_err log_print_in_turn(const log_options *opt, const tg__log_file *files, tg__log_text *texts,
                         tg__log_merge *merge)
{
    tg__text_buffer out = {NULL, 0, 0, false};
    tg__log_record record;
    tg_err err;
    while ((err = tg__log_merge_next(merge, &record)) == TG_OK) {
        err = print_record(opt, &texts[record.file - files], &record, &out);
        if (err == TG_OK && out.size >= FLUSH_SIZE) {
            err = print(&out);
            out.size = 0;
        }
        if (err != TG_OK) {
            break;
        }
    }
    err = err == TG_ERR_NOT_FOUND ? print(&out) : err;
    tg__text_buffer_deinit(&out);
    return err == TG_OK && fflush(stdout) != 0 ? TG_ERR_IO : err;
}
