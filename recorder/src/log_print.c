#include "log_print.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "log_progress.h"

#define BATCHES       8u
#define BATCH_RECORDS 1024u
#define BATCH_BYTES   (UINT32_C(128) << 10) /* of arguments, and one record more */
#define FLUSH_SIZE    (UINT32_C(64) << 10)

/* Some records, copied out of the merge, and then their text. */
typedef struct print_batch {
    tg__log_record *records; /* BATCH_RECORDS */
    size_t count;
    tg__text_buffer arguments; /* those of each record, one behind the other */
    tg__text_buffer text;
    tg_err err;
    bool done; /* the text is made */
} print_batch;

/* Batches are numbered through; number n lies in batches[n % BATCHES]. printed <= taken <= filled
 * <= printed + BATCHES. */
typedef struct printing {
    const log_options *opt;
    const log_input *input;
    print_batch batches[BATCHES];
    pthread_mutex_t lock; /* over what follows, and each batch's `done` */
    pthread_cond_t changed;
    uint64_t filled;
    uint64_t taken; /* somebody makes the text of those before it, or has made it */
    uint64_t printed;
    bool over; /* no more are filled */
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

static void make_text(const printing *p, tg__log_text *texts, print_batch *batch)
{
    const char *arguments = batch->arguments.bytes;
    batch->text.size = 0;
    for (size_t i = 0; i < batch->count && batch->err == TG_OK; i++) {
        tg__log_record *record = &batch->records[i];
        /* Only now, when they do not move any more. Never NULL. */
        record->arguments = (const unsigned char *)(arguments != NULL ? arguments : "");
        arguments += arguments != NULL ? record->arguments_size : 0;
        batch->err =
            print_record(p->opt, &texts[record->file - p->input->files], record, &batch->text);
    }
}

/* Take the oldest batch that waits for its text. Locked, and so again on return. */
static void make_text_of_next(printing *p, tg__log_text *texts)
{
    print_batch *batch = &p->batches[p->taken++ % BATCHES];
    (void)pthread_mutex_unlock(&p->lock);
    make_text(p, texts, batch);
    (void)pthread_mutex_lock(&p->lock);
    batch->done = true;
    (void)pthread_cond_broadcast(&p->changed);
}

static tg__log_text *texts_make(const printing *p)
{
    return calloc(p->input->count + 1, sizeof(tg__log_text));
}

static void texts_free(const printing *p, tg__log_text *texts)
{
    for (size_t i = 0; texts != NULL && i < p->input->count; i++) {
        tg__log_text_deinit(&texts[i]);
    }
    free(texts);
}

static void *make_texts(void *arg)
{
    printing *p = arg;
    tg__log_text *texts = texts_make(p);
    (void)pthread_mutex_lock(&p->lock);
    while (texts != NULL) { /* without memory the others do it all */
        while (p->taken == p->filled && !p->over) {
            (void)pthread_cond_wait(&p->changed, &p->lock);
        }
        if (p->taken == p->filled) {
            break;
        }
        make_text_of_next(p, texts);
    }
    (void)pthread_mutex_unlock(&p->lock);
    texts_free(p, texts);
    return NULL;
}

/* TG_ERR_NOT_FOUND: that was the last one. */
static tg_err fill(print_batch *batch, tg__log_merge *merge, log_progress *progress)
{
    batch->count = 0;
    batch->err = TG_OK;
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

/* The calling thread: what is done is printed, what is free is filled, and only then is text made
 * here too. */
static tg_err run(printing *p, tg__log_merge *merge, tg__log_text *texts)
{
    log_progress progress;
    log_progress_start(&progress, p->input);
    tg_err err = TG_OK;
    (void)pthread_mutex_lock(&p->lock);
    while (err == TG_OK && (!p->over || p->printed != p->filled)) {
        print_batch *oldest = &p->batches[p->printed % BATCHES];
        if (p->printed < p->taken && oldest->done) {
            (void)pthread_mutex_unlock(&p->lock);
            err = oldest->err == TG_OK ? print(&oldest->text) : oldest->err;
            (void)pthread_mutex_lock(&p->lock);
            oldest->done = false;
            p->printed++;
        } else if (!p->over && p->filled - p->printed < BATCHES) {
            print_batch *free_one = &p->batches[p->filled % BATCHES];
            (void)pthread_mutex_unlock(&p->lock);
            err = fill(free_one, merge, &progress);
            (void)pthread_mutex_lock(&p->lock);
            p->over = err == TG_ERR_NOT_FOUND;
            err = p->over ? TG_OK : err;
            p->filled++;
            (void)pthread_cond_broadcast(&p->changed);
        } else if (p->taken < p->filled) {
            make_text_of_next(p, texts);
        } else {
            (void)pthread_cond_wait(&p->changed, &p->lock);
        }
    }
    p->over = true;
    p->taken = p->filled; /* after an error: nobody makes the rest */
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->lock);
    log_progress_end(&progress);
    return err == TG_OK && fflush(stdout) != 0 ? TG_ERR_IO : err;
}

static tg_err run_with_threads(printing *p, tg__log_merge *merge, tg__log_text *texts,
                               unsigned threads)
{
    pthread_t others[LOG_PRINT_THREADS_MAX];
    unsigned started = 0;
    while (started + 1 < threads && started < LOG_PRINT_THREADS_MAX &&
           pthread_create(&others[started], NULL, make_texts, p) == 0) {
        started++; /* those that there are do it all */
    }
    const tg_err err = run(p, merge, texts);
    for (unsigned i = 0; i < started; i++) {
        (void)pthread_join(others[i], NULL);
    }
    return err;
}

tg_err log_print_all(const log_options *opt, const log_input *input, tg__log_merge *merge,
                     unsigned threads)
{
    printing *p = calloc(1, sizeof *p);
    TG_ENSURE(p != NULL, TG_ERR_NO_MEMORY);
    p->opt = opt;
    p->input = input;
    tg__log_text *texts = texts_make(p);
    tg_err err = texts != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    for (unsigned i = 0; i < BATCHES && err == TG_OK; i++) {
        p->batches[i].records = calloc(BATCH_RECORDS, sizeof *p->batches[i].records);
        err = p->batches[i].records != NULL ? TG_OK : TG_ERR_NO_MEMORY;
    }
    if (err == TG_OK && pthread_mutex_init(&p->lock, NULL) != 0) {
        err = TG_ERR_NO_MEMORY;
    } else if (err == TG_OK) {
        if (pthread_cond_init(&p->changed, NULL) == 0) {
            err = run_with_threads(p, merge, texts, threads);
            (void)pthread_cond_destroy(&p->changed);
        } else {
            err = TG_ERR_NO_MEMORY;
        }
        (void)pthread_mutex_destroy(&p->lock);
    }
    for (unsigned i = 0; i < BATCHES; i++) {
        free(p->batches[i].records);
        tg__text_buffer_deinit(&p->batches[i].arguments);
        tg__text_buffer_deinit(&p->batches[i].text);
    }
    texts_free(p, texts);
    free(p);
    return err;
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
