/* Which file a font is, wherever it lies. */
#ifndef TICKGLASS_RENDER_FONT_FILE_H
#define TICKGLASS_RENDER_FONT_FILE_H

#include <tickglass/err.h>

#define TG__FONT_FILE_TEXT_SIZE 96

/*
 * "DejaVuSansMono.ttf 340712 2f1b33a0": the name without its folder (cut off where it is long),
 * bytes, CRC-32C; "-" if file is NULL. TG_ERR_IO: it cannot be read; text is then "". Thread: any.
 * Blocks: on the disk.
 */
TG_MUST_CHECK tg_err tg__font_file_identify(const char *file, char text[TG__FONT_FILE_TEXT_SIZE]);

#endif
