#include <tickglass/window.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <SDL.h>

#include <tickglass/internal/control_flow.h>

#include "canvas.h"
#include "cell_painter.h"
#include "display_wait.h"
#include "font.h"
#include "font_file.h"
#include "gpu_painter.h"
#include "input.h"
#include "png_file.h"
#include "x11_scale.h"
#include "x11_surface.h"

#define SIDE_MAX_PX 16384
/* More rectangles than this cost more in calls than they save in pixels. */
#define RECTS_MAX         64
#define SCALE_MIN_PERCENT 50
#define SCALE_MAX_PERCENT 400

struct tg_window {
    SDL_Window *handle;
    tg__gpu_painter *gpu; /* NULL: the picture goes into the surface */
    tg__x11_surface *x11; /* NULL: SDL's surface it is */
    SDL_Surface *surface; /* valid until the size changes */
    tg__font *font;
    tg__painter *painter;
    /* What is painted: the surface's own pixels if they have our form, else memory of our own. With
     * a GPU it has a size, but no pixels. */
    tg__canvas canvas;
    uint32_t *own_pixels;
    tg__rect rects[RECTS_MAX];
    size_t rect_count;
    uint16_t columns;
    uint16_t rows;
    char *font_file[3]; /* regular, bold, fallback: as they were opened, for other sizes; or NULL */
    int font_size_px;   /* before scaling */
    int letter_px;      /* of the font that is open */
    int scale_percent;  /* asked for; 0: the display's */
    int plain_width_px; /* of the window that a full screen came from */
    int plain_height_px;
    bool headless;
    bool video_started;
    uint32_t wake_event; /* only ends SDL's sleep */
    tg__display_wait wait;
    bool just_slept; /* a wake ended the last sleep, and the display had nothing */
};

/* SDL's video state belongs to the process. */
static _Atomic bool window_is_open;

void tg_window_options_init(tg_window_options *opt)
{
    memset(opt, 0, sizeof *opt);
    opt->struct_size = sizeof *opt;
}

static tg_err explain(char *why, size_t why_size, const char *what)
{
    if (why != NULL && why_size > 0) {
        (void)snprintf(why, why_size, "%s: %s", what, SDL_GetError());
    }
    return TG_ERR_WINDOW;
}

static int or_default(int value, int fallback)
{
    return value == 0 ? fallback : value;
}

static void set_hints(bool headless)
{
    /* Signals are the program's business. */
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    /* Else SDL puts the surface on the screen through a hidden GL texture. */
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    /* Else the desktop's compositor is switched off for a window that is no game. */
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    SDL_ResetHint(SDL_HINT_VIDEODRIVER); /* of a window before: what is left is the user's */
    if (headless) {
        const char *asked = SDL_GetHint(SDL_HINT_VIDEODRIVER);
        const bool offscreen = asked != NULL && strcmp(asked, "offscreen") == 0;
        SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, offscreen ? "offscreen" : "dummy",
                                SDL_HINT_OVERRIDE);
    }
}

/* Drivers that show nothing: SDL falls back on them by itself where there is no display. */
static bool is_blind(const char *driver)
{
    return driver == NULL || strcmp(driver, "dummy") == 0 || strcmp(driver, "offscreen") == 0;
}

static tg_err start_video(tg_window *window, char *why, size_t why_size)
{
    set_hints(window->headless);
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) {
        return explain(why, why_size, "no display can be used");
    }
    window->video_started = true;
    const char *driver = SDL_GetCurrentVideoDriver();
    if (!window->headless && is_blind(driver)) {
        SDL_SetError("neither an X server (DISPLAY) nor a Wayland compositor answers");
        return explain(why, why_size, "no display can be used");
    }
    if (driver != NULL && strcmp(driver, "wayland") == 0) {
        /* Has no surface of its own: there the texture is the only way. */
        SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "1");
    }
    SDL_StartTextInput();
    const uint32_t event = SDL_RegisterEvents(1);
    if (event == UINT32_MAX) {
        return explain(why, why_size, "no event number is free");
    }
    window->wake_event = event;
    return TG_OK;
}

static uint16_t cells_in(int pixels, int cell)
{
    const int count = pixels / cell;
    if (count < 1) {
        return 1;
    }
    return count > UINT16_MAX ? UINT16_MAX : (uint16_t)count;
}

static bool has_our_form(const SDL_Surface *surface)
{
    return (surface->format->format == SDL_PIXELFORMAT_RGB888 ||
            surface->format->format == SDL_PIXELFORMAT_ARGB8888) &&
           !SDL_MUSTLOCK(surface) && surface->pitch % (int)sizeof(uint32_t) == 0;
}

static void measure_cells(tg_window *window)
{
    window->columns = cells_in(window->canvas.width, tg__font_cell_width(window->font));
    window->rows = cells_in(window->canvas.height, tg__font_cell_height(window->font));
}

static bool attach_x11(tg_window *window)
{
    int width = 0;
    int height = 0;
    if (window->x11 == NULL) {
        return false;
    }
    SDL_GetWindowSizeInPixels(window->handle, &width, &height);
    if (tg__x11_surface_fit(window->x11, width, height, &window->canvas) == TG_OK) {
        return true;
    }
    tg__x11_surface_close(window->x11);
    window->x11 = NULL; /* SDL has other ways */
    return false;
}

static tg_err attach_sdl(tg_window *window)
{
    SDL_Surface *surface = SDL_GetWindowSurface(window->handle);
    TG_ENSURE(surface != NULL, TG_ERR_WINDOW);
    window->surface = surface;
    tg__canvas canvas = {surface->pixels, surface->w, surface->h,
                         (size_t)surface->pitch / sizeof(uint32_t)};
    if (!has_our_form(surface)) {
        const size_t count = (size_t)surface->w * (size_t)surface->h;
        uint32_t *pixels = realloc(window->own_pixels, count * sizeof *pixels);
        TG_ENSURE(pixels != NULL, TG_ERR_NO_MEMORY);
        window->own_pixels = pixels;
        canvas.pixels = pixels;
        canvas.stride = (size_t)surface->w;
    }
    window->canvas = canvas;
    return TG_OK;
}

/* Asks for pixels of the window's present size and points the canvas at them. */
static tg_err attach_surface(tg_window *window)
{
    if (window->gpu != NULL) {
        TG_TRY(tg__gpu_painter_fit(window->gpu, &window->canvas.width, &window->canvas.height));
    } else if (!attach_x11(window)) {
        TG_TRY(attach_sdl(window));
    }
    measure_cells(window);
    window->rect_count = 0;
    return TG_OK;
}

static int scaled_letters(const tg_window *window, int percent)
{
    const int px = (window->font_size_px * percent + 50) / 100;
    if (px < TG__FONT_SIZE_MIN) {
        return TG__FONT_SIZE_MIN;
    }
    return px > TG__FONT_SIZE_MAX ? TG__FONT_SIZE_MAX : px;
}

static tg_err keep_name(char **kept, const char *file)
{
    if (file == NULL) {
        return TG_OK;
    }
    const size_t size = strlen(file) + 1;
    *kept = malloc(size);
    TG_ENSURE(*kept != NULL, TG_ERR_NO_MEMORY);
    memcpy(*kept, file, size);
    return TG_OK;
}

static tg_err keep_font_files(tg_window *window, const tg_window_options *opt)
{
    const char *regular = opt->font_file;
    const char *bold = opt->bold_font_file;
    const char *fallback = opt->fallback_font_file;
    if (regular == NULL) {
        regular = TG_FONT_FILE;
        bold = TG_BOLD_FONT_FILE;
    }
    /* What was found when this was built may be gone: numbers are shown then. */
    if (fallback == NULL && access(TG_FALLBACK_FONT_FILE, R_OK) == 0) {
        fallback = TG_FALLBACK_FONT_FILE;
    }
    TG_TRY(keep_name(&window->font_file[0], regular));
    TG_TRY(keep_name(&window->font_file[1], bold));
    return keep_name(&window->font_file[2], fallback);
}

/* Letters of that many pixels take the place of those that were there. */
static tg_err open_letters(tg_window *window, int letter_px, char *why, size_t why_size)
{
    const tg__font_options options = {.regular_file = window->font_file[0],
                                      .bold_file = window->font_file[1],
                                      .fallback_file = window->font_file[2],
                                      .size_px = letter_px};
    tg__font *font = NULL;
    tg__painter *painter = NULL;
    TG_TRY(tg__font_open(&options, &font, why, why_size));
    const tg_err err = tg__painter_open(font, &painter);
    if (err != TG_OK) {
        tg__font_close(font);
        return err;
    }
    tg__painter_close(window->painter);
    tg__font_close(window->font);
    window->font = font;
    window->painter = painter;
    window->letter_px = letter_px;
    return TG_OK;
}

/* X11 has no units but pixels: how many make one of ours is said among its resources. 0: nothing
 * is. */
static int scale_that_is_wanted(void)
{
    const char *driver = SDL_GetCurrentVideoDriver();
    const int percent = driver != NULL && strcmp(driver, "x11") == 0 ? tg__x11_scale_percent() : 0;
    return percent >= SCALE_MIN_PERCENT && percent <= SCALE_MAX_PERCENT ? percent : 0;
}

static tg_err open_fonts(tg_window *window, const tg_window_options *opt, char *why,
                         size_t why_size)
{
    window->font_size_px = or_default(opt->font_size_px, 14);
    window->scale_percent = opt->scale_percent != 0 ? opt->scale_percent : scale_that_is_wanted();
    TG_ENSURE(window->font_size_px >= TG__FONT_SIZE_MIN &&
                  window->font_size_px <= TG__FONT_SIZE_MAX &&
                  (opt->scale_percent == 0 || (opt->scale_percent >= SCALE_MIN_PERCENT &&
                                               opt->scale_percent <= SCALE_MAX_PERCENT)),
              TG_ERR_INVALID_ARGUMENT);
    TG_TRY(keep_font_files(window, opt));
    return open_letters(window, scaled_letters(window, or_default(window->scale_percent, 100)), why,
                        why_size);
}

/* The display's own scale shows when there is a window. */
static tg_err fit_letters(tg_window *window)
{
    const int letter_px = scaled_letters(window, tg_window_scale_percent(window));
    return letter_px == window->letter_px ? TG_OK : open_letters(window, letter_px, NULL, 0);
}

static int scaled(int px, int percent)
{
    return (px * percent + 50) / 100;
}

/* SDL's surface has one pixel for each of the window's units (Wayland): where the display has more
 * for them, letters would be small ones that were blown up. */
static bool has_finer_pixels(SDL_Window *handle)
{
    int units = 0;
    int pixels = 0;
    SDL_GetWindowSize(handle, &units, NULL);
    SDL_GetWindowSizeInPixels(handle, &pixels, NULL);
    return pixels > units;
}

static tg_err open_handle(tg_window *window, const tg_window_options *opt, char *why,
                          size_t why_size)
{
    const int width = or_default(opt->width_px, 1280);
    const int height = or_default(opt->height_px, 800);
    TG_ENSURE(width > 0 && width <= SIDE_MAX_PX && height > 0 && height <= SIDE_MAX_PX,
              TG_ERR_INVALID_ARGUMENT);
    const int percent = or_default(window->scale_percent, 100);
    window->handle =
        SDL_CreateWindow(opt->title != NULL ? opt->title : "tickglass", SDL_WINDOWPOS_UNDEFINED,
                         SDL_WINDOWPOS_UNDEFINED, scaled(width, percent), scaled(height, percent),
                         SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (window->handle == NULL) {
        return explain(why, why_size, "the window could not be opened");
    }
    tg_err err = TG_OK;
    const bool wants_gpu = opt->backend == TG_BACKEND_GPU;
    if (wants_gpu || has_finer_pixels(window->handle)) {
        err = tg__gpu_painter_open(window->handle, &window->gpu);
        err = wants_gpu || err == TG_ERR_NO_MEMORY ? err : TG_OK; /* coarse letters, then */
    }
    if (err == TG_OK && window->gpu == NULL) {
        err = tg__x11_surface_open(window->handle, &window->x11);
        err = err == TG_ERR_NOT_FOUND ? TG_OK : err;
    }
    if (err == TG_OK) {
        err = attach_surface(window);
    }
    if (err == TG_OK) {
        err = fit_letters(window);
        measure_cells(window);
    }
    return err == TG_ERR_WINDOW ? explain(why, why_size, "the window has nothing to draw into")
                                : err;
}

tg_err tg_window_open(const tg_window_options *opt, tg_window **out, char *why, size_t why_size)
{
    TG_ENSURE(opt != NULL && out != NULL && opt->struct_size == sizeof *opt,
              TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    if (why != NULL && why_size > 0) {
        why[0] = '\0';
    }
    /* Two threads that open at once: one of them wins. Pairs with the release in close. */
    TG_ENSURE(!atomic_exchange_explicit(&window_is_open, true, memory_order_acq_rel), TG_ERR_STATE);
    tg_err err = TG_ERR_NO_MEMORY;
    tg_window *window = calloc(1, sizeof *window);
    if (window == NULL || tg__display_wait_open(&window->wait) != TG_OK) {
        free(window);
        atomic_store_explicit(&window_is_open, false, memory_order_release);
        return err;
    }
    window->headless = opt->headless;
    err = start_video(window, why, why_size);
    if (err == TG_OK) {
        err = open_fonts(window, opt, why, why_size);
    }
    if (err == TG_OK) {
        err = open_handle(window, opt, why, why_size);
    }
    if (err == TG_OK) {
        tg__display_wait_attach(&window->wait, window->handle, window->wake_event,
                                window->headless);
    }
    if (err != TG_OK) {
        tg_window_close(window);
        return err;
    }
    *out = window;
    return TG_OK;
}

void tg_window_close(tg_window *window)
{
    if (window == NULL) {
        return;
    }
    tg__gpu_painter_close(window->gpu);
    tg__x11_surface_close(window->x11);
    if (window->handle != NULL) {
        SDL_DestroyWindow(window->handle);
    }
    tg__painter_close(window->painter);
    tg__font_close(window->font);
    if (window->video_started) {
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
    }
    free(window->own_pixels);
    for (size_t i = 0; i < sizeof window->font_file / sizeof window->font_file[0]; i++) {
        free(window->font_file[i]);
    }
    tg__display_wait_close(&window->wait);
    free(window);
    /* Pairs with the exchange in open. */
    atomic_store_explicit(&window_is_open, false, memory_order_release);
}

uint16_t tg_window_columns(const tg_window *window)
{
    return window->columns;
}

uint16_t tg_window_rows(const tg_window *window)
{
    return window->rows;
}

void tg_window_size_px(const tg_window *window, int *width_px, int *height_px)
{
    const int percent = or_default(window->scale_percent, 100);
    if (tg_window_is_full_screen(window)) {
        *width_px = window->plain_width_px;
        *height_px = window->plain_height_px;
        return;
    }
    SDL_GetWindowSize(window->handle, width_px, height_px);
    *width_px = (*width_px * 100 + percent / 2) / percent;
    *height_px = (*height_px * 100 + percent / 2) / percent;
}

tg_picture_form tg_window_picture_form(const tg_window *window)
{
    const tg_picture_form form = {window->canvas.width, window->canvas.height, window->letter_px};
    return form;
}

tg_err tg_window_fonts(const tg_window *window, char *text, size_t size)
{
    TG_ENSURE(window != NULL && text != NULL && size >= TG_FONTS_TEXT_SIZE,
              TG_ERR_INVALID_ARGUMENT);
    char file[3][TG__FONT_FILE_TEXT_SIZE];
    text[0] = '\0';
    for (size_t i = 0; i < 3; i++) {
        /* Set by open, and never again. */
        TG_TRY(tg__font_file_identify(window->font_file[i], file[i]));
    }
    (void)snprintf(text, size, "%s, bold %s, fallback %s", file[0], file[1], file[2]);
    return TG_OK;
}

bool tg_window_visible(const tg_window *window)
{
    const uint32_t unseen = SDL_WINDOW_HIDDEN | SDL_WINDOW_MINIMIZED;
    return (SDL_GetWindowFlags(window->handle) & unseen) == 0;
}

tg_err tg_window_draw(tg_window *window, const tg_draw_list *list)
{
    TG_ENSURE(window != NULL && list != NULL, TG_ERR_INVALID_ARGUMENT);
    if (window->gpu != NULL) {
        TG_TRY(tg__gpu_painter_draw(window->gpu, window->painter, list));
    } else {
        if (window->x11 != NULL) {
            TG_TRY(tg__x11_surface_await(window->x11));
        }
        tg__painter_draw(window->painter, list, &window->canvas);
    }
    /* Rectangles of a pass that was never presented stay; the sum is cut off at the bound. */
    const size_t free_rects = RECTS_MAX - window->rect_count;
    if (list->full || free_rects == 0) {
        window->rects[0] = (tg__rect){0, 0, window->canvas.width, window->canvas.height};
        window->rect_count = 1;
        return TG_OK;
    }
    window->rect_count += tg__painter_damage(window->painter, list, &window->canvas,
                                             window->rects + window->rect_count, free_rects);
    return TG_OK;
}

static tg_err convert(const tg_window *window, tg__rect rect)
{
    SDL_Surface *to = window->surface;
    TG_ENSURE(!SDL_MUSTLOCK(to) || SDL_LockSurface(to) == 0, TG_ERR_WINDOW);
    const tg__canvas *from = &window->canvas;
    uint8_t *target = (uint8_t *)to->pixels + (ptrdiff_t)rect.y * to->pitch +
                      (ptrdiff_t)rect.x * to->format->BytesPerPixel;
    const int done = SDL_ConvertPixels(
        rect.width, rect.height, SDL_PIXELFORMAT_ARGB8888,
        from->pixels + (size_t)rect.y * from->stride + (size_t)rect.x,
        (int)(from->stride * sizeof *from->pixels), to->format->format, target, to->pitch);
    if (SDL_MUSTLOCK(to)) {
        SDL_UnlockSurface(to);
    }
    return done == 0 ? TG_OK : TG_ERR_WINDOW;
}

static tg_err present_sdl(tg_window *window, size_t count)
{
    SDL_Rect rects[RECTS_MAX];
    for (size_t i = 0; i < count; i++) {
        const tg__rect *rect = &window->rects[i];
        rects[i] = (SDL_Rect){rect->x, rect->y, rect->width, rect->height};
        if (window->own_pixels != NULL && window->canvas.pixels == window->own_pixels) {
            TG_TRY(convert(window, *rect));
        }
    }
    if (SDL_UpdateWindowSurfaceRects(window->handle, rects, (int)count) == 0) {
        return TG_OK;
    }
    /* Between two sizes: a surface is not valid any more from the moment when SDL is asked for
     * another size, and the event that says so waits in the queue. It has everything drawn anew. */
    return SDL_HasEvent(SDL_WINDOWEVENT) ? TG_OK : TG_ERR_WINDOW;
}

tg_err tg_window_present(tg_window *window)
{
    TG_ENSURE(window != NULL, TG_ERR_INVALID_ARGUMENT);
    const size_t count = window->rect_count;
    window->rect_count = 0;
    if (count == 0) {
        return TG_OK;
    }
    if (window->gpu != NULL) {
        return tg__gpu_painter_present(window->gpu);
    }
    return window->x11 != NULL ? tg__x11_surface_present(window->x11, window->rects, count)
                               : present_sdl(window, count);
}

tg_err tg_window_screenshot(const tg_window *window, const char *path)
{
    TG_ENSURE(window != NULL && path != NULL, TG_ERR_INVALID_ARGUMENT);
    if (window->gpu == NULL) {
        return tg__png_write(path, &window->canvas);
    }
    tg_picture *picture = NULL;
    TG_TRY(tg_picture_open(window, &picture));
    const tg_err err = tg_picture_write(picture, path);
    tg_picture_close(picture);
    return err;
}

struct tg_picture {
    tg__canvas canvas;
    uint32_t pixels[];
};

tg_err tg_picture_open(const tg_window *window, tg_picture **out)
{
    TG_ENSURE(window != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    const tg__canvas *from = &window->canvas;
    const size_t count = (size_t)from->width * (size_t)from->height;
    *out = NULL;
    tg_picture *picture = malloc(sizeof *picture + count * sizeof *picture->pixels);
    TG_ENSURE(picture != NULL, TG_ERR_NO_MEMORY);
    picture->canvas = (tg__canvas){picture->pixels, from->width, from->height, (size_t)from->width};
    if (window->gpu != NULL) {
        const tg_err err = tg__gpu_painter_read(window->gpu, &picture->canvas);
        if (err != TG_OK) {
            free(picture);
            return err;
        }
        *out = picture;
        return TG_OK;
    }
    for (int y = 0; y < from->height; y++) {
        tg__canvas_blit(&picture->canvas, 0, y, from->pixels + (size_t)y * from->stride,
                        from->width, 1);
    }
    *out = picture;
    return TG_OK;
}

void tg_picture_close(tg_picture *picture)
{
    free(picture);
}

tg_err tg_picture_write(const tg_picture *picture, const char *path)
{
    TG_ENSURE(picture != NULL && path != NULL, TG_ERR_INVALID_ARGUMENT);
    return tg__png_write(path, &picture->canvas);
}

static uint16_t cell_of(int at, int units, int pixels, int cell, uint16_t count)
{
    const int index = units > 0 ? (int)((int64_t)at * pixels / units) / cell : 0;
    if (index < 0) {
        return 0;
    }
    return index < count ? (uint16_t)index : (uint16_t)(count - 1);
}

/* The mouse counts in the window's own units, cells are of pixels. */
static void find_cell(const tg_window *window, const SDL_Event *event, tg_input *out)
{
    int x = event->button.x;
    int y = event->button.y;
    int width = 0;
    int height = 0;
    if (out->kind == TG_INPUT_WHEEL) {
        x = event->wheel.mouseX;
        y = event->wheel.mouseY;
    } else if (out->kind != TG_INPUT_CLICK) {
        return;
    }
    SDL_GetWindowSize(window->handle, &width, &height);
    out->column =
        cell_of(x, width, window->canvas.width, tg__font_cell_width(window->font), window->columns);
    out->row =
        cell_of(y, height, window->canvas.height, tg__font_cell_height(window->font), window->rows);
}

/* Takes queued events until one means something. */
static bool poll_input(tg_window *window, tg_input *out)
{
    SDL_Event event;
    while (SDL_PollEvent(&event) != 0) {
        if (event.type == window->wake_event) {
            continue; /* it only ended the sleep: take_wake() tells */
        }
        if (!tg__input_translate(&event, out)) {
            continue;
        }
        const bool reset =
            event.type == SDL_RENDER_DEVICE_RESET || event.type == SDL_RENDER_TARGETS_RESET;
        if (reset && window->gpu != NULL) {
            tg__gpu_painter_forget(window->gpu);
        }
        if (out->kind == TG_INPUT_RESIZED || out->kind == TG_INPUT_EXPOSED) {
            if (attach_surface(window) != TG_OK) {
                continue; /* between two sizes: another event follows */
            }
            /* It may have gone to a display of another scale; if there is no memory for other
             * letters, those that are there go on. */
            (void)!fit_letters(window);
            measure_cells(window);
        }
        find_cell(window, &event, out);
        return true;
    }
    return false;
}

static bool take_wake(tg_window *window, tg_input *out)
{
    if (!tg__display_wait_take(&window->wait)) {
        return false;
    }
    memset(out, 0, sizeof *out);
    out->kind = TG_INPUT_WAKE;
    return true;
}

tg_err tg_window_wait(tg_window *window, int64_t timeout_ns, tg_input *out)
{
    TG_ENSURE(window != NULL && out != NULL, TG_ERR_INVALID_ARGUMENT);
    /* Each question to the display costs some calls of the system; in the moment after a sleep that
     * a wake has ended, it has been answered. */
    const bool asked = timeout_ns <= 0 && window->just_slept;
    window->just_slept = false;
    if ((!asked && poll_input(window, out)) || take_wake(window, out)) {
        return TG_OK;
    }
    if (timeout_ns > 0) {
        const bool from_display = tg__display_wait_sleep(&window->wait, timeout_ns);
        if (from_display && poll_input(window, out)) {
            return TG_OK;
        }
        if (take_wake(window, out)) {
            window->just_slept = !from_display;
            return TG_OK;
        }
    }
    return TG_ERR_NOT_FOUND;
}

void tg_window_wake(tg_window *window)
{
    tg__display_wait_wake(&window->wait);
}

void tg_window_describe(const tg_window *window, char *text, size_t size)
{
    SDL_version sdl;
    SDL_GetVersion(&sdl);
    char font[64];
    tg__font_describe(font, sizeof font);
    const char *driver = SDL_GetCurrentVideoDriver();
    (void)snprintf(text, size, "SDL %d.%d.%d %s video driver %s%s%s%s", sdl.major, sdl.minor,
                   sdl.patch, font, driver != NULL ? driver : "?",
                   window->headless ? " (no display)" : "", window->gpu != NULL ? " renderer " : "",
                   window->gpu != NULL ? tg__gpu_painter_driver(window->gpu) : "");
}

tg_err tg_window_set_font_size(tg_window *window, int font_size_px)
{
    TG_ENSURE(window != NULL && font_size_px >= TG__FONT_SIZE_MIN &&
                  font_size_px <= TG__FONT_SIZE_MAX,
              TG_ERR_INVALID_ARGUMENT);
    const int before = window->font_size_px;
    window->font_size_px = font_size_px;
    const tg_err err = fit_letters(window);
    if (err != TG_OK) {
        window->font_size_px = before;
        return err;
    }
    measure_cells(window);
    return TG_OK;
}

int tg_window_font_size(const tg_window *window)
{
    return window->font_size_px;
}

int tg_window_scale_percent(const tg_window *window)
{
    int width = 0;
    int height = 0;
    if (window->scale_percent != 0) {
        return window->scale_percent;
    }
    SDL_GetWindowSize(window->handle, &width, &height);
    return width > 0 ? (int)(((int64_t)window->canvas.width * 100 + width / 2) / width) : 100;
}

tg_err tg_window_full_screen(tg_window *window, bool on)
{
    TG_ENSURE(window != NULL, TG_ERR_INVALID_ARGUMENT);
    if (!tg_window_is_full_screen(window)) {
        tg_window_size_px(window, &window->plain_width_px, &window->plain_height_px);
    }
    const bool was = tg_window_is_full_screen(window);
    const uint32_t flags = on ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0;
    TG_ENSURE(SDL_SetWindowFullscreen(window->handle, flags) == 0, TG_ERR_WINDOW);
    /* Not every driver remembers what the window was. */
    return was && !on ? tg_window_resize(window, window->plain_width_px, window->plain_height_px)
                      : TG_OK;
}

bool tg_window_is_full_screen(const tg_window *window)
{
    return (SDL_GetWindowFlags(window->handle) & SDL_WINDOW_FULLSCREEN) != 0;
}

tg_err tg_window_resize(tg_window *window, int width_px, int height_px)
{
    TG_ENSURE(window != NULL && width_px > 0 && width_px <= SIDE_MAX_PX && height_px > 0 &&
                  height_px <= SIDE_MAX_PX,
              TG_ERR_INVALID_ARGUMENT);
    const int percent = or_default(window->scale_percent, 100);
    SDL_SetWindowSize(window->handle, scaled(width_px, percent), scaled(height_px, percent));
    return TG_OK;
}

tg_err tg_window_copy(tg_window *window, const char *text)
{
    TG_ENSURE(window != NULL && text != NULL, TG_ERR_INVALID_ARGUMENT);
    return SDL_SetClipboardText(text) == 0 ? TG_OK : TG_ERR_WINDOW;
}

void tg_window_pasted(const tg_window *window, char *text, size_t size)
{
    (void)window;
    char *pasted = SDL_GetClipboardText();
    (void)snprintf(text, size, "%s", pasted != NULL ? pasted : "");
    SDL_free(pasted);
}

bool tg_picture_equal(const tg_picture *a, const tg_picture *b)
{
    const size_t size = (size_t)a->canvas.width * (size_t)a->canvas.height * sizeof *a->pixels;
    return a->canvas.width == b->canvas.width && a->canvas.height == b->canvas.height &&
           memcmp(a->pixels, b->pixels, size) == 0;
}
