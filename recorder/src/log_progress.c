#include "log_progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LARGE_BYTES (UINT64_C(16) << 20) /* read in a fraction of a second: nobody waits */
#define WIDTH       40u

static void start(log_progress *progress, uint64_t bytes, uint64_t total, const char *what)
{
    const bool is_seen = isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) != 1;
    *progress = (log_progress){is_seen && bytes >= LARGE_BYTES ? total : 0, 0, 0, what};
    log_progress_show(progress);
}

void log_progress_start_reading(log_progress *progress, uint64_t bytes)
{
    start(progress, bytes, bytes, " checked");
}

void log_progress_start(log_progress *progress, const log_input *input)
{
    uint64_t bytes = 0;
    uint64_t records = 0;
    for (size_t i = 0; i < input->count; i++) {
        bytes += input->files[i].size;
        records += input->files[i].record_count;
    }
    start(progress, bytes, records, "");
}

void log_progress_show(log_progress *progress)
{
    if (progress->total == 0) {
        return;
    }
    const uint64_t done = progress->done < progress->total ? progress->done : progress->total;
    const unsigned percent = (unsigned)((double)done * 100.0 / (double)progress->total);
    if (progress->shown == percent + 1) {
        return;
    }
    progress->shown = percent + 1;
    char bar[WIDTH + 1];
    for (unsigned i = 0; i < WIDTH; i++) {
        bar[i] = i * 100u < percent * WIDTH ? '#' : '.';
    }
    bar[WIDTH] = '\0';
    (void)fprintf(stderr, "\r[%s] %3u %%%s", bar, percent, progress->what);
    (void)fflush(stderr);
}

void log_progress_end(log_progress *progress)
{
    if (progress->shown != 0) {
        (void)fprintf(stderr, "\r%*s\r", (int)(WIDTH + 8u + strlen(progress->what)), "");
        (void)fflush(stderr);
    }
    progress->shown = 0;
    progress->total = 0;
}
