/**
 * A grid of text cells that remembers what was drawn.
 *
 * A pass writes the whole picture into the grid; tg_grid_damage() compares it with what the last
 * pass drew and gives a draw list of the difference.
 */
#ifndef TICKGLASS_CELL_GRID_H
#define TICKGLASS_CELL_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/draw_list.h>
#include <tickglass/err.h>

TG_BEGIN_DECLS

typedef struct tg_grid tg_grid;

#define TG_GRID_SIDE_MAX 2048 /**< columns and rows of the largest grid */

/** Colours are 0xRRGGBB; marks are tg_cell_mark bits. */
typedef struct tg_style {
    uint32_t foreground;
    uint32_t background;
    uint32_t marks;
} tg_style;

/** Neighbouring cells of one row. */
typedef struct tg_span {
    uint16_t row;
    uint16_t column;
    uint16_t width; /**< cells */
} tg_span;

typedef enum tg_align {
    TG_ALIGN_LEFT,
    TG_ALIGN_RIGHT
} tg_align;

/**
 * A grid of blanks, all of it damaged.
 * @retval TG_ERR_INVALID_ARGUMENT  a side is 0 or over TG_GRID_SIDE_MAX
 * @retval TG_ERR_NO_MEMORY         allocation failed
 * Thread: owner.  Blocks: no.  Owner of *out: the caller; close with tg_grid_close().  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_grid_open(uint16_t columns, uint16_t rows, tg_grid **out);

/** NULL is allowed. Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API void tg_grid_close(tg_grid *grid);

/**
 * Another size; every cell is blank and damaged. On error nothing has changed.
 * @retval TG_ERR_INVALID_ARGUMENT  a side is 0 or over TG_GRID_SIDE_MAX
 * @retval TG_ERR_NO_MEMORY         allocation failed
 * Thread: owner.  Blocks: no.  Since: 0.1
 */
TG_API TG_MUST_CHECK tg_err tg_grid_resize(tg_grid *grid, uint16_t columns, uint16_t rows);

/** Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API uint16_t tg_grid_columns(const tg_grid *grid);
/** Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API uint16_t tg_grid_rows(const tg_grid *grid);

/** Blank every cell in that style; its background also fills what no cell covers. Thread: owner.
 * Blocks: no.  Since: 0.1 */
TG_API void tg_grid_clear(tg_grid *grid, tg_style style);

/** Blank the cells of a span in that style. Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API void tg_grid_fill(tg_grid *grid, tg_span span, tg_style style);

/**
 * Write UTF-8 text from a cell on, clipped at the right edge. Bytes that are not UTF-8 and control
 * characters become U+FFFD.
 * @return the cells that it took; wide characters take two
 * Thread: owner.  Blocks: no.  Since: 0.1
 */
TG_API uint16_t tg_grid_put(tg_grid *grid, uint16_t row, uint16_t column, tg_style style,
                            const char *text);

/** Write a label into a span, blanks around it; one that is too long ends in "…". Thread: owner.
 * Blocks: no.  Since: 0.1 */
TG_API void tg_grid_put_label(tg_grid *grid, tg_span span, tg_align align, tg_style style,
                              const char *text);

/** Write a number into a span, right-aligned. A number is never shortened: one that is too long is
 * shown as "#" in every cell. Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API void tg_grid_put_number(tg_grid *grid, tg_span span, tg_style style, const char *text);

/** Cells that the text takes. Thread: any.  Blocks: no.  Since: 0.1 */
TG_API uint16_t tg_text_columns(const char *text);

/** What was drawn counts no more (exposed, resized, device reset): the next damage is everything.
 * Thread: owner.  Blocks: no.  Since: 0.1 */
TG_API void tg_grid_forget(tg_grid *grid);

/**
 * The cells that differ from what was drawn before; they count as drawn from here on.
 * Thread: owner.  Blocks: no.  Owner of the result: the grid, until the next damage, resize or
 * close.  Since: 0.1
 */
TG_API const tg_draw_list *tg_grid_damage(tg_grid *grid);

/**
 * Every cell as it was drawn last, row by row, columns × rows; blanks of colour 0 before the first
 * damage of this size. Takes all of them apart: nothing for each pass.
 * Thread: owner.  Blocks: no.  Owner of the result: the grid, until the next call, resize or close.
 * Since: 0.1
 */
TG_API const tg_cell *tg_grid_drawn(tg_grid *grid);

TG_END_DECLS

#endif
