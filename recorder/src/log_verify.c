#include "log_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log_progress.h"

static void print_file(const tg__log_file *file, uint64_t records)
{
    (void)printf("%s: %" PRIu64 " blocks, %" PRIu64 " records read of %" PRIu64
                 ", %zu threads, %zu anchors, %s\n",
                 file->path, file->block_count, records, file->record_count, file->thread_count,
                 file->times.count, file->ended ? "closed in order" : "not closed");
    if (file->unknown_blocks != 0) {
        (void)printf("%s: %" PRIu64 " blocks of a newer version passed over\n", file->path,
                     file->unknown_blocks);
    }
    const int64_t suspended_ns = tg__time_map_suspended(&file->times);
    const int64_t step_ns = tg__time_map_utc_step(&file->times);
    if (suspended_ns > 1000000) {
        (void)printf("%s: the machine was suspended for %.3f s\n", file->path,
                     (double)suspended_ns / 1e9);
    }
    if (step_ns > 1000000 || step_ns < -1000000) {
        (void)printf("%s: the wall clock stepped by up to %.3f s\n", file->path,
                     (double)step_ns / 1e9);
    }
}

/* One file after the other: a record that cannot be read becomes a problem of its file. */
static tg_err count_records(tg__log_file *file, uint64_t *count)
{
    tg__log_merge merge;
    tg_err err = tg__log_merge_open(file, 1, &merge);
    *count = 0;
    tg__log_record record;
    const log_input input = {file, 1};
    log_progress progress;
    log_progress_start(&progress, &input);
    while (err == TG_OK) {
        err = tg__log_merge_next(&merge, &record);
        log_progress_step(&progress);
        *count += err == TG_OK ? 1 : 0;
    }
    log_progress_end(&progress);
    log_tell_late(&merge);
    tg__log_merge_close(&merge);
    return err == TG_ERR_NOT_FOUND ? TG_OK : err;
}

int log_verify(const log_options *opt)
{
    log_input input;
    int status = log_input_open(opt, &input);
    for (size_t i = 0; i < input.count && status == LOG_OK; i++) {
        uint64_t records = 0;
        const tg_err err = count_records(&input.files[i], &records);
        if (err != TG_OK) {
            status = log_fail(input.files[i].path, err);
            break;
        }
        print_file(&input.files[i], records);
    }
    if (status == LOG_OK) {
        status = log_input_problems(&input);
    }
    log_input_close(&input);
    return status;
}
