#include "log_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_SIZE (UINT32_C(64) << 10)

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

static tg_err print_records(const log_options *opt, log_input *input, tg__log_text *texts,
                            tg__log_merge *merge)
{
    tg__text_buffer out = {NULL, 0, 0, false};
    tg__log_record record;
    tg_err err;
    while ((err = tg__log_merge_next(merge, &record)) == TG_OK) {
        if (!log_wants(opt, &record)) {
            continue;
        }
        tg__log_text *text = &texts[record.file - input->files];
        const size_t before = out.size;
        err = opt->json ? tg__log_text_json(text, &record, &out)
                        : tg__log_text_line(text, &record, &out);
        if (err != TG_OK) {
            break;
        }
        if (opt->contains != NULL && !contains(&out, before, opt->contains)) {
            out.size = before;
        }
        if (out.size >= FLUSH_SIZE) {
            if (fwrite(out.bytes, 1, out.size, stdout) != out.size) {
                err = TG_ERR_IO;
                break;
            }
            out.size = 0;
        }
    }
    if (out.size != 0 && fwrite(out.bytes, 1, out.size, stdout) != out.size) {
        err = TG_ERR_IO;
    }
    tg__text_buffer_deinit(&out);
    return err == TG_ERR_NOT_FOUND && fflush(stdout) == 0 ? TG_OK : err;
}

int log_cat(const log_options *opt)
{
    log_input input;
    int status = log_input_open(opt, &input);
    tg__log_text *texts = calloc(input.count + 1, sizeof *texts);
    tg__log_merge merge;
    memset(&merge, 0, sizeof merge);
    if (status == LOG_OK && texts != NULL) {
        tg_err err = tg__log_merge_open(input.files, input.count, &merge);
        if (err == TG_OK) {
            err = print_records(opt, &input, texts, &merge);
        }
        status = err == TG_OK ? log_input_problems(&input) : log_fail("standard output", err);
        if (merge.late_count != 0) {
            (void)fprintf(stderr,
                          "tickglass-log: %" PRIu64
                          " records are older than one before them, by %" PRId64 " ns at most\n",
                          merge.late_count, merge.late_most_ns);
        }
    }
    for (size_t i = 0; texts != NULL && i < input.count; i++) {
        tg__log_text_deinit(&texts[i]);
    }
    tg__log_merge_close(&merge);
    free(texts);
    log_input_close(&input);
    return status;
}
