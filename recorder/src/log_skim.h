/** Statistics of one number of one call site, straight from a file's packed blocks. */
#ifndef TICKGLASS_LOG_SKIM_H
#define TICKGLASS_LOG_SKIM_H

#include "log_file.h"
#include "number_stats.h"
#include "pack.h"

/** More threads than this are not made. */
#define TG__SKIM_THREADS_MAX 16u

/**
 * Without merging, unpacking or times; a block that cannot be read to its end becomes a problem of
 * the file.
 * @param[in] threads    that share the blocks; 1: the caller alone
 * @param[in,out] stats  what was there before is kept
 * @retval TG_ERR_NO_MEMORY
 */
TG_MUST_CHECK tg_err tg__log_skim(tg__log_file *file, const tg__skim *wanted, unsigned threads,
                                  tg__number_stats *stats);

#endif
