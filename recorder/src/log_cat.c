#include "log_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FLUSH_SIZE      (UINT32_C(64) << 10)
#define FOLLOW_PAUSE_NS 200000000

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

/* One record behind `out`; false and nothing there if it is not wanted. */
static tg_err print_record(const log_options *opt, tg__log_text *text, tg__log_record *record,
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

static tg_err print_out(tg__text_buffer *out)
{
    const size_t size = out->size;
    out->size = 0;
    return size == 0 || fwrite(out->bytes, 1, size, stdout) == size ? TG_OK : TG_ERR_IO;
}

static tg_err print_records(const log_options *opt, const tg__log_file *files, tg__log_text *texts,
                            tg__log_merge *merge)
{
    tg__text_buffer out = {NULL, 0, 0, false};
    tg__log_record record;
    tg_err err;
    while ((err = tg__log_merge_next(merge, &record)) == TG_OK) {
        err = print_record(opt, &texts[record.file - files], &record, &out);
        if (err == TG_OK && out.size >= FLUSH_SIZE) {
            err = print_out(&out);
        }
        if (err != TG_OK) {
            break;
        }
    }
    err = err == TG_ERR_NOT_FOUND ? print_out(&out) : err;
    tg__text_buffer_deinit(&out);
    return err == TG_OK && fflush(stdout) != 0 ? TG_ERR_IO : err;
}

static void tell_late(const tg__log_merge *merge)
{
    if (merge->late_count != 0) {
        (void)fprintf(stderr,
                      "tickglass-log: %" PRIu64
                      " records are older than one before them, by %" PRId64 " ns at most\n",
                      merge->late_count, merge->late_most_ns);
    }
}

int log_cat(const log_options *opt)
{
    log_input input;
    int status = log_input_open(opt, &input);
    tg__log_text *texts = calloc(input.count + 1, sizeof *texts);
    tg__log_merge merge;
    memset(&merge, 0, sizeof merge);
    if (status == LOG_OK) {
        tg_err err =
            texts != NULL ? tg__log_merge_open(input.files, input.count, &merge) : TG_ERR_NO_MEMORY;
        if (err == TG_OK) {
            err = print_records(opt, input.files, texts, &merge);
        }
        status = err == TG_OK ? log_input_problems(&input) : log_fail("standard output", err);
        tell_late(&merge);
    }
    for (size_t i = 0; texts != NULL && i < input.count; i++) {
        tg__log_text_deinit(&texts[i]);
    }
    tg__log_merge_close(&merge);
    free(texts);
    log_input_close(&input);
    return status;
}

/* What there is, then what comes, until the file is closed in order. */
static tg_err follow(const log_options *opt, tg__log_file *file, tg__log_text *text)
{
    for (;;) {
        tg__log_merge merge;
        tg_err err = tg__log_merge_open(file, 1, &merge);
        if (err == TG_OK) {
            err = print_records(opt, file, text, &merge);
            tg__log_merge_close(&merge);
        }
        if (err != TG_OK || file->ended) {
            return err;
        }
        const struct timespec pause = {0, FOLLOW_PAUSE_NS};
        (void)nanosleep(&pause, NULL);
        err = tg__log_file_extend(file);
        if (err != TG_OK) {
            return err;
        }
    }
}

int log_tail(const log_options *opt)
{
    if (opt->path_count != 1) {
        (void)fprintf(stderr, "tickglass-log: tail follows one file\n");
        return LOG_USAGE;
    }
    log_input input = {calloc(1, sizeof *input.files), 0};
    tg__log_text *text = calloc(1, sizeof *text);
    tg_err err = input.files != NULL && text != NULL
                     ? tg__log_file_follow(opt->paths[0], input.files)
                     : TG_ERR_NO_MEMORY;
    int status = LOG_OK;
    if (err == TG_OK) {
        input.count = 1;
        err = follow(opt, input.files, text);
        status = log_input_problems(&input);
    }
    if (err != TG_OK) {
        status = log_fail(opt->paths[0], err);
    }
    if (text != NULL) {
        tg__log_text_deinit(text);
    }
    free(text);
    log_input_close(&input);
    return status;
}
