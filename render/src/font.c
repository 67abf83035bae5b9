#include "font.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>
#include <SDL_ttf.h>

#include <tickglass/internal/control_flow.h>

#include "hex_box.h"

/* Pixels between the lines of text beyond what the font asks for: rows are easier to follow. */
#define LEADING 2

struct tg__font {
    TTF_Font *regular;
    TTF_Font *bold;
    TTF_Font *fallback; /* may be NULL */
    bool ttf_started;
    int cell_width;
    int cell_height;
    int ascent;
};

static tg_err explain(char *why, size_t why_size, const char *file)
{
    if (why != NULL && why_size > 0) {
        (void)snprintf(why, why_size, "font %s: %s", file, TTF_GetError());
    }
    return TG_ERR_FONT;
}

/* A font of fixed width gives i and W the same advance. */
static tg_err measure(tg__font *font)
{
    int narrow = 0;
    int wide = 0;
    const bool known =
        TTF_GlyphMetrics32(font->regular, 'i', NULL, NULL, NULL, NULL, &narrow) == 0 &&
        TTF_GlyphMetrics32(font->regular, 'W', NULL, NULL, NULL, NULL, &wide) == 0;
    if (!known || narrow != wide || wide <= 0) {
        (void)TTF_SetError("not a font of fixed width");
        return TG_ERR_FONT;
    }
    font->cell_width = wide;
    font->cell_height = TTF_FontHeight(font->regular) + LEADING;
    font->ascent = TTF_FontAscent(font->regular);
    return TG_OK;
}

static TTF_Font *open_face(const char *file, int size_px)
{
    TTF_Font *face = TTF_OpenFont(file, size_px);
    if (face != NULL) {
        TTF_SetFontHinting(face, TTF_HINTING_LIGHT);
        TTF_SetFontKerning(face, 0);
    }
    return face;
}

tg_err tg__font_open(const tg__font_options *options, tg__font **out, char *why, size_t why_size)
{
    TG_ENSURE(options != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    TG_ENSURE(options->regular_file != NULL && options->size_px >= TG__FONT_SIZE_MIN &&
                  options->size_px <= TG__FONT_SIZE_MAX,
              TG_ERR_INVALID_ARGUMENT);
    tg_err err = TG_ERR_NO_MEMORY;
    tg__font *font = calloc(1, sizeof *font);
    if (font == NULL) {
        goto fail;
    }
    err = TG_ERR_FONT;
    font->ttf_started = TTF_Init() == 0;
    if (!font->ttf_started) {
        (void)explain(why, why_size, options->regular_file);
        goto fail;
    }
    font->regular = open_face(options->regular_file, options->size_px);
    if (font->regular == NULL || measure(font) != TG_OK) {
        (void)explain(why, why_size, options->regular_file);
        goto fail;
    }
    const char *bold_file = options->bold_file != NULL ? options->bold_file : options->regular_file;
    font->bold = open_face(bold_file, options->size_px);
    if (font->bold == NULL) {
        (void)explain(why, why_size, bold_file);
        goto fail;
    }
    if (options->bold_file == NULL) {
        TTF_SetFontStyle(font->bold, TTF_STYLE_BOLD);
    }
    if (options->fallback_file != NULL) {
        font->fallback = open_face(options->fallback_file, options->size_px);
        if (font->fallback == NULL) {
            (void)explain(why, why_size, options->fallback_file);
            goto fail;
        }
    }
    *out = font;
    return TG_OK;
fail:
    tg__font_close(font);
    return err;
}

void tg__font_close(tg__font *font)
{
    if (font == NULL) {
        return;
    }
    if (font->regular != NULL) {
        TTF_CloseFont(font->regular);
    }
    if (font->bold != NULL) {
        TTF_CloseFont(font->bold);
    }
    if (font->fallback != NULL) {
        TTF_CloseFont(font->fallback);
    }
    if (font->ttf_started) {
        TTF_Quit();
    }
    free(font);
}

int tg__font_cell_width(const tg__font *font)
{
    return font->cell_width;
}

int tg__font_cell_height(const tg__font *font)
{
    return font->cell_height;
}

static void underline(const tg__font *font, uint8_t *coverage)
{
    const int line = font->cell_height - 1;
    memset(coverage + (size_t)line * (size_t)font->cell_width, 255, (size_t)font->cell_width);
}

/* Copies the alpha channel of what SDL_ttf drew, its upper left corner at x, y; clipped to the
 * cell.
 */
static void copy_coverage(const tg__font *font, const SDL_Surface *drawn, int x, int y,
                          uint8_t *coverage)
{
    for (int line = 0; line < drawn->h; line++) {
        const uint8_t *pixels = (const uint8_t *)drawn->pixels + (ptrdiff_t)line * drawn->pitch;
        for (int i = 0; i < drawn->w; i++) {
            if (x + i < 0 || x + i >= font->cell_width || y + line < 0 ||
                y + line >= font->cell_height) {
                continue;
            }
            uint32_t pixel = 0;
            memcpy(&pixel, pixels + (size_t)i * sizeof pixel, sizeof pixel);
            coverage[(size_t)(y + line) * (size_t)font->cell_width + (size_t)(x + i)] =
                (uint8_t)(pixel >> 24);
        }
    }
}

/* SDL_ttf moves a glyph that hangs out to the left of its origin to the right: move it back. */
static int left_bearing(TTF_Font *face, uint32_t code)
{
    int min_x = 0;
    if (TTF_GlyphMetrics32(face, code, &min_x, NULL, NULL, NULL, NULL) == 0 && min_x < 0) {
        return min_x;
    }
    return 0;
}

/* The first character of text, which is UTF-8. */
static uint32_t first_code(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] < 0x80) {
        return bytes[0];
    }
    const int more = bytes[0] >= 0xf0 ? 3 : bytes[0] >= 0xe0 ? 2 : 1;
    uint32_t code = bytes[0] & (0x3fu >> more);
    for (int i = 1; i <= more && bytes[i] != '\0'; i++) {
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    return code;
}

/* The face that has the character, or NULL. */
static TTF_Font *face_for(const tg__font *font, uint32_t code, bool bold)
{
    TTF_Font *faces[] = {bold ? font->bold : font->regular, font->regular, font->fallback};
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; i++) {
        if (faces[i] != NULL && TTF_GlyphIsProvided32(faces[i], code) != 0) {
            return faces[i];
        }
    }
    return NULL;
}

static void cover_text(const tg__font *font, const tg_cell *cell, uint8_t *coverage)
{
    const uint32_t code = first_code(cell->text);
    const bool wide = (cell->marks & (TG_CELL_WIDE_LEFT | TG_CELL_WIDE_RIGHT)) != 0;
    const int full_width = wide ? 2 * font->cell_width : font->cell_width;
    const int x0 = (cell->marks & TG_CELL_WIDE_RIGHT) != 0 ? font->cell_width : 0;
    TTF_Font *face = face_for(font, code, (cell->marks & TG_CELL_BOLD) != 0);
    if (face == NULL) {
        tg__hex_box_cover(code, coverage, font->cell_width, font->cell_height, x0, full_width);
        return;
    }
    const SDL_Color white = {255, 255, 255, 255};
    /* Allocates: only for a shape that is missing from the cache, which a quiet picture never does.
     */
    SDL_Surface *drawn = TTF_RenderUTF8_Blended(face, cell->text, white);
    if (drawn == NULL) {
        return;
    }
    /* Other faces have other widths and heights: they are centred, and stand on the same line. */
    const int centre = face == font->fallback ? (full_width - drawn->w) / 2 : 0;
    const int top = LEADING / 2 + font->ascent - TTF_FontAscent(face);
    copy_coverage(font, drawn, centre + left_bearing(face, code) - x0, top, coverage);
    SDL_FreeSurface(drawn);
}

void tg__font_cover(tg__font *font, const tg_cell *cell, uint8_t *coverage)
{
    memset(coverage, 0, (size_t)font->cell_width * (size_t)font->cell_height);
    if (cell->text[0] != '\0' && strcmp(cell->text, " ") != 0) {
        cover_text(font, cell, coverage);
    }
    if ((cell->marks & TG_CELL_UNDERLINE) != 0) {
        underline(font, coverage);
    }
}

void tg__font_describe(char *text, size_t size)
{
    const SDL_version *ttf = TTF_Linked_Version();
    int major = 0;
    int minor = 0;
    int patch = 0;
    TTF_GetFreeTypeVersion(&major, &minor, &patch);
    (void)snprintf(text, size, "SDL_ttf %d.%d.%d FreeType %d.%d.%d", ttf->major, ttf->minor,
                   ttf->patch, major, minor, patch);
}
