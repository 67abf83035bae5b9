/* Writes into a panel's area and never beside it. */
#ifndef TG_TERMINAL_PANEL_PEN_H
#define TG_TERMINAL_PANEL_PEN_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/cell_grid.h>
#include <tickglass/palette.h>

#include "layout.h"

typedef struct panel_pen {
    tg_grid *grid;
    const tg_palette *palette;
    panel_area area;
} panel_pen;

/* What stands in a panel's first line. */
typedef struct panel_title {
    const char *key; /* "F4": shows it and takes it away */
    const char *name;
    const char *note; /* at the right; "" for none */
    uint32_t note_colour;
    bool focused;
} panel_title;

/* Blanks the area and writes its first line. Thread: owner, all of these. */
panel_pen panel_begin(tg_grid *grid, const tg_palette *palette, panel_area area,
                      const panel_title *title);

/* The area as it stands: only its first line is written anew. */
panel_pen panel_resume(tg_grid *grid, const tg_palette *palette, panel_area area,
                       const panel_title *title);

/* Row and column count from the area's corner; what lies beyond it is cut off. */
tg_span panel_span(const panel_pen *pen, uint16_t row, uint16_t column, uint16_t width);

tg_style panel_style(const panel_pen *pen, uint32_t colour);

void panel_label(const panel_pen *pen, tg_span span, uint32_t colour, const char *text);

/* Right-aligned, whole or "####". */
void panel_number(const panel_pen *pen, tg_span span, uint32_t colour, const char *text);

/* What there is to say instead of values, from a row on: wrapped at blanks. */
void panel_say(const panel_pen *pen, uint16_t row, uint32_t colour, const char *text);

#endif
