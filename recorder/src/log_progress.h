/** How far a command has come: a bar on stderr, for people who wait. */
#ifndef TICKGLASS_LOG_PROGRESS_H
#define TICKGLASS_LOG_PROGRESS_H

#include <stdint.h>

#include "log_command.h"

typedef struct log_progress {
    uint64_t total; /**< 0: nothing is shown */
    uint64_t done;
    unsigned shown;   /**< per cent, plus 1 */
    const char *what; /**< stands behind the bar */
} log_progress;

/** Over all records of the files. Nothing is shown if they are small, if stderr is not a terminal,
 * or if stdout is one, for the bar would stand between what is printed. */
void log_progress_start(log_progress *progress, const log_input *input);

/** The same over all bytes of files that are checked and indexed, before anything is known of their
 * records. */
void log_progress_start_reading(log_progress *progress, uint64_t bytes);

/** The bar, if it changed. */
void log_progress_show(log_progress *progress);

/** Wipe the bar away. */
void log_progress_end(log_progress *progress);

/** One record more. */
static inline void log_progress_step(log_progress *progress)
{
    progress->done++;
    if ((progress->done & 1023u) == 0) {
        log_progress_show(progress);
    }
}

#endif
