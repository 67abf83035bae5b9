#include "painters.h"

#include <stdio.h>
#include <stdlib.h>

#include <tickglass/cell_grid.h>
#include <tickglass/window.h>

enum {
    field_width_min = 10 /* "99010.00" and a gap */
};

struct painter {
    tg_window *window;
    tg_grid *grid;
    uint16_t field_width;
};

static _Noreturn void fail(const char *what, tg_err err)
{
    (void)fprintf(stderr, "bench_render: %s: %s\n", what, tg_err_text(err));
    exit(1);
}

static painter *open_tickglass(const painter_options *options)
{
    painter *self = calloc(1, sizeof *self);
    if (self == NULL) {
        fail("memory", TG_ERR_NO_MEMORY);
    }
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.width_px = options->width_px;
    opt.height_px = options->height_px;
    opt.font_size_px = options->font_size_px;
    opt.headless = options->blind;
    char why[256] = "";
    tg_err err = tg_window_open(&opt, &self->window, why, sizeof why);
    if (err != TG_OK) {
        fail(why, err);
    }
    const uint16_t columns = tg_window_columns(self->window);
    const uint16_t rows = tg_window_rows(self->window);
    self->field_width = (uint16_t)(columns / page_columns);
    err = tg_grid_open(columns, rows, &self->grid);
    if (err != TG_OK || rows < page_rows || self->field_width < field_width_min) {
        fail("the window is too small", err);
    }
    return self;
}

/* Events are taken as in a program; none of them changes the picture of a window that stays as it
 * is. */
static void take_events(painter *self)
{
    tg_input input;
    while (tg_window_wait(self->window, 0, &input) == TG_OK) {
    }
}

static void pass_tickglass(painter *self, const price_page *page, bool full)
{
    take_events(self);
    for (size_t i = 0; i < page_fields; i++) {
        const page_field *field = &page->fields[i];
        if (!field->changed) {
            continue;
        }
        const tg_span span = {(uint16_t)(i / page_columns),
                              (uint16_t)(i % page_columns * self->field_width), self->field_width};
        const tg_style style = {field->foreground, field->background, 0};
        tg_grid_put_number(self->grid, span, style, field->text);
    }
    if (full) {
        tg_grid_forget(self->grid);
    }
    tg_err err = tg_window_draw(self->window, tg_grid_damage(self->grid));
    if (err == TG_OK) {
        err = tg_window_present(self->window);
    }
    if (err != TG_OK) {
        fail("drawing", err);
    }
}

static void close_tickglass(painter *self)
{
    tg_grid_close(self->grid);
    tg_window_close(self->window);
    free(self);
}

const painter_kind painter_tickglass = {"tickglass", open_tickglass, pass_tickglass,
                                        close_tickglass};
