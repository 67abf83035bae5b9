#include "cell_painter.h"

#include <stdlib.h>

#include <tickglass/internal/control_flow.h>

#include "plot_cell.h"
#include "tile_cache.h"

/* Digits, letters and signs in every pair of colours that a pass shows, several times over. */
#define TILE_COUNT 4096
/* Shapes without colour: drawing one from the font takes ten times as long as colouring it. */
#define MASK_COUNT 1024
/* Cells of a run that is fetched ahead: longer ones the processor fetches by itself. */
#define EXPECTED_MAX 64

struct tg__painter {
    tg__font *font;
    tg__tile_cache *tiles;
    tg__tile_cache *masks; /* coverages, a byte a pixel */
    int cell_width;
    int cell_height;
};

static const uint8_t *mask_of(tg__painter *painter, const tg_cell *cell)
{
    tg_cell shape = *cell;
    shape.foreground = 0;
    shape.background = 0;
    bool found = false;
    uint8_t *mask = (uint8_t *)tg__tile_cache_get(painter->masks, &shape, &found);
    if (!found) {
        tg__font_cover(painter->font, &shape, mask);
    }
    return mask;
}

/* What every price and name is made of is there before the first of them comes. */
static void warm_up(tg__painter *painter)
{
    tg_cell cell = {0};
    for (char c = '!'; c <= '~'; c++) {
        cell.text[0] = c;
        (void)mask_of(painter, &cell);
    }
}

tg_err tg__painter_open(tg__font *font, tg__painter **out)
{
    TG_ENSURE(font != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    tg__painter *painter = calloc(1, sizeof *painter);
    TG_ENSURE(painter != NULL, TG_ERR_NO_MEMORY);
    painter->font = font;
    painter->cell_width = tg__font_cell_width(font);
    painter->cell_height = tg__font_cell_height(font);
    const size_t pixels = (size_t)painter->cell_width * (size_t)painter->cell_height;
    const size_t mask_words = (pixels + sizeof(uint32_t) - 1) / sizeof(uint32_t);
    if (tg__tile_cache_open(TILE_COUNT, pixels, &painter->tiles) != TG_OK ||
        tg__tile_cache_open(MASK_COUNT, mask_words, &painter->masks) != TG_OK) {
        tg__painter_close(painter);
        return TG_ERR_NO_MEMORY;
    }
    warm_up(painter);
    *out = painter;
    return TG_OK;
}

void tg__painter_close(tg__painter *painter)
{
    if (painter == NULL) {
        return;
    }
    tg__tile_cache_close(painter->tiles);
    tg__tile_cache_close(painter->masks);
    free(painter);
}

tg__tile_form tg__painter_tile_form(const tg__painter *painter)
{
    return (tg__tile_form){painter->cell_width, painter->cell_height, TILE_COUNT};
}

tg__tile tg__painter_tile(tg__painter *painter, const tg_cell *cell)
{
    bool found = false;
    uint32_t *tile = tg__tile_cache_get(painter->tiles, cell, &found);
    if (!found) {
        const uint8_t *coverage = mask_of(painter, cell);
        const size_t pixels = (size_t)painter->cell_width * (size_t)painter->cell_height;
        for (size_t i = 0; i < pixels; i++) {
            tile[i] = tg__pixel_blend(cell->foreground, cell->background, coverage[i]);
        }
    }
    return (tg__tile){tile, tg__tile_cache_index(painter->tiles, tile), !found};
}

static bool is_blank(const tg_cell *cell)
{
    return cell->text[0] == '\0' && (cell->marks & (TG_CELL_UNDERLINE | TG_CELL_PLOT)) == 0;
}

int tg__blanks_count(const tg_cell *cells, int count)
{
    int blanks = 0;
    while (blanks < count && is_blank(&cells[blanks]) &&
           cells[blanks].background == cells[0].background) {
        blanks++;
    }
    return blanks;
}

/* What the cells of a list that draws everything leave uncovered: right of them and below. */
static void paint_margins(const tg__painter *painter, const tg_draw_list *list, tg__canvas *canvas)
{
    const int right = list->columns * painter->cell_width;
    const int bottom = list->rows * painter->cell_height;
    tg__canvas_fill(canvas, (tg__rect){right, 0, canvas->width - right, bottom}, list->background);
    tg__canvas_fill(canvas, (tg__rect){0, bottom, canvas->width, canvas->height - bottom},
                    list->background);
}

static void paint_run(tg__painter *painter, const tg_draw_run *run, const tg_cell *cells,
                      tg__canvas *canvas)
{
    tg__rect at = {run->column * painter->cell_width, run->row * painter->cell_height, 0,
                   painter->cell_height};
    for (int i = 0; i < run->count;) {
        const int blanks = tg__blanks_count(cells + i, run->count - i);
        const int taken = blanks > 0 ? blanks : 1;
        at.width = taken * painter->cell_width;
        if (blanks > 0) {
            tg__canvas_fill(canvas, at, cells[i].background);
        } else if ((cells[i].marks & TG_CELL_PLOT) != 0) {
            /* No two are alike for long: as tiles they would only drive letters out. */
            tg__plot_cell_paint(&cells[i], canvas, at);
        } else {
            tg__canvas_blit(canvas, at.x, at.y, tg__painter_tile(painter, &cells[i]).pixels,
                            painter->cell_width, painter->cell_height);
        }
        at.x += at.width;
        i += taken;
    }
}

static void expect_run(const tg__painter *painter, const tg_draw_run *run, const tg__canvas *canvas)
{
    if (run->count <= EXPECTED_MAX) {
        const tg__rect rect = {run->column * painter->cell_width, run->row * painter->cell_height,
                               run->count * painter->cell_width, painter->cell_height};
        tg__canvas_expect(canvas, rect);
    }
}

void tg__painter_draw(tg__painter *painter, const tg_draw_list *list, tg__canvas *canvas)
{
    if (list->full) {
        paint_margins(painter, list, canvas);
    }
    for (size_t r = 0; r < list->run_count; r++) {
        const tg_draw_run *run = list->runs + r;
        if (r + 1 < list->run_count) {
            expect_run(painter, run + 1, canvas);
        }
        paint_run(painter, run, list->cells + run->first, canvas);
    }
}

static tg__rect clip(tg__rect rect, const tg__canvas *canvas)
{
    if (rect.x + rect.width > canvas->width) {
        rect.width = canvas->width - rect.x;
    }
    if (rect.y + rect.height > canvas->height) {
        rect.height = canvas->height - rect.y;
    }
    return rect;
}

static void enclose(tg__rect *rect, tg__rect other)
{
    const int right = rect->x + rect->width;
    const int bottom = rect->y + rect->height;
    const int other_right = other.x + other.width;
    const int other_bottom = other.y + other.height;
    rect->x = other.x < rect->x ? other.x : rect->x;
    rect->y = other.y < rect->y ? other.y : rect->y;
    rect->width = (other_right > right ? other_right : right) - rect->x;
    rect->height = (other_bottom > bottom ? other_bottom : bottom) - rect->y;
}

/* True if rect goes on below one that is already there; that one is then made longer. */
static bool join(tg__rect *rects, size_t count, tg__rect rect)
{
    for (size_t i = count; i > 0; i--) {
        tg__rect *above = &rects[i - 1];
        if (above->x == rect.x && above->width == rect.width &&
            above->y + above->height == rect.y) {
            above->height += rect.height;
            return true;
        }
    }
    return false;
}

size_t tg__painter_damage(const tg__painter *painter, const tg_draw_list *list,
                          const tg__canvas *canvas, tg__rect *rects, size_t capacity)
{
    if (list->full && capacity > 0) {
        rects[0] = (tg__rect){0, 0, canvas->width, canvas->height};
        return 1;
    }
    size_t count = 0;
    for (size_t r = 0; r < list->run_count && capacity > 0; r++) {
        const tg_draw_run *run = list->runs + r;
        const tg__rect rect =
            clip((tg__rect){run->column * painter->cell_width, run->row * painter->cell_height,
                            run->count * painter->cell_width, painter->cell_height},
                 canvas);
        if (rect.width <= 0 || rect.height <= 0 || join(rects, count, rect)) {
            continue;
        }
        if (count == capacity) {
            enclose(&rects[count - 1], rect);
        } else {
            rects[count++] = rect;
        }
    }
    return count;
}
