/* A window without a display, a grid of its size, and comparison with golden files. */
#ifndef TG_PICTURE_FIXTURE_H
#define TG_PICTURE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/cell_grid.h>
#include <tickglass/palette.h>
#include <tickglass/window.h>

#include "golden_picture.h"
#include "tg_cmocka.h"

typedef struct picture_fixture {
    tg_window *window;
    tg_grid *grid;
    const tg_palette *palette;
} picture_fixture;

static inline picture_fixture picture_open(int width_px, int height_px, const char *palette)
{
    picture_fixture f = {0};
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.headless = true;
    opt.width_px = width_px;
    opt.height_px = height_px;
    assert_int_equal(tg_window_open(&opt, &f.window, NULL, 0), TG_OK);
    assert_int_equal(tg_grid_open(tg_window_columns(f.window), tg_window_rows(f.window), &f.grid),
                     TG_OK);
    assert_int_equal(tg_palette_find(palette, &f.palette), TG_OK);
    const tg_style blank = {f.palette->text, f.palette->background, 0};
    tg_grid_clear(f.grid, blank);
    return f;
}

/* So many cells of the default font. */
static inline picture_fixture picture_open_cells(int columns, int rows, const char *palette)
{
    const picture_fixture f = picture_open(columns * 8, rows * 19, palette);
    assert_int_equal(tg_grid_columns(f.grid), columns);
    assert_int_equal(tg_grid_rows(f.grid), rows);
    return f;
}

static inline void picture_close(picture_fixture *f)
{
    tg_grid_close(f->grid);
    tg_window_close(f->window);
}

static inline char *picture_dump(const tg_draw_list *list)
{
    size_t needed = 0;
    assert_int_equal(tg_draw_list_dump(list, NULL, 0, &needed), TG_OK);
    char *text = malloc(needed);
    assert_non_null(text);
    assert_int_equal(tg_draw_list_dump(list, text, needed, NULL), TG_OK);
    return text;
}

/* What the window says about libraries, without its video driver. */
static inline void picture_pin(const tg_window *window, char *pin, size_t size)
{
    tg_window_describe(window, pin, size);
    char *driver = strstr(pin, " video");
    if (driver != NULL) {
        *driver = '\0';
    }
    const char *ttf = strstr(pin, "SDL_ttf");
    assert_non_null(ttf);
    memmove(pin, ttf, strlen(ttf) + 1);
}

static inline void picture_expect_golden(picture_fixture *f, const char *name)
{
    const tg_draw_list *list = tg_grid_damage(f->grid);
    assert_int_equal(tg_window_draw(f->window, list), TG_OK);
    assert_int_equal(tg_window_present(f->window), TG_OK);
    char *dump = picture_dump(list);
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.txt", TG_TEST_GOLDEN, name);
    golden_expect_text(path, dump);
    free(dump);
    char picture[96];
    (void)snprintf(picture, sizeof picture, "picture_%s.png", name);
    assert_int_equal(tg_window_screenshot(f->window, picture), TG_OK);
    char pin[200];
    picture_pin(f->window, pin, sizeof pin);
    (void)snprintf(path, sizeof path, "%s/%s.png", TG_TEST_GOLDEN, name);
    golden_expect_picture(path, picture, TG_TEST_FONT, pin);
    assert_int_equal(remove(picture), 0);
}

static inline bool picture_shows_colour(picture_fixture *f, uint32_t foreground)
{
    tg_grid_forget(f->grid);
    const tg_draw_list *list = tg_grid_damage(f->grid);
    for (size_t i = 0; i < list->cell_count; i++) {
        const bool seen =
            list->cells[i].text[0] != '\0' || (list->cells[i].marks & TG_CELL_PLOT) != 0;
        if (seen && list->cells[i].foreground == foreground) {
            return true;
        }
    }
    return false;
}

/* The text of a span as it stands in the grid, without blanks around it. */
static inline const char *picture_text(picture_fixture *f, tg_span span)
{
    static char text[256];
    tg_grid_forget(f->grid);
    const tg_draw_list *list = tg_grid_damage(f->grid);
    size_t length = 0;
    size_t end = 0;
    for (uint16_t i = 0; i < span.width; i++) {
        const tg_cell *cell = &list->cells[(size_t)span.row * list->columns + span.column + i];
        const char *grapheme = cell->text[0] != '\0' ? cell->text : " ";
        if (length == 0 && strcmp(grapheme, " ") == 0) {
            continue;
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", grapheme);
        end = strcmp(grapheme, " ") != 0 ? length : end;
    }
    text[end] = '\0';
    return text;
}

/* The text of a whole row. */
static inline const char *picture_row(picture_fixture *f, uint16_t row)
{
    return picture_text(f, (tg_span){row, 0, tg_grid_columns(f->grid)});
}

#endif
