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

#define HEAD_SIZE 4

/* A cell as it is kept: what a pass writes and compares has mostly left the cache since the pass
 * before, so that its bytes are what it costs. Nearly every text has no more than HEAD_SIZE. */
typedef struct kept_cell {
    uint32_t text;       /* the first byte is the lowest */
    uint32_t foreground; /* and marks in the highest byte */
    uint32_t background; /* and flags in the highest byte */
} kept_cell;

_Static_assert(sizeof(kept_cell) == 3 * sizeof(uint32_t),
               "kept cells are compared as bytes: they must have no padding");

#define RGB_MASK   UINT32_C(0xffffff)
#define MARKS_MASK UINT32_C(0xff)
#define HIGH_BIT   24
/* Its text goes on among the rests. */
#define LONG_TEXT (UINT32_C(1) << HIGH_BIT)
/* And there it is not what is shown: never set in a cell that is shown. */
#define REST_DIFFERS (UINT32_C(2) << HIGH_BIT)

typedef struct text_rest {
    char text[TG_CELL_TEXT_SIZE - HEAD_SIZE];
} text_rest;

/* One picture of the grid; a rest means something only where its cell has LONG_TEXT. */
typedef struct layer {
    kept_cell *cells;
    text_rest *rests;
} layer;

struct tg_grid {
    uint16_t columns;
    uint16_t rows;
    bool forgotten; /* shown means nothing: everything is damaged */
    uint32_t background;
    layer next;  /* as the pass writes it */
    layer shown; /* as it was drawn last */
    touched *rows_touched;
    tg_draw_run *runs;
    tg_cell *drawn; /* cells of the list */
    tg_cell *whole; /* what tg_grid_drawn() gives */
    tg_draw_list list;
};

/* Damaged stretches with fewer sound cells than this between them are drawn as one run. */
#define RUN_GAP 2

static size_t place_of(const tg_grid *grid, uint16_t row, uint16_t column)
{
    return (size_t)row * grid->columns + column;
}

static void free_arrays(tg_grid *grid)
{
    free(grid->next.cells);
    free(grid->next.rests);
    free(grid->shown.cells);
    free(grid->shown.rests);
    free(grid->drawn);
    free(grid->whole);
    free(grid->runs);
    free(grid->rows_touched);
}

static tg_err allocate_layer(layer *of, size_t count)
{
    of->cells = calloc(count, sizeof *of->cells);
    of->rests = calloc(count, sizeof *of->rests);
    return of->cells != NULL && of->rests != NULL ? TG_OK : TG_ERR_NO_MEMORY;
}

static tg_err allocate(tg_grid *grid, uint16_t columns, uint16_t rows)
{
    TG_ENSURE(columns > 0 && columns <= TG_GRID_SIDE_MAX && rows > 0 && rows <= TG_GRID_SIDE_MAX,
              TG_ERR_INVALID_ARGUMENT);
    const size_t count = (size_t)columns * rows;
    tg_grid fresh = {.columns = columns,
                     .rows = rows,
                     .forgotten = true,
                     .background = grid->background,
                     .rows_touched = calloc(rows, sizeof *fresh.rows_touched),
                     .runs = calloc(count, sizeof *fresh.runs),
                     .drawn = calloc(count, sizeof *fresh.drawn),
                     .whole = calloc(count, sizeof *fresh.whole)};
    if (allocate_layer(&fresh.next, count) != TG_OK ||
        allocate_layer(&fresh.shown, count) != TG_OK || fresh.rows_touched == NULL ||
        fresh.runs == NULL || fresh.drawn == NULL || fresh.whole == NULL) {
        free_arrays(&fresh);
        return TG_ERR_NO_MEMORY;
    }
    free_arrays(grid);
    *grid = fresh;
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
    free_arrays(grid);
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
        /* They will be compared: what is shown there comes into the cache meanwhile. */
        __builtin_prefetch(grid->shown.cells + place_of(grid, row, (uint16_t)(group * GROUP_CELLS)),
                           1, 2);
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

/* A cell without its text. */
static kept_cell plain_cell(tg_style style)
{
    const kept_cell cell = {.foreground = (style.foreground & RGB_MASK) | (style.marks & MARKS_MASK)
                                                                              << HIGH_BIT,
                            .background = style.background & RGB_MASK};
    return cell;
}

/* A blank shows no foreground: one value for it, or equal pictures would count as damage. */
static kept_cell blank_cell(tg_style style)
{
    style.foreground = style.marks == 0 ? style.background : style.foreground;
    return plain_cell(style);
}

/* By members: a cell that is copied whole is put together in memory each time. */
static void set_letter(kept_cell *cell, kept_cell plain, char letter)
{
    cell->text = (unsigned char)letter;
    cell->foreground = plain.foreground;
    cell->background = plain.background;
}

static uint32_t head_of(const char text[TG_CELL_TEXT_SIZE])
{
    uint32_t head = 0;
    for (unsigned i = 0; i < HEAD_SIZE; i++) {
        head |= (uint32_t)(unsigned char)text[i] << 8 * i;
    }
    return head;
}

/* A text of any length. */
static void set_text(tg_grid *grid, size_t place, kept_cell plain,
                     const char text[TG_CELL_TEXT_SIZE])
{
    static const text_rest none;
    const char *rest = text + HEAD_SIZE;
    plain.text = head_of(text);
    if (memcmp(rest, &none, sizeof none) != 0) {
        memcpy(&grid->next.rests[place], rest, sizeof none);
        plain.background |= LONG_TEXT;
        if (memcmp(rest, &grid->shown.rests[place], sizeof none) != 0) {
            plain.background |= REST_DIFFERS;
        }
    }
    grid->next.cells[place] = plain;
}

static void fill_cells(kept_cell *cells, size_t count, tg_style style)
{
    const kept_cell blank = blank_cell(style);
    for (size_t i = 0; i < count; i++) {
        set_letter(&cells[i], blank, '\0');
    }
}

void tg_grid_clear(tg_grid *grid, tg_style style)
{
    fill_cells(grid->next.cells, (size_t)grid->columns * grid->rows, style);
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
    fill_cells(grid->next.cells + place_of(grid, span.row, span.column),
               (size_t)(end - span.column), style);
    touch(grid, span.row, span.column, end);
}

/* Text of any kind; 0: it does not fit. */
static size_t put_grapheme(tg_grid *grid, size_t place, tg_style style, const char *text,
                           unsigned room, unsigned *columns)
{
    char grapheme[TG_CELL_TEXT_SIZE];
    const size_t taken = tg__grapheme_next(text, grapheme, columns);
    if (*columns > room) {
        return 0;
    }
    if (*columns == 2) {
        const tg_style left = {style.foreground, style.background, style.marks | TG_CELL_WIDE_LEFT};
        const tg_style right = {style.foreground, style.background,
                                style.marks | TG_CELL_WIDE_RIGHT};
        set_text(grid, place, plain_cell(left), grapheme);
        set_text(grid, place + 1, plain_cell(right), grapheme);
    } else if (strcmp(grapheme, " ") == 0) {
        set_letter(&grid->next.cells[place], blank_cell(style), '\0');
    } else {
        set_text(grid, place, plain_cell(style), grapheme);
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
    const size_t place = place_of(grid, span.row, span.column);
    const kept_cell plain = plain_cell(style);
    const kept_cell blank = blank_cell(style);
    kept_cell *const cells = grid->next.cells + place;
    unsigned used = 0;
    while (*text != '\0' && used < width) {
        unsigned columns = 1;
        size_t taken = 1;
        if (!tg__grapheme_is_ascii(text)) {
            taken = put_grapheme(grid, place + used, style, text, width - used, &columns);
        } else if (*text == ' ') {
            set_letter(&cells[used], blank, '\0');
        } else {
            set_letter(&cells[used], plain, *text);
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
        style.marks |= TG_CELL_PLOT;
        set_text(grid, place_of(grid, row, column), plain_cell(style), packed);
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

/* In line: a call to memcmp() costs more than what it compares. */
static bool cells_differ(const kept_cell *a, const kept_cell *b)
{
    return ((a->text ^ b->text) | (a->foreground ^ b->foreground) |
            (a->background ^ b->background)) != 0;
}

static bool is_damaged(const tg_grid *grid, size_t place)
{
    return grid->forgotten || cells_differ(grid->next.cells + place, grid->shown.cells + place);
}

/* The first damaged column at or after from, or columns. */
static uint16_t next_damaged(const tg_grid *grid, uint16_t row, uint16_t from)
{
    const size_t begin = place_of(grid, row, 0);
    const touched *at = &grid->rows_touched[row];
    unsigned column = from;
    if (grid->forgotten) {
        return from;
    }
    while (column < grid->columns) {
        const unsigned group = next_group(at, column / GROUP_CELLS, true);
        const unsigned last = next_group(at, group, false) * GROUP_CELLS;
        const unsigned end = last < grid->columns ? last : grid->columns;
        column = group * GROUP_CELLS > column ? group * GROUP_CELLS : column;
        /* Most of what is written is as it was: one comparison for all of it. */
        if (column < end &&
            memcmp(grid->next.cells + begin + column, grid->shown.cells + begin + column,
                   (end - column) * sizeof(kept_cell)) != 0) {
            while (!is_damaged(grid, begin + column)) {
                column++;
            }
            return (uint16_t)column;
        }
        column = end > column ? end : column;
    }
    return grid->columns;
}

static void unpack_cell(const layer *of, size_t place, tg_cell *out)
{
    const kept_cell *cell = &of->cells[place];
    memset(out->text, 0, sizeof out->text);
    for (unsigned i = 0; i < HEAD_SIZE; i++) {
        out->text[i] = (char)(cell->text >> 8 * i);
    }
    if ((cell->background & LONG_TEXT) != 0) {
        memcpy(out->text + HEAD_SIZE, &of->rests[place], sizeof(text_rest));
    }
    out->foreground = cell->foreground & RGB_MASK;
    out->background = cell->background & RGB_MASK;
    out->marks = cell->foreground >> HIGH_BIT;
}

/* The kept cell at place as it goes into a list; from here on it is what is shown. */
static void take_cell(tg_grid *grid, size_t place, tg_cell *out)
{
    kept_cell *cell = &grid->next.cells[place];
    unpack_cell(&grid->next, place, out);
    if ((cell->background & LONG_TEXT) != 0) {
        grid->shown.rests[place] = grid->next.rests[place];
        cell->background &= ~REST_DIFFERS;
    }
    grid->shown.cells[place] = *cell;
}

static void append_run(tg_grid *grid, uint16_t row, uint16_t from, uint16_t end)
{
    tg_draw_list *list = &grid->list;
    const uint16_t count = (uint16_t)(end - from);
    const size_t place = place_of(grid, row, from);
    grid->runs[list->run_count++] = (tg_draw_run){row, from, count, (uint32_t)list->cell_count};
    for (uint16_t i = 0; i < count; i++) {
        take_cell(grid, place + i, &grid->drawn[list->cell_count + i]);
    }
    list->cell_count += count;
}

static void damage_row(tg_grid *grid, uint16_t row)
{
    const size_t begin = place_of(grid, row, 0);
    uint16_t from = next_damaged(grid, row, 0);
    while (from < grid->columns) {
        uint16_t end = from;
        uint16_t next = from;
        while (next < grid->columns && next - end <= RUN_GAP) {
            end = (uint16_t)(next + 1);
            while (end < grid->columns && is_damaged(grid, begin + end)) {
                end++;
            }
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

const tg_cell *tg_grid_drawn(tg_grid *grid)
{
    const size_t count = (size_t)grid->columns * grid->rows;
    for (size_t place = 0; place < count; place++) {
        unpack_cell(&grid->shown, place, &grid->whole[place]);
    }
    return grid->whole;
}
