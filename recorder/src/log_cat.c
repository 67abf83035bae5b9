#include "log_command.h"

#include <string.h>
#include <unistd.h>

#include "log_print.h"

#define FEW_RECORDS 20000u /* done before another thread has begun */

static unsigned thread_count(const log_input *input)
{
    uint64_t records = 0;
    for (size_t i = 0; i < input->count; i++) {
        records += input->files[i].record_count;
    }
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (records < FEW_RECORDS || processors < 2) {
        return 1;
    }
    return processors < (long)LOG_PRINT_THREADS_MAX ? (unsigned)processors : LOG_PRINT_THREADS_MAX;
}

int log_cat(const log_options *opt)
{
    log_input input;
    int status = log_input_open(opt, &input);
    if (status == LOG_OK) {
        tg__log_merge merge;
        tg_err err = tg__log_merge_open(input.files, input.count, &merge);
        if (err == TG_OK) {
            err = log_print_all(opt, &input, &merge, thread_count(&input));
        }
        status = err == TG_OK ? log_input_problems(&input) : log_fail("standard output", err);
        log_tell_late(&merge);
        tg__log_merge_close(&merge);
    }
    log_input_close(&input);
    return status;
}
