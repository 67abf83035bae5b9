#include "sdl_stage.h"

#include <stdio.h>
#include <stdlib.h>

void painter_fail(const char *what)
{
    (void)fprintf(stderr, "bench_render: %s: %s\n", what, SDL_GetError());
    exit(1);
}

void sdl_stage_open(sdl_stage *stage, const painter_options *options)
{
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0 || TTF_Init() != 0) {
        painter_fail("SDL");
    }
    /* Else even software rendering ends in a texture of OpenGL. */
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    stage->window = SDL_CreateWindow("bench", 0, 0, options->width_px, options->height_px, 0);
    if (stage->window == NULL) {
        painter_fail("window");
    }
    stage->renderer = SDL_CreateRenderer(stage->window, -1, SDL_RENDERER_SOFTWARE);
    stage->font = TTF_OpenFont(TG_BENCH_FONT, options->font_size_px);
    if (stage->renderer == NULL || stage->font == NULL) {
        painter_fail("renderer and font");
    }
    TTF_SetFontHinting(stage->font, TTF_HINTING_LIGHT);
    stage->field_width = options->width_px / page_columns;
    stage->field_height = options->height_px / page_rows;
}

void sdl_stage_close(sdl_stage *stage)
{
    TTF_CloseFont(stage->font);
    SDL_DestroyRenderer(stage->renderer);
    SDL_DestroyWindow(stage->window);
    TTF_Quit();
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

SDL_Color sdl_stage_color(uint32_t rgb)
{
    return (SDL_Color){(Uint8)(rgb >> 16), (Uint8)(rgb >> 8 & 0xff), (Uint8)(rgb & 0xff), 255};
}

static void set_color(const sdl_stage *stage, uint32_t rgb)
{
    const SDL_Color c = sdl_stage_color(rgb);
    (void)SDL_SetRenderDrawColor(stage->renderer, c.r, c.g, c.b, c.a);
}

void sdl_stage_clear(const sdl_stage *stage)
{
    set_color(stage, 0x0e1116);
    if (SDL_RenderClear(stage->renderer) != 0) {
        painter_fail("clear");
    }
}

SDL_Rect sdl_stage_field(const sdl_stage *stage, size_t index, const page_field *field)
{
    const SDL_Rect at = {(int)(index % page_columns) * stage->field_width,
                         (int)(index / page_columns) * stage->field_height, stage->field_width,
                         stage->field_height};
    set_color(stage, field->background);
    if (SDL_RenderFillRect(stage->renderer, &at) != 0) {
        painter_fail("fill");
    }
    return at;
}

void sdl_stage_present(const sdl_stage *stage)
{
    SDL_RenderPresent(stage->renderer);
    SDL_Event event;
    while (SDL_PollEvent(&event) != 0) {
    }
}
