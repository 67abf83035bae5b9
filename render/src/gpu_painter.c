#include "gpu_painter.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "plot_cell.h"

/* A batch of this many is handed to SDL at once; a picture of 1920 x 1080 has some 13,000 cells. */
#define QUADS_MAX     4096
#define QUAD_VERTICES 4
#define QUAD_INDICES  6
/* Tiles in a line of the atlas, where the driver can have it that wide. */
#define TILES_ACROSS 64
/* For drivers that do not say what they can. */
#define USUAL_SIDE_MAX 4096
#define NOBODY         UINT32_MAX

/* Rectangles that wait to be drawn. */
typedef struct batch {
    SDL_Vertex *vertices;
    int quads;
} batch;

struct tg__gpu_painter {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_RendererInfo info;
    SDL_Texture *picture; /* NULL: is to be made */
    int width;
    int height;
    SDL_Texture *atlas; /* NULL: is to be made */
    int cell_width;
    int cell_height;
    uint32_t across; /* tiles */
    uint32_t places;
    uint32_t *owner;   /* of each place: the painter's tile, or NOBODY */
    uint32_t *used_in; /* of each place: the last batch that shows it */
    uint32_t batch_number;
    batch solids; /* drawn before tiles: cells of one list never overlap */
    batch tiles;
    int *indices; /* the same for every batch */
};

static void set_hints(void)
{
    /* A driver that is asked for by name (SDL_RENDER_DRIVER) would switch batching off. */
    SDL_SetHint(SDL_HINT_RENDER_BATCHING, "1");
    /* Passes are paced by their owner's clock: waiting for the screen here would hold up input. */
    SDL_SetHint(SDL_HINT_RENDER_VSYNC, "0");
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "nearest");
}

static void fill_indices(int *indices)
{
    static const int corners[QUAD_INDICES] = {0, 1, 2, 2, 3, 0};
    for (int i = 0; i < QUADS_MAX * QUAD_INDICES; i++) {
        indices[i] = i / QUAD_INDICES * QUAD_VERTICES + corners[i % QUAD_INDICES];
    }
}

static tg_err open_renderer(tg__gpu_painter *gpu)
{
    set_hints();
    gpu->renderer = SDL_CreateRenderer(gpu->window, -1, SDL_RENDERER_TARGETTEXTURE);
    TG_ENSURE(gpu->renderer != NULL && SDL_GetRendererInfo(gpu->renderer, &gpu->info) == 0,
              TG_ERR_WINDOW);
    return TG_OK;
}

tg_err tg__gpu_painter_open(SDL_Window *window, tg__gpu_painter **out)
{
    TG_ENSURE(window != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    tg__gpu_painter *gpu = calloc(1, sizeof *gpu);
    TG_ENSURE(gpu != NULL, TG_ERR_NO_MEMORY);
    gpu->window = window;
    const size_t vertices = (size_t)QUADS_MAX * QUAD_VERTICES;
    gpu->solids.vertices = calloc(vertices, sizeof *gpu->solids.vertices);
    gpu->tiles.vertices = calloc(vertices, sizeof *gpu->tiles.vertices);
    gpu->indices = calloc((size_t)QUADS_MAX * QUAD_INDICES, sizeof *gpu->indices);
    tg_err err = TG_ERR_NO_MEMORY;
    if (gpu->solids.vertices != NULL && gpu->tiles.vertices != NULL && gpu->indices != NULL) {
        fill_indices(gpu->indices);
        err = open_renderer(gpu);
    }
    if (err != TG_OK) {
        tg__gpu_painter_close(gpu);
        return err;
    }
    *out = gpu;
    return TG_OK;
}

static void drop_atlas(tg__gpu_painter *gpu)
{
    if (gpu->atlas != NULL) {
        SDL_DestroyTexture(gpu->atlas);
    }
    free(gpu->owner);
    free(gpu->used_in);
    gpu->atlas = NULL;
    gpu->owner = NULL;
    gpu->used_in = NULL;
}

static void drop_picture(tg__gpu_painter *gpu)
{
    if (gpu->picture != NULL) {
        SDL_DestroyTexture(gpu->picture);
    }
    gpu->picture = NULL;
}

void tg__gpu_painter_close(tg__gpu_painter *gpu)
{
    if (gpu == NULL) {
        return;
    }
    tg__gpu_painter_forget(gpu);
    if (gpu->renderer != NULL) {
        SDL_DestroyRenderer(gpu->renderer);
    }
    free(gpu->solids.vertices);
    free(gpu->tiles.vertices);
    free(gpu->indices);
    free(gpu);
}

void tg__gpu_painter_forget(tg__gpu_painter *gpu)
{
    drop_atlas(gpu);
    drop_picture(gpu);
}

static SDL_Texture *make_texture(const tg__gpu_painter *gpu, int access, int width, int height)
{
    SDL_Texture *texture =
        SDL_CreateTexture(gpu->renderer, SDL_PIXELFORMAT_ARGB8888, access, width, height);
    if (texture != NULL && (SDL_SetTextureBlendMode(texture, SDL_BLENDMODE_NONE) != 0 ||
                            SDL_SetTextureScaleMode(texture, SDL_ScaleModeNearest) != 0)) {
        SDL_DestroyTexture(texture);
        return NULL;
    }
    return texture;
}

tg_err tg__gpu_painter_fit(tg__gpu_painter *gpu, int *width, int *height)
{
    TG_ENSURE(SDL_GetRendererOutputSize(gpu->renderer, width, height) == 0, TG_ERR_WINDOW);
    if (gpu->picture != NULL && gpu->width == *width && gpu->height == *height) {
        return TG_OK;
    }
    drop_picture(gpu);
    gpu->width = *width;
    gpu->height = *height;
    gpu->picture = make_texture(gpu, SDL_TEXTUREACCESS_TARGET, *width, *height);
    return gpu->picture != NULL ? TG_OK : TG_ERR_WINDOW;
}

static int side_max(int said)
{
    return said > 0 ? said : USUAL_SIDE_MAX;
}

static tg_err make_atlas(tg__gpu_painter *gpu, const tg__painter *painter)
{
    drop_atlas(gpu);
    const tg__tile_form form = tg__painter_tile_form(painter);
    const int across_max = side_max(gpu->info.max_texture_width) / form.width;
    const int across = across_max < TILES_ACROSS ? across_max : TILES_ACROSS;
    const int down_max = side_max(gpu->info.max_texture_height) / form.height;
    const int wanted = ((int)form.count + across - 1) / across;
    const int down = down_max < wanted ? down_max : wanted;
    gpu->cell_width = form.width;
    gpu->cell_height = form.height;
    gpu->across = (uint32_t)across;
    gpu->places = (uint32_t)(across * down);
    gpu->owner = malloc(gpu->places * sizeof *gpu->owner);
    gpu->used_in = calloc(gpu->places, sizeof *gpu->used_in);
    TG_ENSURE(gpu->owner != NULL && gpu->used_in != NULL, TG_ERR_NO_MEMORY);
    for (uint32_t i = 0; i < gpu->places; i++) {
        gpu->owner[i] = NOBODY;
    }
    gpu->batch_number = 1;
    gpu->atlas =
        make_texture(gpu, SDL_TEXTUREACCESS_STATIC, across * form.width, down * form.height);
    return gpu->atlas != NULL ? TG_OK : TG_ERR_WINDOW;
}

static tg_err flush_batch(tg__gpu_painter *gpu, batch *from, SDL_Texture *texture)
{
    const int quads = from->quads;
    from->quads = 0;
    if (quads > 0 &&
        SDL_RenderGeometry(gpu->renderer, texture, from->vertices, quads * QUAD_VERTICES,
                           gpu->indices, quads * QUAD_INDICES) != 0) {
        return TG_ERR_WINDOW;
    }
    return TG_OK;
}

static tg_err flush(tg__gpu_painter *gpu)
{
    gpu->batch_number++;
    TG_TRY(flush_batch(gpu, &gpu->solids, NULL));
    return flush_batch(gpu, &gpu->tiles, gpu->atlas);
}

/* The corners of a rectangle on the picture, and of one in the texture, clockwise from the upper
 * left. */
static void put_quad(batch *to, tg__rect at, SDL_Color color, SDL_FPoint from, SDL_FPoint until)
{
    const float left = (float)at.x;
    const float top = (float)at.y;
    const float right = (float)(at.x + at.width);
    const float bottom = (float)(at.y + at.height);
    SDL_Vertex *v = to->vertices + (size_t)to->quads * QUAD_VERTICES;
    v[0] = (SDL_Vertex){{left, top}, color, from};
    v[1] = (SDL_Vertex){{right, top}, color, {until.x, from.y}};
    v[2] = (SDL_Vertex){{right, bottom}, color, until};
    v[3] = (SDL_Vertex){{left, bottom}, color, {from.x, until.y}};
    to->quads++;
}

static SDL_Color color_of(uint32_t rgb)
{
    return (SDL_Color){(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb, SDL_ALPHA_OPAQUE};
}

static tg_err put_solid(tg__gpu_painter *gpu, tg__rect at, uint32_t rgb)
{
    if (gpu->solids.quads == QUADS_MAX) {
        TG_TRY(flush(gpu));
    }
    const SDL_FPoint nowhere = {0, 0};
    put_quad(&gpu->solids, at, color_of(rgb), nowhere, nowhere);
    return TG_OK;
}

/* The tile comes into its place of the atlas, unless it is there. What waits to be drawn from that
 * place is drawn first. */
static tg_err place_tile(tg__gpu_painter *gpu, const tg__tile *tile, uint32_t place, tg__rect at)
{
    if (!tile->fresh && gpu->owner[place] == tile->index) {
        return TG_OK;
    }
    if (gpu->used_in[place] == gpu->batch_number) {
        TG_TRY(flush(gpu));
    }
    const SDL_Rect to = {at.x, at.y, at.width, at.height};
    gpu->owner[place] = NOBODY;
    TG_ENSURE(SDL_UpdateTexture(gpu->atlas, &to, tile->pixels,
                                gpu->cell_width * (int)sizeof *tile->pixels) == 0,
              TG_ERR_WINDOW);
    gpu->owner[place] = tile->index;
    return TG_OK;
}

static tg_err put_tile(tg__gpu_painter *gpu, tg__painter *painter, const tg_cell *cell, tg__rect at)
{
    const tg__tile tile = tg__painter_tile(painter, cell);
    const uint32_t place = tile.index % gpu->places;
    const tg__rect from = {(int)(place % gpu->across) * gpu->cell_width,
                           (int)(place / gpu->across) * gpu->cell_height, gpu->cell_width,
                           gpu->cell_height};
    if (gpu->tiles.quads == QUADS_MAX) {
        TG_TRY(flush(gpu));
    }
    TG_TRY(place_tile(gpu, &tile, place, from));
    const float across_px = (float)((int)gpu->across * gpu->cell_width);
    const float down_px = (float)((int)(gpu->places / gpu->across) * gpu->cell_height);
    const SDL_FPoint upper_left = {(float)from.x / across_px, (float)from.y / down_px};
    const SDL_FPoint lower_right = {(float)(from.x + from.width) / across_px,
                                    (float)(from.y + from.height) / down_px};
    put_quad(&gpu->tiles, at, color_of(UINT32_C(0xffffff)), upper_left, lower_right);
    gpu->used_in[place] = gpu->batch_number;
    return TG_OK;
}

static tg_err put_plot(tg__gpu_painter *gpu, const tg_cell *cell, tg__rect at)
{
    tg__rect bars[TG_PLOT_COLUMNS];
    const size_t count = tg__plot_cell_bars(cell, at, bars);
    TG_TRY(put_solid(gpu, at, cell->background));
    for (size_t i = 0; i < count; i++) {
        TG_TRY(put_solid(gpu, bars[i], cell->foreground));
    }
    return TG_OK;
}

static tg_err put_run(tg__gpu_painter *gpu, tg__painter *painter, const tg_draw_run *run,
                      const tg_cell *cells)
{
    tg__rect at = {run->column * gpu->cell_width, run->row * gpu->cell_height, 0, gpu->cell_height};
    for (int i = 0; i < run->count;) {
        const int blanks = tg__blanks_count(cells + i, run->count - i);
        const int taken = blanks > 0 ? blanks : 1;
        at.width = taken * gpu->cell_width;
        if (blanks > 0) {
            TG_TRY(put_solid(gpu, at, cells[i].background));
        } else if ((cells[i].marks & TG_CELL_PLOT) != 0) {
            TG_TRY(put_plot(gpu, &cells[i], at));
        } else {
            TG_TRY(put_tile(gpu, painter, &cells[i], at));
        }
        at.x += at.width;
        i += taken;
    }
    return TG_OK;
}

static tg_err put_list(tg__gpu_painter *gpu, tg__painter *painter, const tg_draw_list *list)
{
    if (list->full) {
        const SDL_Color c = color_of(list->background);
        TG_ENSURE(SDL_SetRenderDrawColor(gpu->renderer, c.r, c.g, c.b, c.a) == 0 &&
                      SDL_RenderClear(gpu->renderer) == 0,
                  TG_ERR_WINDOW);
    }
    for (size_t r = 0; r < list->run_count; r++) {
        const tg_draw_run *run = list->runs + r;
        TG_TRY(put_run(gpu, painter, run, list->cells + run->first));
    }
    return flush(gpu);
}

tg_err tg__gpu_painter_draw(tg__gpu_painter *gpu, tg__painter *painter, const tg_draw_list *list)
{
    TG_ENSURE(gpu->picture != NULL, TG_ERR_WINDOW);
    const tg__tile_form form = tg__painter_tile_form(painter);
    if (gpu->atlas == NULL || form.width != gpu->cell_width || form.height != gpu->cell_height) {
        TG_TRY(make_atlas(gpu, painter));
    }
    TG_ENSURE(SDL_SetRenderTarget(gpu->renderer, gpu->picture) == 0, TG_ERR_WINDOW);
    const tg_err err = put_list(gpu, painter, list);
    /* What an error left behind is no part of the next list. */
    gpu->solids.quads = 0;
    gpu->tiles.quads = 0;
    TG_ENSURE(SDL_SetRenderTarget(gpu->renderer, NULL) == 0, TG_ERR_WINDOW);
    return err;
}

tg_err tg__gpu_painter_present(tg__gpu_painter *gpu)
{
    TG_ENSURE(gpu->picture != NULL && SDL_RenderCopy(gpu->renderer, gpu->picture, NULL, NULL) == 0,
              TG_ERR_WINDOW);
    SDL_RenderPresent(gpu->renderer);
    return TG_OK;
}

tg_err tg__gpu_painter_read(tg__gpu_painter *gpu, tg__canvas *canvas)
{
    TG_ENSURE(gpu->picture != NULL && canvas->width == gpu->width && canvas->height == gpu->height,
              TG_ERR_WINDOW);
    TG_ENSURE(SDL_SetRenderTarget(gpu->renderer, gpu->picture) == 0, TG_ERR_WINDOW);
    const int done =
        SDL_RenderReadPixels(gpu->renderer, NULL, SDL_PIXELFORMAT_ARGB8888, canvas->pixels,
                             (int)(canvas->stride * sizeof *canvas->pixels));
    TG_ENSURE(SDL_SetRenderTarget(gpu->renderer, NULL) == 0 && done == 0, TG_ERR_WINDOW);
    return TG_OK;
}

const char *tg__gpu_painter_driver(const tg__gpu_painter *gpu)
{
    return gpu->info.name;
}
