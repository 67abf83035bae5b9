/*
 * The software backend: draws a draw list into a canvas with tiles. The reference for pictures.
 */
#ifndef TICKGLASS_RENDER_CELL_PAINTER_H
#define TICKGLASS_RENDER_CELL_PAINTER_H

#include <tickglass/draw_list.h>
#include <tickglass/err.h>

#include "canvas.h"
#include "font.h"

typedef struct tg__painter tg__painter;

/* The font stays the caller's and must outlive the painter. TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err tg__painter_open(tg__font *font, tg__painter **out);
/* NULL is allowed. Thread: owner. */
void tg__painter_close(tg__painter *painter);

/* Thread: owner. */
void tg__painter_draw(tg__painter *painter, const tg_draw_list *list, tg__canvas *canvas);

/*
 * The pixels that a list touches, as rectangles that lie inside the canvas; runs of equal columns
 * in neighbouring rows are joined. Where there are more than capacity, the last one covers the
 * rest. Returns how many. Thread: any.
 */
size_t tg__painter_damage(const tg__painter *painter, const tg_draw_list *list,
                          const tg__canvas *canvas, tg__rect *rects, size_t capacity);

#endif
