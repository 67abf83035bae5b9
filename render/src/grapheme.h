/* UTF-8 text cut into graphemes, as cells show them. */
#ifndef TICKGLASS_RENDER_GRAPHEME_H
#define TICKGLASS_RENDER_GRAPHEME_H

#include <stddef.h>

#include <tickglass/draw_list.h>

/*
 * The grapheme at text (NUL-terminated), filled up with NUL: "\xEF\xBF\xBD" for bytes that are not
 * UTF-8, for control characters and for a grapheme that is too long for a cell; columns is 1 or 2.
 * Returns the bytes taken, 0 at the end of the text. Thread: any.
 */
size_t tg__grapheme_next(const char *text, char grapheme[TG_CELL_TEXT_SIZE], unsigned *columns);

#endif
