/** Making, touching and giving back the shared mapping of ring_layout.h. */
#ifndef TICKGLASS_RINGS_H
#define TICKGLASS_RINGS_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#include "ring_layout.h"

typedef struct tg__rings {
    unsigned char *base; /**< NULL: not mapped */
    size_t size;
    int fd;
    char path[TG__RINGS_PATH_SIZE];
    tg__rings_header *header;
    unsigned char *dictionary;
    tg__ring_control *controls;
} tg__rings;

typedef struct tg__rings_options {
    const char *dir;         /**< NULL: /dev/shm, or beside record_path */
    const char *record_path; /**< of the record's file */
    uint64_t recorder_id;
    uint32_t threads_max;
    uint32_t ring_size;
} tg__rings_options;

/** @retval TG_ERR_IO  errno says why; nothing is left behind. Thread: any. Blocks: on the disk. */
TG_MUST_CHECK tg_err tg__rings_create(const tg__rings_options *opt, tg__rings *out);

/** Reserve and touch the pages of one ring. @retval TG_ERR_IO no room. Thread: any. */
TG_MUST_CHECK tg_err tg__rings_touch(tg__rings *rings, uint32_t ring);

unsigned char *tg__rings_data(const tg__rings *rings, uint32_t ring);

/** Unmap and close; the name goes too if remove is true. */
void tg__rings_close(tg__rings *rings, int remove);

#endif
