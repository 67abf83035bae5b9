/**
 * Cells that are drawn, not written: upright bars in columns finer than a character, for charts.
 *
 * They lie in the grid beside cells of text and go the same way, so that damage, pictures and dumps
 * hold for them too. To whoever reads a draw list as text they are blanks.
 */
#ifndef TICKGLASS_PLOT_CELL_H
#define TICKGLASS_PLOT_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/cell_grid.h>
#include <tickglass/draw_list.h>

TG_BEGIN_DECLS

/** Columns of a cell: one pixel each at the default font size. */
#define TG_PLOT_COLUMNS 8
/** Steps in a cell's height, from its top down. */
#define TG_PLOT_LEVELS 64

/** One column's bar, both ends included; nothing is drawn where top is below bottom. */
typedef struct tg_plot_bar {
    uint8_t top; /**< 0 to TG_PLOT_LEVELS - 1 */
    uint8_t bottom;
} tg_plot_bar;

static inline bool tg_plot_bar_is_drawn(tg_plot_bar bar)
{
    return bar.top <= bar.bottom;
}

/** A bar that is not there. */
#define TG_PLOT_BAR_NONE ((tg_plot_bar){1, 0})

/** Put a cell of bars in the style's colours. Outside of the grid nothing happens. Thread: owner.
 * Blocks: no.  Since: 0.1 */
TG_API void tg_grid_plot(tg_grid *grid, uint16_t row, uint16_t column, tg_style style,
                         const tg_plot_bar bars[TG_PLOT_COLUMNS]);

/** A column's bar of a cell that has the mark TG_CELL_PLOT. Thread: any.  Blocks: no.  Since: 0.1
 */
TG_API tg_plot_bar tg_plot_bar_of(const tg_cell *cell, unsigned column);

TG_END_DECLS

#endif
