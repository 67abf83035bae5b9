#include "killed.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickglass/recorder.h>

#include "bytes.h"
#include "log_merge.h"
#include "recover.h"

#define CALLS_MAX 400000u

static void record_until_killed(const char *path, _Atomic uint64_t *returned)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    tg_recorder *recorder = NULL;
    if (tg_recorder_open(&opt, &recorder) != TG_OK) {
        _exit(1);
    }
    for (uint64_t i = 0;; i++) {
        TG_RECORD(recorder, TG_RECORD_INFO, "call %" PRIu64 " of many", i);
        atomic_store_explicit(returned, i + 1, memory_order_release); /* read after the kill */
    }
}

/* Numbers that are there in a row from 0, UINT64_MAX: the file cannot be read. */
static uint64_t count_recovered(const char *path, const char *out)
{
    tg__log_file file;
    tg__recover_report report;
    if (tg__log_file_open(path, &file) != TG_OK) {
        return UINT64_MAX;
    }
    const tg_err err = tg__recover(&file, 1, NULL, out, &report);
    tg__log_file_close(&file);
    (void)unlink(report.rings_path);
    if (err != TG_OK || report.no_rings || report.problem[0] != '\0' ||
        tg__log_file_open(out, &file) != TG_OK) {
        return UINT64_MAX;
    }
    uint64_t next = 0;
    tg__log_merge merge;
    tg__log_record record;
    if (tg__log_merge_open(&file, 1, &merge) == TG_OK) {
        while (tg__log_merge_next(&merge, &record) == TG_OK &&
               tg__get_u64(record.arguments) == next) {
            next++;
        }
        tg__log_merge_close(&merge);
    }
    tg__log_file_close(&file);
    return next;
}

static void run_trial(const char *path, const char *out, _Atomic uint64_t *returned,
                      uint64_t wanted, killed_result *result)
{
    atomic_store_explicit(returned, 0, memory_order_release);
    const pid_t child = fork();
    if (child == 0) {
        record_until_killed(path, returned);
    }
    while (child > 0 && atomic_load_explicit(returned, memory_order_acquire) < wanted &&
           waitpid(child, NULL, WNOHANG) == 0) {
        (void)sched_yield();
    }
    if (child > 0) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
    }
    const uint64_t done = atomic_load_explicit(returned, memory_order_acquire);
    const uint64_t found = count_recovered(path, out);
    result->trials++;
    result->returned += done;
    result->unreadable += found == UINT64_MAX || done == 0;
    result->lost += found != UINT64_MAX && found < done ? done - found : 0;
    (void)unlink(path);
    (void)unlink(out);
}

killed_result killed_run(const char *dir, uint32_t trials)
{
    killed_result result;
    memset(&result, 0, sizeof result);
    char path[1024];
    char out[1024];
    char counter[1024];
    (void)snprintf(path, sizeof path, "%s/killed.tgrec", dir);
    (void)snprintf(out, sizeof out, "%s/recovered.tgrec", dir);
    (void)snprintf(counter, sizeof counter, "%s/returned", dir);
    const int fd = open(counter, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0) {
        return result;
    }
    _Atomic uint64_t *returned = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    uint64_t random = 88172645463325252u; /* xorshift64, any odd start */
    for (uint32_t i = 0; returned != MAP_FAILED && i < trials; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        run_trial(path, out, returned, 1 + random % CALLS_MAX, &result);
    }
    (void)close(fd);
    (void)unlink(counter);
    return result;
}
