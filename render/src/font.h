/* A fixed-width font and the pictures of its graphemes. The only user of SDL2_ttf. */
#ifndef TICKGLASS_RENDER_FONT_H
#define TICKGLASS_RENDER_FONT_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/draw_list.h>
#include <tickglass/err.h>

typedef struct tg__font tg__font;

#define TG__FONT_SIZE_MIN 6
#define TG__FONT_SIZE_MAX 96

typedef struct tg__font_options {
    const char *regular_file;
    const char *bold_file;     /* NULL: the regular one, emboldened */
    const char *fallback_file; /* for what the others lack; may be NULL */
    int size_px;               /* 6 to 96 */
} tg__font_options;

/*
 * TG_ERR_INVALID_ARGUMENT, TG_ERR_NO_MEMORY; TG_ERR_FONT: not readable, not a font, or not of fixed
 * width; why then says so. Thread: owner.
 */
TG_MUST_CHECK tg_err tg__font_open(const tg__font_options *options, tg__font **out, char *why,
                                   size_t why_size);
/* NULL is allowed. Thread: owner. */
void tg__font_close(tg__font *font);

/* Pixels of a cell. Thread: any. */
int tg__font_cell_width(const tg__font *font);
int tg__font_cell_height(const tg__font *font);

/*
 * How much of each pixel of the cell its text covers, 0 to 255, cell_width x cell_height bytes.
 * Colours are ignored; halves of wide characters and marks are obeyed. A character that no font has
 * is shown as its number. Thread: owner.
 */
void tg__font_cover(tg__font *font, const tg_cell *cell, uint8_t *coverage);

/* "SDL_ttf 2.20.1 FreeType 2.12.1" Thread: any. */
void tg__font_describe(char *text, size_t size);

#endif
