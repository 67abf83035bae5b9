/* 32-bit pixels in memory, 0xffRRGGBB each, and the copying into them. */
#ifndef TICKGLASS_RENDER_CANVAS_H
#define TICKGLASS_RENDER_CANVAS_H

#include <stddef.h>
#include <stdint.h>

typedef struct tg__canvas {
    uint32_t *pixels;
    int width;
    int height;
    size_t stride; /* pixels from one line to the next */
} tg__canvas;

typedef struct tg__rect {
    int x;
    int y;
    int width;
    int height;
} tg__rect;

/* rgb is 0xRRGGBB. Clipped to the canvas. Thread: one at a time. */
void tg__canvas_fill(tg__canvas *canvas, tg__rect rect, uint32_t rgb);

/* Pixels that will be written soon come into the cache meanwhile; a picture is larger than most
 * caches. The corner is not negative. Clipped. Thread: any. */
void tg__canvas_expect(const tg__canvas *canvas, tg__rect rect);

/* Copies width x height pixels without gaps between their lines. Clipped. Thread: one at a time. */
void tg__canvas_blit(tg__canvas *canvas, int x, int y, const uint32_t *tile, int width, int height);

/*
 * The pixel that a coverage of 0 to 255 makes of foreground over background (0xRRGGBB both):
 * integers only, the same on every machine. Thread: any.
 */
uint32_t tg__pixel_blend(uint32_t foreground, uint32_t background, uint8_t coverage);

#endif
