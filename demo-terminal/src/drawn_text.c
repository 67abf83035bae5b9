#include "drawn_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct drawn_cell {
    char text[TG_CELL_TEXT_SIZE];
    uint32_t marks;
} drawn_cell;

struct drawn_text {
    uint16_t columns;
    uint16_t rows;
    size_t capacity;
    drawn_cell *cells;
};

tg_err drawn_text_open(drawn_text **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? TG_OK : TG_ERR_NO_MEMORY;
}

void drawn_text_close(drawn_text *drawn)
{
    if (drawn != NULL) {
        free(drawn->cells);
        free(drawn);
    }
}

static tg_err fit(drawn_text *drawn, const tg_draw_list *list)
{
    const size_t count = (size_t)list->columns * list->rows;
    if (count > drawn->capacity) {
        drawn_cell *cells = realloc(drawn->cells, count * sizeof *cells);
        if (cells == NULL) {
            return TG_ERR_NO_MEMORY;
        }
        drawn->cells = cells;
        drawn->capacity = count;
    }
    drawn->columns = list->columns;
    drawn->rows = list->rows;
    if (count > 0) {
        memset(drawn->cells, 0, count * sizeof *drawn->cells);
    }
    return TG_OK;
}

tg_err drawn_text_apply(drawn_text *drawn, const tg_draw_list *list)
{
    if (list->full || list->columns != drawn->columns || list->rows != drawn->rows) {
        const tg_err err = fit(drawn, list);
        if (err != TG_OK) {
            return err;
        }
    }
    for (size_t r = 0; r < list->run_count; r++) {
        const tg_draw_run *run = list->runs + r;
        drawn_cell *to = drawn->cells + (size_t)run->row * drawn->columns + run->column;
        for (uint16_t i = 0; i < run->count; i++) {
            const tg_cell *cell = list->cells + run->first + i;
            memcpy(to[i].text, cell->text, sizeof to[i].text);
            to[i].marks = cell->marks;
        }
    }
    return TG_OK;
}

static size_t trim(char *text, size_t length)
{
    size_t start = 0;
    while (start < length && text[start] == ' ') {
        start++;
    }
    while (length > start && text[length - 1] == ' ') {
        length--;
    }
    memmove(text, text + start, length - start);
    return length - start;
}

void drawn_text_get(const drawn_text *drawn, uint16_t row, uint16_t column, uint16_t width,
                    char *text, size_t size)
{
    size_t length = 0;
    for (uint32_t c = column; row < drawn->rows && c < (uint32_t)column + width; c++) {
        if (c >= drawn->columns) {
            break;
        }
        const drawn_cell *cell = drawn->cells + (size_t)row * drawn->columns + c;
        if ((cell->marks & TG_CELL_WIDE_RIGHT) != 0) {
            continue;
        }
        const char *grapheme = cell->text[0] == '\0' ? " " : cell->text;
        const size_t bytes = strlen(grapheme);
        if (length + bytes + 1 > size) {
            break;
        }
        memcpy(text + length, grapheme, bytes);
        length += bytes;
    }
    if (size > 0) {
        text[trim(text, length)] = '\0';
    }
}

bool drawn_text_holds(const drawn_text *drawn, const char *text)
{
    char line[4096];
    for (uint16_t row = 0; row < drawn->rows; row++) {
        drawn_text_get(drawn, row, 0, drawn->columns, line, sizeof line);
        if (strstr(line, text) != NULL) {
            return true;
        }
    }
    return false;
}
