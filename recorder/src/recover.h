/** After a crash: one file from what was written and what still lay in the rings. */
#ifndef TICKGLASS_RECOVER_H
#define TICKGLASS_RECOVER_H

#include "log_file.h"

typedef struct tg__recover_report {
    uint64_t blocks;       /**< copied */
    uint64_t ring_records; /**< that were in the rings only */
    uint64_t rings;        /**< that had some */
    uint64_t lost;         /**< records that their threads had dropped and not told */
    bool running;          /**< the recording process is still there */
    bool no_rings;         /**< they are not there, and the file alone was copied; or TG_ERR_IO */
    char rings_path[TG__RINGS_PATH_SIZE];
    char problem[TG__PROBLEM_SIZE]; /**< "" or the first thing wrong in the rings */
} tg__recover_report;

/**
 * Write to out_path, which must not exist, every whole block of the files and the rings' rest.
 *
 * @param[in] files       of one recorder, all that there are, oldest first
 * @param[in] rings_path  NULL: where the file says, or beside it
 * @retval TG_ERR_IO      out_path cannot be made or written, or the rings cannot be read
 *                        (report->no_rings); errno says why
 * @retval TG_ERR_FORMAT  the rings are of another recorder, or damaged; nothing is written
 * @retval TG_ERR_NO_MEMORY
 */
TG_MUST_CHECK tg_err tg__recover(const tg__log_file *files, size_t file_count,
                                 const char *rings_path, const char *out_path,
                                 tg__recover_report *report);

#endif
