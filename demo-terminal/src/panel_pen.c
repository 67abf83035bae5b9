#include "panel_pen.h"

#include <string.h>

static const char focus_mark[] = "\xE2\x96\xB8";

tg_span panel_span(const panel_pen *pen, uint16_t row, uint16_t column, uint16_t width)
{
    const panel_area *area = &pen->area;
    tg_span span = {(uint16_t)(area->row + row), (uint16_t)(area->column + column), width};
    if (row >= area->height || column >= area->width) {
        span.width = 0;
    } else if (width > area->width - column) {
        span.width = (uint16_t)(area->width - column);
    }
    return span;
}

tg_style panel_style(const panel_pen *pen, uint32_t colour)
{
    const tg_style style = {colour, pen->palette->background, 0};
    return style;
}

void panel_label(const panel_pen *pen, tg_span span, uint32_t colour, const char *text)
{
    if (span.width > 0) {
        tg_grid_put_label(pen->grid, span, TG_ALIGN_LEFT, panel_style(pen, colour), text);
    }
}

void panel_number(const panel_pen *pen, tg_span span, uint32_t colour, const char *text)
{
    if (span.width > 0) {
        tg_grid_put_number(pen->grid, span, panel_style(pen, colour), text);
    }
}

static void draw_title(const panel_pen *pen, const panel_title *title)
{
    const tg_palette *palette = pen->palette;
    const uint32_t background = title->focused ? palette->selected : palette->bar;
    const tg_style mark = {palette->up, background, TG_CELL_BOLD};
    const tg_style name = {title->focused ? palette->text : palette->label, background,
                           TG_CELL_BOLD};
    const tg_style key = {palette->faint, background, 0};
    const tg_style note = {title->note_colour, background, 0};
    tg_grid_fill(pen->grid, panel_span(pen, 0, 0, pen->area.width), name);
    if (title->focused) {
        tg_grid_put_label(pen->grid, panel_span(pen, 0, 0, 1), TG_ALIGN_LEFT, mark, focus_mark);
    }
    const uint16_t name_width = tg_text_columns(title->name);
    const uint16_t key_width = tg_text_columns(title->key);
    const uint16_t note_width = tg_text_columns(title->note);
    uint16_t at = 2;
    tg_grid_put_label(pen->grid, panel_span(pen, 0, at, name_width), TG_ALIGN_LEFT, name,
                      title->name);
    at = (uint16_t)(at + name_width + 1);
    /* What the note says matters more than which key it is. */
    if (at + key_width + 1 + note_width + 1 <= pen->area.width) {
        tg_grid_put_label(pen->grid, panel_span(pen, 0, at, key_width), TG_ALIGN_LEFT, key,
                          title->key);
        at = (uint16_t)(at + key_width + 1);
    }
    if (at + 1 < pen->area.width) {
        tg_grid_put_label(pen->grid, panel_span(pen, 0, at, (uint16_t)(pen->area.width - at - 1)),
                          TG_ALIGN_RIGHT, note, title->note);
    }
}

panel_pen panel_begin(tg_grid *grid, const tg_palette *palette, panel_area area,
                      const panel_title *title)
{
    const panel_pen pen = {grid, palette, area};
    for (uint16_t i = 0; i < area.height; i++) {
        tg_grid_fill(grid, panel_span(&pen, i, 0, area.width), panel_style(&pen, palette->text));
    }
    draw_title(&pen, title);
    return pen;
}

panel_pen panel_resume(tg_grid *grid, const tg_palette *palette, panel_area area,
                       const panel_title *title)
{
    const panel_pen pen = {grid, palette, area};
    draw_title(&pen, title);
    return pen;
}

/* Bytes of text that fit into width cells, up to a blank if there is one. */
static size_t fitting(const char *text, uint16_t width)
{
    size_t end = strlen(text);
    char part[256];
    while (end > 0) {
        const size_t length = end < sizeof part ? end : sizeof part - 1;
        memcpy(part, text, length);
        part[length] = '\0';
        if (length == end && tg_text_columns(part) <= width) {
            return end;
        }
        const char *blank = NULL;
        for (size_t i = 0; i < length; i++) {
            blank = text[i] == ' ' && i > 0 && i < end ? text + i : blank;
        }
        if (blank == NULL) {
            return strlen(text); /* one word: it is cut with "…" */
        }
        end = (size_t)(blank - text);
    }
    return 0;
}

void panel_say(const panel_pen *pen, uint16_t row, uint32_t colour, const char *text)
{
    const uint16_t width = cells_left(pen->area.width, 4);
    for (; row < pen->area.height && *text != '\0' && width > 0; row++) {
        char line[256];
        size_t length = fitting(text, width);
        length = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, text, length);
        line[length] = '\0';
        panel_label(pen, panel_span(pen, row, 2, width), colour, line);
        text += length;
        while (*text == ' ') {
            text++;
        }
    }
}
