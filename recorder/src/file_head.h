/** What a record file says of itself, without reading the rest of it. */
#ifndef TICKGLASS_FILE_HEAD_H
#define TICKGLASS_FILE_HEAD_H

#include "block.h"

/**
 * @retval TG_ERR_IO      it cannot be opened or read, or is a symbolic link; errno says why
 * @retval TG_ERR_FORMAT  it is not a record, or its first block is not whole
 * @retval TG_ERR_UNSUPPORTED, TG_ERR_CORRUPT  as tg__file_info_decode()
 * Thread: any. Blocks: on the disk, never on a pipe.
 */
TG_MUST_CHECK tg_err tg__file_head_read(const char *path, tg__file_info *out);

#endif
