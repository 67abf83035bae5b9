/* A canvas as a PNG file. The only user of stb_image_write. */
#ifndef TICKGLASS_RENDER_PNG_FILE_H
#define TICKGLASS_RENDER_PNG_FILE_H

#include <tickglass/err.h>

#include "canvas.h"

/*
 * Written beside the target and renamed: the file is whole or not there. TG_ERR_NO_MEMORY;
 * TG_ERR_IMAGE: the file cannot be written (errno says why). Thread: any. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err tg__png_write(const char *path, const tg__canvas *canvas);

#endif
