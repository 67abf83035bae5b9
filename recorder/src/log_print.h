/** Records to lines on standard output; the text is made on all cores and comes in order. */
#ifndef TICKGLASS_LOG_PRINT_H
#define TICKGLASS_LOG_PRINT_H

#include "log_command.h"

/**
 * Everything that the merge gives and the options want.
 *
 * The threads take batches of records out of the merge in turn, make their text side by side and
 * print in the order of the merge. Each has one batch: nothing is read ahead of that.
 *
 * @param[in] threads  that make text, the calling one included; 1 to LOG_PRINT_THREADS_MAX
 * @retval TG_ERR_IO   standard output refuses
 * @retval TG_ERR_NO_MEMORY
 */
TG_MUST_CHECK tg_err log_print_all(const log_options *opt, const log_input *input,
                                   tg__log_merge *merge, unsigned threads);

#define LOG_PRINT_THREADS_MAX 8u

/** The same on the calling thread alone, for little. texts: one for each file. */
TG_MUST_CHECK tg_err log_print_in_turn(const log_options *opt, const tg__log_file *files,
                                       tg__log_text *texts, tg__log_merge *merge);

#endif
