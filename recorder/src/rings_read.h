/** A recorder's rings as others see them: mapped for reading and checked. */
#ifndef TICKGLASS_RINGS_READ_H
#define TICKGLASS_RINGS_READ_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>

#include "ring_layout.h"

typedef struct tg__rings_image {
    const unsigned char *base; /**< NULL: not open */
    size_t size;
    const tg__rings_header *header;
    const tg__ring_control *controls; /**< header->threads_max of them */
    bool running;                     /**< a process holds them; it may write at any time */
} tg__rings_image;

/**
 * @retval TG_ERR_IO      errno says why
 * @retval TG_ERR_FORMAT  these are no rings, or they are damaged
 * On error there is nothing to close. Thread: any. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err tg__rings_image_open(const char *path, tg__rings_image *out);
/** Idempotent. */
void tg__rings_image_close(tg__rings_image *image);

#endif
