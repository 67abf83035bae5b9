#include "printed.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickglass/recorder.h>

#include "log_print.h"
#include "timing.h"

enum {
    threads = 2,
    records_each = 500000,
    line_least = 80, /* bytes of a record's line: its time alone has thirty */
    rounds = 9
};

const char *const printed_names[printed_media] = {"null", "tmpfs"};

static void must(bool good, const char *what)
{
    if (!good) {
        perror(what);
        exit(1);
    }
}

static void *record_share(void *arg)
{
    tg_recorder *recorder = arg;
    int64_t bid = 6784275;
    for (uint32_t i = 0; i < records_each; i++) {
        bid += i % 7 == 0 ? (int64_t)(i % 5) - 2 : 0;
        TG_RECORD(recorder, TG_RECORD_INFO, "id %u bid %" PRId64 " ask %" PRId64 " seq %" PRIu64,
                  i % 120, bid, bid + 25, (uint64_t)i);
    }
    return NULL;
}

/* Two threads at once, so that there is something to merge. */
static void make_file(const char *path)
{
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = path;
    opt.overflow[TG_RECORD_INFO] = TG_OVERFLOW_WAIT;
    tg_recorder *recorder = NULL;
    must(tg_recorder_open(&opt, &recorder) == TG_OK, path);
    pthread_t running[threads];
    for (int i = 0; i < threads; i++) {
        must(pthread_create(&running[i], NULL, record_share, recorder) == 0, "thread");
    }
    for (int i = 0; i < threads; i++) {
        (void)pthread_join(running[i], NULL);
    }
    tg_recorder_close(recorder);
}

/* As `tickglass-log cat` does it with files that it has opened. Returns ns. */
static double print_once(tg__log_file *file, unsigned thread_count)
{
    const log_options opt = {.from_utc_ns = INT64_MIN, .to_utc_ns = INT64_MAX};
    const log_input input = {file, 1};
    tg__log_merge merge;
    const int64_t begin_ns = bench_now_ns();
    must(tg__log_merge_open(file, 1, &merge) == TG_OK, "merge");
    must(log_print_all(&opt, &input, &merge, thread_count) == TG_OK, "print");
    const double took_ns = (double)(bench_now_ns() - begin_ns);
    tg__log_merge_close(&merge);
    return took_ns;
}

/* Standard output is the file meanwhile. Without the text of every record in it nothing was
 * measured. */
static double print_to(const char *path, tg__log_file *file, unsigned thread_count)
{
    (void)fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(kept >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0, path);
    const double took_ns = print_once(file, thread_count);
    must(dup2(kept, STDOUT_FILENO) >= 0, "standard output");
    struct stat facts;
    must(fstat(fd, &facts) == 0, path);
    if (S_ISREG(facts.st_mode) && (uint64_t)facts.st_size < file->record_count * line_least) {
        (void)fprintf(stderr, "bench_recorder: %s has not the text of all records\n", path);
        exit(1);
    }
    (void)close(kept);
    (void)close(fd);
    return took_ns;
}

void printed_run(const char *dir, const char *memory, printed_result results[printed_media])
{
    char path[1024];
    char text_path[1024];
    tg__log_file file;
    (void)snprintf(path, sizeof path, "%s/printed.tgrec", dir);
    (void)snprintf(text_path, sizeof text_path, "%s/printed.txt", memory);
    make_file(path);
    must(tg__log_file_open(path, &file) == TG_OK, path);
    const char *const outputs[printed_media] = {"/dev/null", text_path};
    for (int medium = 0; medium < printed_media; medium++) {
        double took_ns[2][rounds];
        double ratios[rounds];
        for (int i = 0; i < rounds; i++) { /* in turn: the machine's speed changes */
            took_ns[0][i] = print_to(outputs[medium], &file, 1);
            took_ns[1][i] = print_to(outputs[medium], &file, 2);
            ratios[i] = took_ns[0][i] / took_ns[1][i];
        }
        printed_result *result = &results[medium];
        result->records = file.record_count;
        for (int i = 0; i < 2; i++) {
            result->ns[i] = bench_quantile(took_ns[i], rounds, 0.5) / (double)result->records;
        }
        result->ratio = bench_quantile(ratios, rounds, 0.5);
    }
    tg__log_file_close(&file);
    (void)unlink(path);
    (void)unlink(text_path);
}
