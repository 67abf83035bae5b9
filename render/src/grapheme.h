/* UTF-8 text cut into graphemes, as cells show them. */
#ifndef TICKGLASS_RENDER_GRAPHEME_H
#define TICKGLASS_RENDER_GRAPHEME_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/draw_list.h>

/*
 * The grapheme at text (NUL-terminated), filled up with NUL: "\xEF\xBF\xBD" for bytes that are not
 * UTF-8, for control characters and for a grapheme that is too long for a cell; columns is 1 or 2.
 * Returns the bytes taken, 0 at the end of the text. Thread: any.
 */
size_t tg__grapheme_next(const char *text, char grapheme[TG_CELL_TEXT_SIZE], unsigned *columns);

static inline bool tg__ascii_is_printable(char c)
{
    return c >= ' ' && c <= '~';
}

/* The byte at text is a grapheme of one column: a printable ASCII character that no combining mark
 * can follow. Digits and names are made of them. Thread: any. */
static inline bool tg__grapheme_is_ascii(const char *text)
{
    return tg__ascii_is_printable(text[0]) && (text[1] == '\0' || tg__ascii_is_printable(text[1]));
}

#endif
