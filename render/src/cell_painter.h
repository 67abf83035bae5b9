/*
 * The software backend: draws a draw list into a canvas with tiles. The reference for pictures.
 */
#ifndef TICKGLASS_RENDER_CELL_PAINTER_H
#define TICKGLASS_RENDER_CELL_PAINTER_H

#include <stdbool.h>
#include <stdint.h>

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

/* What all tiles have in common. */
typedef struct tg__tile_form {
    int width; /* pixels */
    int height;
    uint32_t count; /* of different ones at one time */
} tg__tile_form;

/* Thread: any. */
tg__tile_form tg__painter_tile_form(const tg__painter *painter);

/* The picture of a cell with text. */
typedef struct tg__tile {
    const uint32_t *pixels; /* 0xffRRGGBB, width x height; until the next call */
    uint32_t index;         /* below count */
    bool fresh;             /* drawn just now: under this index there was another one before */
} tg__tile;

/* Not for plot cells. Thread: owner. */
tg__tile tg__painter_tile(tg__painter *painter, const tg_cell *cell);

/* How many of the cells, from the first on, are nothing but one background: they are one rectangle.
 * Thread: any. */
int tg__blanks_count(const tg_cell *cells, int count);

#endif
