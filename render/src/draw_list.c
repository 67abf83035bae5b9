#include <tickglass/draw_list.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>
#include <tickglass/plot_cell.h>

/* Text that grows: what does not fit is counted only. */
typedef struct sink {
    char *text;
    size_t size;
    size_t used; /* without terminator */
} sink;

static void put(sink *to, const char *bytes, size_t length)
{
    if (to->text != NULL && to->used < to->size) {
        const size_t room = to->size - 1 - to->used;
        const size_t fits = length < room ? length : room;
        memcpy(to->text + to->used, bytes, fits);
        to->text[to->used + fits] = '\0';
    }
    to->used += length;
}

TG_PRINTF(2, 3) static void put_format(sink *to, const char *format, ...)
{
    char line[128];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length > 0) {
        put(to, line, strlen(line));
    }
}

static bool same_style(const tg_cell *a, const tg_cell *b)
{
    const uint32_t halves = TG_CELL_WIDE_LEFT | TG_CELL_WIDE_RIGHT;
    return a->foreground == b->foreground && a->background == b->background &&
           (a->marks & ~halves) == (b->marks & ~halves);
}

static void put_bars(sink *to, const tg_cell *cell)
{
    for (unsigned column = 0; column < TG_PLOT_COLUMNS; column++) {
        const tg_plot_bar bar = tg_plot_bar_of(cell, column);
        if (tg_plot_bar_is_drawn(bar)) {
            put_format(to, "%02x%02x", bar.top, bar.bottom);
        } else {
            put(to, ".", 1);
        }
        put(to, column + 1 < TG_PLOT_COLUMNS ? " " : "|", 1);
    }
}

static void put_stretch(sink *to, const tg_draw_run *run, const tg_cell *cells, uint16_t from,
                        uint16_t end)
{
    const tg_cell *first = cells + from;
    put_format(to, "row %u column %u count %u fg %06x bg %06x%s%s%s \"", run->row,
               (unsigned)run->column + from, (unsigned)(end - from), first->foreground,
               first->background, (first->marks & TG_CELL_BOLD) != 0 ? " bold" : "",
               (first->marks & TG_CELL_UNDERLINE) != 0 ? " underline" : "",
               (first->marks & TG_CELL_PLOT) != 0 ? " plot" : "");
    for (uint16_t i = from; i < end; i++) {
        if ((cells[i].marks & TG_CELL_WIDE_RIGHT) != 0 && i > from) {
            continue;
        }
        if ((cells[i].marks & TG_CELL_PLOT) != 0) {
            put_bars(to, &cells[i]);
            continue;
        }
        const char *text = cells[i].text[0] == '\0' ? " " : cells[i].text;
        put(to, text, strlen(text));
    }
    put(to, "\"\n", 2);
}

tg_err tg_draw_list_dump(const tg_draw_list *list, char *text, size_t size, size_t *needed)
{
    TG_ENSURE(list != NULL, TG_ERR_INVALID_ARGUMENT);
    sink to = {text, size, 0};
    if (text != NULL && size > 0) {
        text[0] = '\0';
    }
    put_format(&to, "%s %u x %u background %06x\n", list->full ? "full" : "changes", list->columns,
               list->rows, list->background);
    for (size_t r = 0; r < list->run_count; r++) {
        const tg_draw_run *run = list->runs + r;
        const tg_cell *cells = list->cells + run->first;
        uint16_t from = 0;
        for (uint16_t i = 1; i <= run->count; i++) {
            if (i == run->count || !same_style(cells + i, cells + from)) {
                put_stretch(&to, run, cells, from, i);
                from = i;
            }
        }
    }
    if (needed != NULL) {
        *needed = to.used + 1;
    }
    TG_ENSURE(text == NULL || to.used < size, TG_ERR_BUFFER_TOO_SMALL);
    return TG_OK;
}
