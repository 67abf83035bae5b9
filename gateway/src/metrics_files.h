/**
 * The stage histograms of each interval in files that tickglass-log and every reader of histogram
 * logs can merge: stages-YYYYMMDDTHHMMSSZ.hlog, a line for each stage and interval.
 *
 * A file has at most an hour and 8 MiB; then the next one begins, and what is older than the newest
 * TG__METRICS_FILES_MAX of that folder is removed. No file is ever opened twice. What cannot be
 * written is told once in the gateway's log and left out, until writing succeeds again; a line is
 * in the file whole or not at all.
 */
#ifndef TG_GATEWAY_METRICS_FILES_H
#define TG_GATEWAY_METRICS_FILES_H

#include <tickglass/histogram.h>

#include "cause.h"

#define TG__METRICS_FILES_MAX     48u
#define TG__METRICS_FILE_SIZE_MAX (UINT32_C(8) << 20) /* the last interval may go beyond it */
#define TG__METRICS_FILE_TIME_NS  INT64_C(3600000000000)

typedef enum tg__stage {
    TG__STAGE_HANDLER = 0,
    TG__STAGE_SEQUENCING = 1,
    TG__STAGE_CONFLATION = 2,
    TG__STAGE_ENCODE = 3,
    TG__STAGE_WRITE = 4,
    TG__STAGE_CLIENT_DECODE = 5, /* of clients, as they report it */
    TG__STAGE_CLIENT_COMMIT = 6
} tg__stage;

#define TG__STAGE_COUNT 7u

extern const char *const tg__stage_names[TG__STAGE_COUNT];

typedef struct tg__metrics_files tg__metrics_files;

/* Makes the folder if there is none; its parent must exist. TG_ERR_IO, TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__metrics_files_open(const char *folder, tg__metrics_files **out,
                                            tg__cause *cause);
/* NULL is allowed. */
void tg__metrics_files_close(tg__metrics_files *files);

/* A stage of an interval; all stages of an interval one after another, the first one first. */
void tg__metrics_files_add(tg__metrics_files *files, tg__stage stage, const tg_histogram *histogram,
                           int64_t from_utc_ns, int64_t to_utc_ns);

#endif
