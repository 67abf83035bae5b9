#include "log_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_head.h"
#include "log_siblings.h"
#include "recover.h"

#define ENDING_ROOM 16

/* With one path, all files of its recorder, whichever of them it is. */
static int open_all(const log_options *opt, log_input *out, log_siblings *siblings)
{
    tg__file_info info;
    if (opt->path_count != 1 || tg__file_head_read(opt->paths[0], &info) != TG_OK ||
        log_siblings_find(opt->paths[0], info.recorder_id, siblings) != TG_OK ||
        siblings->count == 0) {
        return log_input_open(opt, out); /* which says what is wrong with it */
    }
    log_options all = *opt;
    all.path_count = (int)siblings->count;
    all.paths = calloc(siblings->count, sizeof *all.paths);
    if (all.paths == NULL) {
        return log_fail("memory", TG_ERR_NO_MEMORY);
    }
    for (size_t i = 0; i < siblings->count; i++) {
        all.paths[i] = siblings->files[i].path;
    }
    const int status = log_input_open(&all, out);
    free(all.paths);
    return status;
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
    log_siblings siblings = {NULL, 0};
    const size_t room = strlen(opt->paths[0]) + ENDING_ROOM;
    char *default_output = malloc(room);
    if (default_output == NULL) {
        return log_fail("memory", TG_ERR_NO_MEMORY);
    }
    (void)snprintf(default_output, room, "%s.recovered", opt->paths[0]);
    const char *output = opt->output != NULL ? opt->output : default_output;
    int status = open_all(opt, &input, &siblings);
    if (status == LOG_OK) {
        tg__recover_report report;
        const tg_err err = tg__recover(input.files, input.count, opt->rings, output, &report);
        if (err == TG_ERR_FORMAT) {
            (void)fprintf(stderr,
                          "tickglass-log: %s: these are not the rings of %s, or they are damaged\n",
                          report.rings_path, opt->paths[0]);
            status = LOG_DAMAGED;
        } else if (err != TG_OK) {
            status = log_fail(report.no_rings ? report.rings_path : output, err);
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
    log_siblings_free(&siblings);
    free(default_output);
    return status;
}
