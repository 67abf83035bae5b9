/**
 * record_lines PATH ROTATE_BYTES KEEP_FILES: records for the tests of tickglass-log. Each line of
 * standard input becomes a record and is in the file when "." has been printed. Lines of their own:
 *     many N    N records "number 0" …
 *     blob N    N records of 64 KiB
 *     late      20,000 records with ascending stamps and one with the first one's
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
    if (argc != 4) {
        (void)fprintf(stderr, "usage: record_lines PATH ROTATE_BYTES KEEP_FILES\n");
        return 2;
    }
    tg_recorder_options opt;
    tg_recorder_options_init(&opt);
    opt.path = argv[1];
    opt.host_driven = true;
    opt.rotate_bytes = strtoull(argv[2], NULL, 10);
    opt.keep_files = (uint32_t)strtoul(argv[3], NULL, 10);
    opt.rings_dir = ".";
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
