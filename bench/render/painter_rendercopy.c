#include <stdlib.h>
#include <string.h>

#include "sdl_stage.h"

enum {
    first_glyph = ' ',
    last_glyph = '~',
    glyph_count = last_glyph - first_glyph + 1
};

struct painter {
    sdl_stage stage;
    SDL_Texture *atlas; /* white letters in one line */
    int glyph_width;
    int glyph_height;
};

static painter *open_glyphs(const painter_options *options)
{
    painter *self = calloc(1, sizeof *self);
    if (self == NULL) {
        painter_fail("memory");
    }
    sdl_stage_open(&self->stage, options);
    char all[glyph_count + 1];
    for (int i = 0; i < glyph_count; i++) {
        all[i] = (char)(first_glyph + i);
    }
    all[glyph_count] = '\0';
    SDL_Surface *drawn =
        TTF_RenderUTF8_Blended(self->stage.font, all, sdl_stage_color(UINT32_C(0xffffff)));
    if (drawn == NULL) {
        painter_fail("atlas");
    }
    self->atlas = SDL_CreateTextureFromSurface(self->stage.renderer, drawn);
    self->glyph_width = drawn->w / glyph_count;
    self->glyph_height = drawn->h;
    SDL_FreeSurface(drawn);
    if (self->atlas == NULL || SDL_SetTextureBlendMode(self->atlas, SDL_BLENDMODE_BLEND) != 0) {
        painter_fail("atlas");
    }
    return self;
}

static void draw_text(const painter *self, SDL_Rect at, const page_field *field)
{
    const int count = (int)strlen(field->text);
    const SDL_Color c = sdl_stage_color(field->foreground);
    (void)SDL_SetTextureColorMod(self->atlas, c.r, c.g, c.b);
    for (int i = 0; i < count; i++) {
        const SDL_Rect from = {(field->text[i] - first_glyph) * self->glyph_width, 0,
                               self->glyph_width, self->glyph_height};
        const SDL_Rect to = {at.x + at.w - (count - i) * self->glyph_width, at.y, self->glyph_width,
                             self->glyph_height};
        if (SDL_RenderCopy(self->stage.renderer, self->atlas, &from, &to) != 0) {
            painter_fail("copy");
        }
    }
}

static void pass_glyphs(painter *self, const price_page *page, bool full)
{
    (void)full;
    sdl_stage_clear(&self->stage);
    for (size_t i = 0; i < page_fields; i++) {
        draw_text(self, sdl_stage_field(&self->stage, i, &page->fields[i]), &page->fields[i]);
    }
    sdl_stage_present(&self->stage);
}

static void close_glyphs(painter *self)
{
    SDL_DestroyTexture(self->atlas);
    sdl_stage_close(&self->stage);
    free(self);
}

const painter_kind painter_rendercopy = {"rendercopy", open_glyphs, pass_glyphs, close_glyphs};
