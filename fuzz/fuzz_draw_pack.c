/*
 * A pass's packed draw list of any bytes, as a record may have them; once as they are, once with
 * form and size repaired. What is accepted lies within its grid, can be printed, and comes back
 * equal when it is packed again.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/cell_grid.h>

#include "draw_pack.h"

#define CELLS_MAX (1u << 16) /* a small input may stand for very many equal cells */
#define BYTES_MAX (CELLS_MAX * 40u)
#define HEAD_SIZE 5u /* form, full and size */

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_runs(const tg_draw_list *list)
{
    size_t cells = 0;
    for (size_t r = 0; r < list->run_count; r++) {
        const tg_draw_run *run = &list->runs[r];
        require(run->count > 0 && run->row < list->rows);
        require((uint32_t)run->column + run->count <= list->columns);
        require(run->first == cells);
        if (r > 0) {
            const tg_draw_run *before = run - 1;
            require(before->row < run->row ||
                    (before->row == run->row && before->column + before->count <= run->column));
        }
        cells += run->count;
    }
    require(cells == list->cell_count);
    require(cells <= (size_t)list->columns * list->rows);
}

static void check_cells(const tg_draw_list *list)
{
    for (size_t i = 0; i < list->cell_count; i++) {
        const tg_cell *cell = &list->cells[i];
        const size_t length = strnlen(cell->text, sizeof cell->text);
        require(length < sizeof cell->text);
        require(cell->foreground <= 0xffffff && cell->background <= 0xffffff);
        require((cell->marks & TG_CELL_PLOT) == 0 || length == 0);
        for (size_t b = 0; b < length; b++) { /* no control character reaches a terminal */
            const unsigned char byte = (unsigned char)cell->text[b];
            require(byte >= 0x20 && byte != 0x7f);
        }
    }
}

static void check_again(const draw_unpacked *is)
{
    static unsigned char bytes[BYTES_MAX];
    static draw_unpacked again;
    draw_fault fault;
    size_t size = 0;
    require(draw_pack(&is->list, bytes, sizeof bytes, &size) == TG_OK);
    require(draw_unpack(bytes, size, &again, &fault) == TG_OK);
    require(again.list.full == is->list.full && again.list.background == is->list.background);
    require(again.list.columns == is->list.columns && again.list.rows == is->list.rows);
    require(again.list.run_count == is->list.run_count);
    require(again.list.cell_count == is->list.cell_count);
    require(is->list.cell_count == 0 ||
            memcmp(again.cells, is->cells, is->list.cell_count * sizeof *is->cells) == 0);
    for (size_t r = 0; r < is->list.run_count; r++) {
        require(again.runs[r].row == is->runs[r].row && again.runs[r].column == is->runs[r].column);
    }
}

static void check(const uint8_t *data, size_t size)
{
    static draw_unpacked unpacked;
    draw_fault fault;
    const tg_err err = draw_unpack(data, size, &unpacked, &fault);
    if (err != TG_OK) {
        require(err == TG_ERR_CORRUPT || err == TG_ERR_UNSUPPORTED);
        require(fault.offset <= size && fault.what[0] != '\0');
        require(unpacked.list.cell_count == 0);
        return;
    }
    check_runs(&unpacked.list);
    check_cells(&unpacked.list);
    if (unpacked.list.cell_count <= CELLS_MAX) {
        check_again(&unpacked);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(data, size);
    if (size < HEAD_SIZE) {
        return 0;
    }
    uint8_t *repaired = malloc(size); /* exact: a byte too far is seen */
    require(repaired != NULL);
    memcpy(repaired, data, size);
    repaired[0] = 1;
    repaired[1] &= 1;
    for (unsigned i = 0; i < 3; i++) {
        repaired[2 + i] = (uint8_t)(size >> 8 * i);
    }
    check(repaired, size);
    free(repaired);
    return 0;
}
