/**
 * record_lines PATH ROTATE_BYTES KEEP_FILES [clock]: records for the tests of tickglass-log. Each
 * line of standard input becomes a record and is in the file when "." has been printed. Lines of
 * their own: many N    N records "number 0" … blob N    N records of 64 KiB late      20,000
 * records with ascending stamps and one with the first one's set N, sleep N   with "clock", the
 * wall clock is set on or the machine sleeps, N seconds; its times begin at 2026-11-30T19:15:05Z
 *     die       the process ends at once; a record before it is in the rings only
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/recorder.h>

#define BLOB_SIZE  65536u
#define POLL_EVERY 1000u
#define LATE       INT64_C(20000)
#define NS_PER_S   INT64_C(1000000000)

/* Each look takes a microsecond. */
typedef struct moved_clock {
    int64_t mono_ns;
    int64_t slept_ns;
    int64_t set_ns;
} moved_clock;

static moved_clock moved = {.mono_ns = 1};

static int64_t mono_of(void *ctx)
{
    return ((moved_clock *)ctx)->mono_ns += 1000;
}

static int64_t boottime_of(void *ctx)
{
    const moved_clock *clock = ctx;
    return clock->mono_ns + clock->slept_ns;
}

static int64_t utc_of(void *ctx)
{
    const moved_clock *clock = ctx;
    return INT64_C(1796066105) * NS_PER_S + clock->mono_ns + clock->slept_ns + clock->set_ns;
}

static void poll_now(tg_recorder *recorder)
{
    if (tg_recorder_poll(recorder, NULL) != TG_OK) {
        char error[256];
        tg_recorder_last_error(recorder, error, sizeof error);
        (void)fprintf(stderr, "%s\n", error);
        exit(1);
    }
}

static void record_line(tg_recorder *recorder, const char *line)
{
    static const unsigned char blob[BLOB_SIZE];
    uint64_t count = 0;
    if (sscanf(line, "many %" SCNu64, &count) == 1) {
        for (uint64_t i = 0; i < count; i++) {
            TG_RECORD(recorder, TG_RECORD_INFO, "number %" PRIu64, i);
            if (i % POLL_EVERY == 0) {
                poll_now(recorder);
            }
        }
    } else if (sscanf(line, "blob %" SCNu64, &count) == 1) {
        for (uint64_t i = 0; i < count; i++) {
            TG_RECORD(recorder, TG_RECORD_INFO, "%p", tg_blob_of(blob, sizeof blob));
            poll_now(recorder);
        }
    } else if (strcmp(line, "late") == 0) {
        for (int64_t i = 0; i <= LATE; i++) {
            TG_RECORD_AT(recorder, TG_RECORD_INFO, 1000 + i % LATE, "late %" PRId64, i);
        }
    } else if (sscanf(line, "set %" SCNu64, &count) == 1) {
        moved.set_ns += (int64_t)count * NS_PER_S;
    } else if (sscanf(line, "sleep %" SCNu64, &count) == 1) {
        moved.slept_ns += (int64_t)count * NS_PER_S;
    } else if (strcmp(line, "die") == 0) {
        TG_RECORD(recorder, TG_RECORD_INFO, "last words");
        _Exit(0);
    } else {
        TG_RECORD(recorder, TG_RECORD_INFO, "%s", line);
    }
    poll_now(recorder);
}

int main(int argc, char **argv)
{
    const tg_clock clock = {mono_of, utc_of, &moved, boottime_of};
    if (argc != 4 && argc != 5) {
        (void)fprintf(stderr, "usage: record_lines PATH ROTATE_BYTES KEEP_FILES [clock]\n");
        return 2;
    }
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = argv[1];
    opt.host_driven = true;
    opt.rotate_bytes = strtoull(argv[2], NULL, 10);
    opt.keep_files = (uint32_t)strtoul(argv[3], NULL, 10);
    opt.rings_dir = ".";
    opt.clock = argc == 5 ? &clock : NULL;
    tg_recorder *recorder = NULL;
    if (tg_recorder_open(&opt, &recorder) != TG_OK) {
        perror(argv[1]);
        return 1;
    }
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        record_line(recorder, line);
        (void)puts(".");
        (void)fflush(stdout);
    }
    tg_recorder_close(recorder);
    return 0;
}
