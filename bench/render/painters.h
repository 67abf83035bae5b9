/*
 * Three ways to draw a price page: this library's window, and the two that programs on SDL usually
 * take. Each does a whole pass: what is needed of a changed price until it is handed to the window
 * system.
 */
#ifndef BENCH_RENDER_PAINTERS_H
#define BENCH_RENDER_PAINTERS_H

#include <stdbool.h>

#include "price_page.h"

typedef struct painter_options {
    int width_px;
    int height_px;
    int font_size_px;
    bool blind; /* there is no display: SDL's dummy driver */
} painter_options;

typedef struct painter painter;

typedef struct painter_kind {
    const char *name;
    /* Ends the program with a reason if it fails. */
    painter *(*open)(const painter_options *options);
    /* full: every field has changed and nothing that was drawn before counts. */
    void (*pass)(painter *self, const price_page *page, bool full);
    void (*close)(painter *self);
} painter_kind;

/* tg_grid, tg_window. */
extern const painter_kind painter_tickglass;
/* SDL_ttf: a texture for each string, made again when it changes; all are drawn in each pass. */
extern const painter_kind painter_ttf_strings;
/* Every glyph copied from an atlas by SDL_RenderCopy with its colour; all are drawn in each pass.
 */
extern const painter_kind painter_rendercopy;

/* Prints what SDL says and ends the program. */
_Noreturn void painter_fail(const char *what);

#endif
