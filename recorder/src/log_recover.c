#include "log_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recover.h"

#define PATH_ROOM 16

/* Without more than one path, the rotated files that follow the given one. */
static int open_all(const log_options *opt, log_input *out, char **names)
{
    int status = log_input_open(opt, out);
    if (status != LOG_OK || opt->path_count != 1) {
        return status;
    }
    const size_t room = strlen(opt->paths[0]) + PATH_ROOM;
    size_t count = 1;
    for (;;) {
        (void)snprintf(*names, room, "%s.%zu", opt->paths[0], count);
        if (access(*names, F_OK) != 0) {
            break;
        }
        count++;
    }
    char *all = realloc(*names, room * count);
    tg__log_file *files = realloc(out->files, count * sizeof *files);
    if (all != NULL) {
        *names = all;
    }
    if (files != NULL) {
        out->files = files;
    }
    if (all == NULL || files == NULL) {
        return log_fail("memory", TG_ERR_NO_MEMORY);
    }
    for (size_t i = 1; i < count; i++) {
        char *name = *names + room * i;
        (void)snprintf(name, room, "%s.%zu", opt->paths[0], i);
        const tg_err err = tg__log_file_open(name, &out->files[out->count]);
        if (err != TG_OK) {
            return log_fail(name, err);
        }
        out->count += out->files[out->count].info.recorder_id == out->files[0].info.recorder_id;
    }
    return LOG_OK;
}

static void tell(const tg__recover_report *report, const char *output)
{
    if (report->no_rings) {
        (void)printf("the rings are not there (%s): the file alone was copied\n",
                     report->rings_path);
    }
    (void)printf("%s: %" PRIu64 " blocks copied, %" PRIu64 " records from %" PRIu64 " rings",
                 output, report->blocks, report->ring_records, report->rings);
    if (report->lost != 0) {
        (void)printf(", %" PRIu64 " more had been dropped", report->lost);
    }
    (void)printf("\n");
    if (report->running) {
        (void)printf("the recording process still runs: this is its record up to now\n");
    } else if (!report->no_rings) {
        (void)printf("the rings can go now: %s\n", report->rings_path);
    }
}

int log_recover(const log_options *opt)
{
    log_input input = {NULL, 0};
    const size_t room = strlen(opt->paths[0]) + PATH_ROOM;
    char *names = malloc(room);
    char *default_output = malloc(room);
    if (names == NULL || default_output == NULL) {
        free(names);
        free(default_output);
        return log_fail("memory", TG_ERR_NO_MEMORY);
    }
    (void)snprintf(default_output, room, "%s.recovered", opt->paths[0]);
    const char *output = opt->output != NULL ? opt->output : default_output;
    int status = open_all(opt, &input, &names);
    if (status == LOG_OK) {
        tg__recover_report report;
        const tg_err err = tg__recover(input.files, input.count, opt->rings, output, &report);
        if (err == TG_ERR_FORMAT) {
            (void)fprintf(stderr,
                          "tickglass-log: %s: these are not the rings of %s, or they are damaged\n",
                          report.rings_path, opt->paths[0]);
            status = LOG_DAMAGED;
        } else if (err != TG_OK) {
            status = log_fail(opt->rings != NULL && report.no_rings ? opt->rings : output, err);
        } else {
            tell(&report, output);
            status = log_input_problems(&input);
            if (report.problem[0] != '\0') {
                (void)fprintf(stderr, "tickglass-log: %s: %s\n", report.rings_path, report.problem);
                status = LOG_DAMAGED;
            }
        }
    }
    log_input_close(&input);
    free(names);
    free(default_output);
    return status;
}
