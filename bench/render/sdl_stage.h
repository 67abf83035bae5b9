/* A window with SDL's software renderer and a font: what the rivals draw with. */
#ifndef BENCH_RENDER_SDL_STAGE_H
#define BENCH_RENDER_SDL_STAGE_H

#include <stddef.h>
#include <stdint.h>

#include <SDL.h>
#include <SDL_ttf.h>

#include "painters.h"

typedef struct sdl_stage {
    SDL_Window *window;
    SDL_Renderer *renderer;
    TTF_Font *font;
    int field_width;
    int field_height;
} sdl_stage;

void sdl_stage_open(sdl_stage *stage, const painter_options *options);
void sdl_stage_close(sdl_stage *stage);

/* Fills the whole window. */
void sdl_stage_clear(const sdl_stage *stage);
/* Fills the field of that index with its background, and says where it is. */
SDL_Rect sdl_stage_field(const sdl_stage *stage, size_t index, const page_field *field);
void sdl_stage_present(const sdl_stage *stage);

SDL_Color sdl_stage_color(uint32_t rgb);

#endif
