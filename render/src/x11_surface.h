/*
 * Memory that an X server on this machine reads a window's picture from (MIT-SHM).
 *
 * SDL has this, too, but hands over by asking the server a question and sleeping until it answers:
 * that cost as much processor time as painting a tenth of the screen. Here the server says by
 * itself when it has read the picture, on a connection that nobody sleeps on, and who paints the
 * next one waits for that.
 */
#ifndef TICKGLASS_RENDER_X11_SURFACE_H
#define TICKGLASS_RENDER_X11_SURFACE_H

#include <SDL.h>

#include <stddef.h>

#include <tickglass/err.h>

#include "canvas.h"

typedef struct tg__x11_surface tg__x11_surface;

/*
 * For a window that is on the screen. TG_ERR_NOT_FOUND: it is not on X11, or its server is not on
 * this machine, reads no memory of others (before MIT-SHM 1.2) or has pixels of another form: SDL's
 * own way is left. TG_ERR_NO_MEMORY. Thread: owner. Blocks: until the server has answered.
 */
TG_MUST_CHECK tg_err tg__x11_surface_open(SDL_Window *window, tg__x11_surface **out);

/* NULL is allowed. Before the window is closed. Thread: owner. */
void tg__x11_surface_close(tg__x11_surface *surface);

/*
 * Pixels for a window of that size; what was painted before is lost if the size is another.
 * TG_ERR_WINDOW: the server does not take the memory. TG_ERR_NO_MEMORY. In both cases what was
 * there before stays. Thread: owner. Blocks: until the server has answered.
 */
TG_MUST_CHECK tg_err tg__x11_surface_fit(tg__x11_surface *surface, int width, int height,
                                         tg__canvas *canvas);

/* Before pixels are written: what was presented has been read. TG_ERR_WINDOW: the connection is
 * lost. Thread: owner. Blocks: until the server has read it, mostly not at all. */
TG_MUST_CHECK tg_err tg__x11_surface_await(tg__x11_surface *surface);

/* Hand over parts of the picture, none of them outside it. TG_ERR_WINDOW: the connection is lost.
 * Thread: owner. Blocks: only while the connection's buffer is full. */
TG_MUST_CHECK tg_err tg__x11_surface_present(tg__x11_surface *surface, const tg__rect *rects,
                                             size_t count);

#endif
