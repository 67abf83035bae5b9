/*
 * The backend for GPUs: the tiles of the cell painter lie in one texture, and a pass is a few calls
 * of SDL_RenderGeometry() into a second one, which keeps the picture; the window gets a copy of it.
 *
 * Tiles are copied pixel by pixel, with integer positions, the nearest sample and no blending: the
 * picture is the one that the reference draws, on every driver that copies what it is told to.
 */
#ifndef TICKGLASS_RENDER_GPU_PAINTER_H
#define TICKGLASS_RENDER_GPU_PAINTER_H

#include <SDL.h>

#include <tickglass/draw_list.h>
#include <tickglass/err.h>

#include "canvas.h"
#include "cell_painter.h"

typedef struct tg__gpu_painter tg__gpu_painter;

/*
 * Takes over what is shown in the window, which stays the caller's and must outlive the painter;
 * its surface may not be asked for while this is open. TG_ERR_NO_MEMORY; TG_ERR_WINDOW:
 * SDL_GetError() says why. Thread: owner.
 */
TG_MUST_CHECK tg_err tg__gpu_painter_open(SDL_Window *window, tg__gpu_painter **out);
/* NULL is allowed. Before the window is destroyed. Thread: owner. */
void tg__gpu_painter_close(tg__gpu_painter *gpu);

/*
 * Follows the window's size and says what it is in pixels. The picture is lost where that differs.
 * TG_ERR_WINDOW. Thread: owner.
 */
TG_MUST_CHECK tg_err tg__gpu_painter_fit(tg__gpu_painter *gpu, int *width, int *height);

/* Nothing that is stored in the GPU counts any more: tg__gpu_painter_fit(), then draw everything.
 * Thread: owner. */
void tg__gpu_painter_forget(tg__gpu_painter *gpu);

/* TG_ERR_WINDOW, TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err tg__gpu_painter_draw(tg__gpu_painter *gpu, tg__painter *painter,
                                          const tg_draw_list *list);

/* TG_ERR_WINDOW. Thread: owner. Does not wait for the screen. */
TG_MUST_CHECK tg_err tg__gpu_painter_present(tg__gpu_painter *gpu);

/* Copies the picture into a canvas of its size. TG_ERR_WINDOW. Thread: owner. Waits for the GPU. */
TG_MUST_CHECK tg_err tg__gpu_painter_read(tg__gpu_painter *gpu, tg__canvas *canvas);

/* SDL's name of the driver: "opengl", "software". Thread: owner. */
const char *tg__gpu_painter_driver(const tg__gpu_painter *gpu);

#endif
