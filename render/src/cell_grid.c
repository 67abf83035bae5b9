#include <tickglass/cell_grid.h>

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "grapheme.h"
#include "plot_cell.h"

/* Cells are looked at for damage in groups of so many. */
#define GROUP_CELLS 8
#define GROUP_COUNT (TG_GRID_SIDE_MAX / GROUP_CELLS)
#define WORD_BITS   64

/* A bit for each group of a row that was written to since the last damage: nothing else can differ,
 * and what need not be compared need not come into the cache. */
typedef struct touched {
    uint64_t groups[GROUP_COUNT / WORD_BITS];
} touched;

struct tg_grid {
    uint16_t columns;
    uint16_t rows;
    bool forgotten; /* shown means nothing: everything is damaged */
    uint32_t background;
    tg_cell *next;  /* as the pass writes it */
    tg_cell *shown; /* as it was drawn last */
    touched *rows_touched;
    tg_draw_run *runs;
    tg_cell *drawn; /* cells of the list */
    tg_draw_list list;
};

/* Damaged stretches with fewer sound cells than this between them are drawn as one run. */
#define RUN_GAP 2

static const tg_cell *cell_at_const(const tg_cell *cells, const tg_grid *grid, uint16_t row)
{
    return cells + (size_t)row * grid->columns;
}

static tg_cell *cell_at(tg_grid *grid, uint16_t row, uint16_t column)
{
    return grid->next + (size_t)row * grid->columns + column;
}

static tg_err allocate(tg_grid *grid, uint16_t columns, uint16_t rows)
{
    TG_ENSURE(columns > 0 && columns <= TG_GRID_SIDE_MAX && rows > 0 && rows <= TG_GRID_SIDE_MAX,
              TG_ERR_INVALID_ARGUMENT);
    const size_t count = (size_t)columns * rows;
    tg_cell *next = calloc(count, sizeof *next);
    tg_cell *shown = calloc(count, sizeof *shown);
    tg_cell *drawn = calloc(count, sizeof *drawn);
    tg_draw_run *runs = calloc(count, sizeof *runs);
    touched *rows_touched = calloc(rows, sizeof *rows_touched);
    if (next == NULL || shown == NULL || drawn == NULL || runs == NULL || rows_touched == NULL) {
        free(next);
        free(shown);
        free(drawn);
        free(runs);
        free(rows_touched);
        return TG_ERR_NO_MEMORY;
    }
    free(grid->next);
    free(grid->shown);
    free(grid->drawn);
    free(grid->runs);
    free(grid->rows_touched);
    grid->rows_touched = rows_touched;
    grid->next = next;
    grid->shown = shown;
    grid->drawn = drawn;
    grid->runs = runs;
    grid->columns = columns;
    grid->rows = rows;
    grid->forgotten = true;
    return TG_OK;
}

tg_err tg_grid_open(uint16_t columns, uint16_t rows, tg_grid **out)
{
    TG_ENSURE(out != NULL, TG_ERR_INVALID_ARGUMENT);
    *out = NULL;
    tg_grid *grid = calloc(1, sizeof *grid);
    TG_ENSURE(grid != NULL, TG_ERR_NO_MEMORY);
    const tg_err err = allocate(grid, columns, rows);
    if (err != TG_OK) {
        free(grid);
        return err;
    }
    *out = grid;
    return TG_OK;
}

void tg_grid_close(tg_grid *grid)
{
    if (grid == NULL) {
        return;
    }
    free(grid->next);
    free(grid->shown);
    free(grid->drawn);
    free(grid->runs);
    free(grid->rows_touched);
    free(grid);
}

tg_err tg_grid_resize(tg_grid *grid, uint16_t columns, uint16_t rows)
{
    TG_ENSURE(grid != NULL, TG_ERR_INVALID_ARGUMENT);
    return allocate(grid, columns, rows);
}

uint16_t tg_grid_columns(const tg_grid *grid)
{
    return grid->columns;
}

uint16_t tg_grid_rows(const tg_grid *grid)
{
    return grid->rows;
}

static void touch(tg_grid *grid, uint16_t row, uint16_t from, uint16_t end)
{
    touched *at = &grid->rows_touched[row];
    for (unsigned group = from / GROUP_CELLS; group * GROUP_CELLS < end; group++) {
        at->groups[group / WORD_BITS] |= UINT64_C(1) << group % WORD_BITS;
    }
}

/* The first group at or after group that was written to, or was not; GROUP_COUNT if there is none.
 */
static unsigned next_group(const touched *at, unsigned group, bool written)
{
    while (group < GROUP_COUNT) {
        const uint64_t word = at->groups[group / WORD_BITS];
        const uint64_t rest = (written ? word : ~word) >> group % WORD_BITS;
        if (rest != 0) {
            return group + (unsigned)__builtin_ctzll(rest);
        }
        group = (group / WORD_BITS + 1) * WORD_BITS;
    }
    return GROUP_COUNT;
}

static void set_cell(tg_cell *cell, tg_style style, const char grapheme[TG_CELL_TEXT_SIZE],
                     uint32_t half)
{
    memcpy(cell->text, grapheme, TG_CELL_TEXT_SIZE);
    cell->foreground = style.foreground;
    cell->background = style.background;
    cell->marks = style.marks | half;
}

static void set_letter(tg_cell *cell, tg_style style, char letter)
{
    memset(cell->text, 0, sizeof cell->text);
    cell->text[0] = letter;
    cell->foreground = style.foreground;
    cell->background = style.background;
    cell->marks = style.marks;
}

/* A blank shows no foreground: one value for it, or equal pictures would count as damage. */
static tg_style style_of_blank(tg_style style)
{
    style.foreground = style.marks == 0 ? style.background : style.foreground;
    return style;
}

static void fill_cells(tg_cell *cells, size_t count, tg_style style)
{
    const tg_style blank = style_of_blank(style);
    /* By members: a cell that is copied whole is put together in memory each time. */
    for (size_t i = 0; i < count; i++) {
        set_letter(&cells[i], blank, '\0');
    }
}

void tg_grid_clear(tg_grid *grid, tg_style style)
{
    fill_cells(grid->next, (size_t)grid->columns * grid->rows, style);
    for (uint16_t row = 0; row < grid->rows; row++) {
        touch(grid, row, 0, grid->columns);
    }
    if (grid->background != style.background) {
        grid->background = style.background;
        grid->forgotten = true;
    }
}

void tg_grid_fill(tg_grid *grid, tg_span span, tg_style style)
{
    if (span.row >= grid->rows || span.column >= grid->columns) {
        return;
    }
    const uint16_t room = (uint16_t)(grid->columns - span.column);
    const uint16_t end = (uint16_t)(span.column + (span.width < room ? span.width : room));
    fill_cells(cell_at(grid, span.row, span.column), (size_t)(end - span.column), style);
    touch(grid, span.row, span.column, end);
}

/* Text of any kind; 0: it does not fit. */
static size_t put_grapheme(tg_cell *cell, tg_style style, const char *text, unsigned room,
                           unsigned *columns)
{
    char grapheme[TG_CELL_TEXT_SIZE];
    const size_t taken = tg__grapheme_next(text, grapheme, columns);
    if (*columns > room) {
        return 0;
    }
    if (*columns == 2) {
        set_cell(cell, style, grapheme, TG_CELL_WIDE_LEFT);
        set_cell(cell + 1, style, grapheme, TG_CELL_WIDE_RIGHT);
    } else if (strcmp(grapheme, " ") == 0) {
        set_letter(cell, style_of_blank(style), '\0');
    } else {
        set_cell(cell, style, grapheme, 0);
    }
    return taken;
}

/* Writes what fits into the span and returns the cells taken. */
static uint16_t put_clipped(tg_grid *grid, tg_span span, tg_style style, const char *text)
{
    if (span.row >= grid->rows || span.column >= grid->columns) {
        return 0;
    }
    const unsigned room = (unsigned)(grid->columns - span.column);
    const unsigned width = span.width < room ? span.width : room;
    const tg_style blank = style_of_blank(style);
    tg_cell *const cells = cell_at(grid, span.row, span.column);
    unsigned used = 0;
    while (*text != '\0' && used < width) {
        unsigned columns = 1;
        size_t taken = 1;
        if (!tg__grapheme_is_ascii(text)) {
            taken = put_grapheme(cells + used, style, text, width - used, &columns);
        } else if (*text == ' ') {
            set_letter(&cells[used], blank, '\0');
        } else {
            set_letter(&cells[used], style, *text);
        }
        if (taken == 0) {
            break;
        }
        text += taken;
        used += columns;
    }
    touch(grid, span.row, span.column, (uint16_t)(span.column + used));
    return (uint16_t)used;
}

uint16_t tg_grid_put(tg_grid *grid, uint16_t row, uint16_t column, tg_style style, const char *text)
{
    const tg_span span = {row, column, grid->columns};
    return put_clipped(grid, span, style, text);
}

/* Text of needed columns. */
static void put_aligned(tg_grid *grid, tg_span span, tg_align align, tg_style style,
                        const char *text, uint16_t needed)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    const bool cut = needed > span.width;
    if (span.width == 0) {
        return;
    }
    const uint16_t pad =
        !cut && align == TG_ALIGN_RIGHT ? (uint16_t)(span.width - needed) : (uint16_t)0;
    const tg_span inner = {span.row, (uint16_t)(span.column + pad),
                           cut ? (uint16_t)(span.width - 1) : needed};
    uint16_t end = (uint16_t)(pad + put_clipped(grid, inner, style, text));
    if (cut) {
        const tg_span tail = {span.row, (uint16_t)(span.column + end), 1};
        (void)put_clipped(grid, tail, style, ellipsis);
        end++;
    }
    tg_grid_fill(grid, (tg_span){span.row, span.column, pad}, style);
    tg_grid_fill(grid,
                 (tg_span){span.row, (uint16_t)(span.column + end), (uint16_t)(span.width - end)},
                 style);
}

void tg_grid_put_label(tg_grid *grid, tg_span span, tg_align align, tg_style style,
                       const char *text)
{
    put_aligned(grid, span, align, style, text, tg_text_columns(text));
}

void tg_grid_put_number(tg_grid *grid, tg_span span, tg_style style, const char *text)
{
    /* A span that the right edge cuts shows less than its width: that counts as too narrow too. */
    const bool cut = (uint32_t)span.column + span.width > grid->columns;
    const uint16_t needed = tg_text_columns(text);
    if (!cut && needed <= span.width) {
        put_aligned(grid, span, TG_ALIGN_RIGHT, style, text, needed);
        return;
    }
    for (uint16_t i = 0; i < span.width; i++) {
        const tg_span one = {span.row, (uint16_t)(span.column + i), 1};
        (void)put_clipped(grid, one, style, "#");
    }
}

void tg_grid_plot(tg_grid *grid, uint16_t row, uint16_t column, tg_style style,
                  const tg_plot_bar bars[TG_PLOT_COLUMNS])
{
    if (row < grid->rows && column < grid->columns) {
        char packed[TG_CELL_TEXT_SIZE];
        tg__plot_cell_pack(bars, packed);
        set_cell(cell_at(grid, row, column), style, packed, TG_CELL_PLOT);
        touch(grid, row, column, (uint16_t)(column + 1));
    }
}

uint16_t tg_text_columns(const char *text)
{
    char grapheme[TG_CELL_TEXT_SIZE];
    uint32_t sum = 0;
    while (*text != '\0' && sum < UINT16_MAX) {
        unsigned columns = 1;
        text += tg__grapheme_is_ascii(text) ? 1 : tg__grapheme_next(text, grapheme, &columns);
        sum += columns;
    }
    return sum < UINT16_MAX ? (uint16_t)sum : UINT16_MAX;
}

void tg_grid_forget(tg_grid *grid)
{
    grid->forgotten = true;
}

_Static_assert(sizeof(tg_cell) == 3 * sizeof(uint64_t) + sizeof(uint32_t),
               "a cell is three words and its marks");

/* In line: a call to memcmp() costs more than what it compares. */
static bool cells_differ(const tg_cell *a, const tg_cell *b)
{
    uint64_t left[3];
    uint64_t right[3];
    memcpy(left, a, sizeof left);
    memcpy(right, b, sizeof right);
    return ((left[0] ^ right[0]) | (left[1] ^ right[1]) | (left[2] ^ right[2]) |
            (a->marks ^ b->marks)) != 0;
}

/* The first damaged column at or after from, or columns. */
static uint16_t next_damaged(const tg_grid *grid, uint16_t row, uint16_t from)
{
    if (grid->forgotten) {
        return from;
    }
    const tg_cell *next = cell_at_const(grid->next, grid, row);
    const tg_cell *shown = cell_at_const(grid->shown, grid, row);
    const touched *at = &grid->rows_touched[row];
    unsigned column = from;
    while (column < grid->columns) {
        const unsigned group = next_group(at, column / GROUP_CELLS, true);
        const unsigned begin = group * GROUP_CELLS;
        const unsigned last = next_group(at, group, false) * GROUP_CELLS;
        const unsigned end = last < grid->columns ? last : grid->columns;
        column = begin > column ? begin : column;
        /* Most of what is written is as it was: one comparison for all of it. */
        if (column < end &&
            memcmp(next + column, shown + column, (end - column) * sizeof *next) != 0) {
            while (!cells_differ(next + column, shown + column)) {
                column++;
            }
            return (uint16_t)column;
        }
        column = end > column ? end : column;
    }
    return grid->columns;
}

static void append_run(tg_grid *grid, uint16_t row, uint16_t from, uint16_t end)
{
    tg_draw_list *list = &grid->list;
    const uint16_t count = (uint16_t)(end - from);
    const size_t offset = (size_t)row * grid->columns + from;
    grid->runs[list->run_count++] = (tg_draw_run){row, from, count, (uint32_t)list->cell_count};
    memcpy(grid->drawn + list->cell_count, grid->next + offset, count * sizeof(tg_cell));
    memcpy(grid->shown + offset, grid->next + offset, count * sizeof(tg_cell));
    list->cell_count += count;
}

static void damage_row(tg_grid *grid, uint16_t row)
{
    uint16_t from = next_damaged(grid, row, 0);
    while (from < grid->columns) {
        uint16_t end = (uint16_t)(from + 1);
        uint16_t next = next_damaged(grid, row, end);
        while (next < grid->columns && next - end <= RUN_GAP) {
            end = (uint16_t)(next + 1);
            next = next_damaged(grid, row, end);
        }
        append_run(grid, row, from, end);
        from = next;
    }
}

const tg_draw_list *tg_grid_damage(tg_grid *grid)
{
    grid->list = (tg_draw_list){
        .full = grid->forgotten,
        .background = grid->background,
        .columns = grid->columns,
        .rows = grid->rows,
        .runs = grid->runs,
        .cells = grid->drawn,
    };
    for (uint16_t row = 0; row < grid->rows; row++) {
        damage_row(grid, row);
    }
    memset(grid->rows_touched, 0, grid->rows * sizeof *grid->rows_touched);
    grid->forgotten = false;
    return &grid->list;
}

const tg_cell *tg_grid_drawn(const tg_grid *grid)
{
    return grid->shown;
}
