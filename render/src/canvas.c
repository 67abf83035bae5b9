#include "canvas.h"

#include <string.h>

#define OPAQUE        UINT32_C(0xff000000)
#define CACHE_LINE_PX 16

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

void tg__canvas_fill(tg__canvas *canvas, tg__rect rect, uint32_t rgb)
{
    const int left = max_int(rect.x, 0);
    const int top = max_int(rect.y, 0);
    const int right = min_int(rect.x + rect.width, canvas->width);
    const int bottom = min_int(rect.y + rect.height, canvas->height);
    if (left >= right || top >= bottom) {
        return;
    }
    uint32_t *first = canvas->pixels + (size_t)top * canvas->stride + left;
    const size_t count = (size_t)(right - left);
    for (size_t i = 0; i < count; i++) {
        first[i] = OPAQUE | rgb;
    }
    for (int y = top + 1; y < bottom; y++) {
        memcpy(first + (size_t)(y - top) * canvas->stride, first, count * sizeof *first);
    }
}

void tg__canvas_expect(const tg__canvas *canvas, tg__rect rect)
{
    const int right = min_int(rect.x + rect.width, canvas->width);
    const int bottom = min_int(rect.y + rect.height, canvas->height);
    for (int y = rect.y; y < bottom; y++) {
        const uint32_t *line = canvas->pixels + (size_t)y * canvas->stride;
        for (int x = rect.x; x < right; x += CACHE_LINE_PX) {
            __builtin_prefetch(line + x, 1, 2);
        }
    }
}

/* Four pixels at a time by copies of known size: for a line of a tile a call costs more than what
 * it copies. */
static void copy_line(uint32_t *to, const uint32_t *from, size_t count)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        memcpy(to + i, from + i, 4 * sizeof *to);
    }
    for (; i < count; i++) {
        to[i] = from[i];
    }
}

void tg__canvas_blit(tg__canvas *canvas, int x, int y, const uint32_t *tile, int width, int height)
{
    const int left = max_int(x, 0);
    const int top = max_int(y, 0);
    const int right = min_int(x + width, canvas->width);
    const int bottom = min_int(y + height, canvas->height);
    if (left >= right) {
        return;
    }
    const size_t count = (size_t)(right - left);
    for (int line = top; line < bottom; line++) {
        const uint32_t *from = tile + (size_t)(line - y) * (size_t)width + (left - x);
        copy_line(canvas->pixels + (size_t)line * canvas->stride + left, from, count);
    }
}

static uint32_t blend_channel(uint32_t foreground, uint32_t background, unsigned shift,
                              uint32_t coverage)
{
    const uint32_t f = foreground >> shift & 0xff;
    const uint32_t b = background >> shift & 0xff;
    return (f * coverage + b * (255 - coverage) + 127) / 255 << shift;
}

uint32_t tg__pixel_blend(uint32_t foreground, uint32_t background, uint8_t coverage)
{
    return OPAQUE | blend_channel(foreground, background, 16, coverage) |
           blend_channel(foreground, background, 8, coverage) |
           blend_channel(foreground, background, 0, coverage);
}
