#include <stdlib.h>

#include "sdl_stage.h"

typedef struct drawn_string {
    SDL_Texture *texture;
    int width;
    int height;
} drawn_string;

struct painter {
    sdl_stage stage;
    drawn_string strings[page_fields];
};

static painter *open_strings(const painter_options *options)
{
    painter *self = calloc(1, sizeof *self);
    if (self == NULL) {
        painter_fail("memory");
    }
    sdl_stage_open(&self->stage, options);
    return self;
}

static void draw_string(painter *self, drawn_string *string, const page_field *field)
{
    SDL_Surface *drawn =
        TTF_RenderUTF8_Blended(self->stage.font, field->text, sdl_stage_color(field->foreground));
    if (drawn == NULL) {
        painter_fail("string");
    }
    if (string->texture != NULL) {
        SDL_DestroyTexture(string->texture);
    }
    string->texture = SDL_CreateTextureFromSurface(self->stage.renderer, drawn);
    string->width = drawn->w;
    string->height = drawn->h;
    SDL_FreeSurface(drawn);
}

static void pass_strings(painter *self, const price_page *page, bool full)
{
    sdl_stage_clear(&self->stage);
    for (size_t i = 0; i < page_fields; i++) {
        const page_field *field = &page->fields[i];
        drawn_string *string = &self->strings[i];
        const SDL_Rect at = sdl_stage_field(&self->stage, i, field);
        if (full || field->changed || string->texture == NULL) {
            draw_string(self, string, field);
        }
        const SDL_Rect to = {at.x + at.w - string->width, at.y, string->width, string->height};
        if (SDL_RenderCopy(self->stage.renderer, string->texture, NULL, &to) != 0) {
            painter_fail("copy");
        }
    }
    sdl_stage_present(&self->stage);
}

static void close_strings(painter *self)
{
    for (size_t i = 0; i < page_fields; i++) {
        if (self->strings[i].texture != NULL) {
            SDL_DestroyTexture(self->strings[i].texture);
        }
    }
    sdl_stage_close(&self->stage);
    free(self);
}

const painter_kind painter_ttf_strings = {"ttf_strings", open_strings, pass_strings, close_strings};
