/**
 * What one pass draws: runs of text cells. Every backend draws the same list, tests read it.
 */
#ifndef TICKGLASS_DRAW_LIST_H
#define TICKGLASS_DRAW_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

TG_BEGIN_DECLS

/** Bytes of one cell's UTF-8 text (one grapheme) with its terminator. */
#define TG_CELL_TEXT_SIZE 16

typedef enum tg_cell_mark {
    TG_CELL_BOLD = 1,
    TG_CELL_UNDERLINE = 2,
    TG_CELL_WIDE_LEFT = 4,  /**< first half of a character that is two cells wide */
    TG_CELL_WIDE_RIGHT = 8, /**< second half; text is the same as in the first */
    TG_CELL_PLOT = 16       /**< bars instead of text (plot_cell.h); text is "" */
} tg_cell_mark;

/** Compared and hashed as bytes: no padding, and text is filled up with NUL. */
typedef struct tg_cell {
    char text[TG_CELL_TEXT_SIZE]; /**< "" is a blank */
    uint32_t foreground;          /**< 0xRRGGBB */
    uint32_t background;
    uint32_t marks; /**< tg_cell_mark bits */
} tg_cell;

/** Neighbouring cells of one row. */
typedef struct tg_draw_run {
    uint16_t row;
    uint16_t column;
    uint16_t count;
    uint32_t first; /**< index into tg_draw_list.cells */
} tg_draw_run;

typedef struct tg_draw_list {
    bool full;           /**< everything is drawn, the margins around the cells included */
    uint32_t background; /**< 0xRRGGBB of the margins */
    uint16_t columns;    /**< of the grid that this was made from */
    uint16_t rows;
    size_t run_count;
    size_t cell_count;
    const tg_draw_run *runs; /**< by row, then by column */
    const tg_cell *cells;
} tg_draw_list;

/**
 * The list as text, one line for each stretch of equal style: row, column, colours, marks, "text";
 * of a plot cell each column's bar in hexadecimal, "." where there is none.
 *
 * @param[out] text    NULL to ask for the size only
 * @param[in]  size    bytes at text
 * @param[out] needed  bytes with terminator; may be NULL
 * @retval TG_ERR_BUFFER_TOO_SMALL  size is less than needed; text then holds what fitted
 * Thread: owner of the list.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_draw_list_dump(const tg_draw_list *list, char *text, size_t size,
                                              size_t *needed);

TG_END_DECLS

#endif
