/** What the commands of tickglass-log share: opening files, telling problems, choosing records. */
#ifndef TICKGLASS_LOG_COMMAND_H
#define TICKGLASS_LOG_COMMAND_H

#include "log_merge.h"
#include "log_text.h"

/** Exit statuses. */
enum {
    LOG_OK = 0,
    LOG_DAMAGED = 1,
    LOG_USAGE = 2
};

typedef struct log_options {
    bool json;
    uint8_t level_most; /**< 0: every level */
    const char *thread; /**< name or number; NULL: every one */
    const char *site;   /**< FILE:LINE, FILE may be the end of the path; NULL: every one */
    const char *contains;
    int64_t from_utc_ns;
    int64_t to_utc_ns;
    const char *where; /**< N=VALUE, N<VALUE, N>VALUE: argument N from 1; NULL: any */
    uint8_t argument;  /**< from 1; 0: all (stats) */
    bool csv;
    bool trace;
    bool hlog;
    const char *name; /**< of a histogram */
    const char *output;
    const char *rings;
    char **paths;
    int path_count;
} log_options;

typedef struct log_input {
    tg__log_file *files;
    size_t count;
} log_input;

/** Opens every path or tells on stderr which one cannot be. Close in any case. */
int log_input_open(const log_options *opt, log_input *out);
void log_input_close(log_input *input);

/** Tells every problem of every file on stderr; LOG_DAMAGED if there are any. */
int log_input_problems(const log_input *input);

/** Says on stderr if records came too late for the order of their times. */
void log_tell_late(const tg__log_merge *merge);

bool log_wants(const log_options *opt, const tg__log_record *record);

/** True if FILE:LINE or FILE names the site. */
bool log_is_site(const tg__site_info *site, const char *asked);

/** errno or error in one line on stderr; returns LOG_USAGE. */
int log_fail(const char *path, tg_err err);

int log_cat(const log_options *opt);
int log_tail(const log_options *opt);
int log_export(const log_options *opt);
int log_stats(const log_options *opt);
int log_hist(const log_options *opt);
int log_glass(const log_options *opt);
int log_verify(const log_options *opt);
int log_recover(const log_options *opt);
int log_rings(const log_options *opt);

#endif
