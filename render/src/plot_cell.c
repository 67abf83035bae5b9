#include <tickglass/plot_cell.h>

#include "plot_cell.h"

/* Twelve bits a bar, six for each end, behind a first byte that stays NUL: as text it is "". */
#define BITS_OF_END  6
#define FIRST_BYTE   1
#define PACKED_BYTES (TG_PLOT_COLUMNS * 2 * BITS_OF_END / 8)

_Static_assert(FIRST_BYTE + PACKED_BYTES < TG_CELL_TEXT_SIZE, "the last byte stays NUL as well");
_Static_assert(TG_PLOT_LEVELS == 1 << BITS_OF_END, "an end has room for every level");

static unsigned level(uint8_t value)
{
    return value < TG_PLOT_LEVELS ? value : TG_PLOT_LEVELS - 1;
}

void tg__plot_cell_pack(const tg_plot_bar bars[TG_PLOT_COLUMNS], char text[TG_CELL_TEXT_SIZE])
{
    for (size_t i = 0; i < TG_CELL_TEXT_SIZE; i++) {
        text[i] = '\0';
    }
    for (unsigned column = 0; column < TG_PLOT_COLUMNS; column++) {
        /* Bars that are not there are all alike, or equal pictures would count as damage. */
        const tg_plot_bar bar =
            tg_plot_bar_is_drawn(bars[column]) ? bars[column] : TG_PLOT_BAR_NONE;
        const unsigned bits = level(bar.top) << BITS_OF_END | level(bar.bottom);
        char *at = text + FIRST_BYTE + column / 2 * 3;
        if (column % 2 == 0) {
            at[0] = (char)(bits >> 4);
            at[1] = (char)((bits & 0xfu) << 4);
        } else {
            at[1] = (char)((unsigned char)at[1] | bits >> 8);
            at[2] = (char)(bits & 0xffu);
        }
    }
}

tg_plot_bar tg_plot_bar_of(const tg_cell *cell, unsigned column)
{
    if (column >= TG_PLOT_COLUMNS) {
        return TG_PLOT_BAR_NONE;
    }
    const unsigned char *at = (const unsigned char *)cell->text + FIRST_BYTE + column / 2 * 3;
    const unsigned bits =
        column % 2 == 0 ? (unsigned)at[0] << 4 | at[1] >> 4 : (at[1] & 0xfu) << 8 | (unsigned)at[2];
    const tg_plot_bar bar = {(uint8_t)(bits >> BITS_OF_END),
                             (uint8_t)(bits & (TG_PLOT_LEVELS - 1))};
    return bar;
}

/* A bar is at least one pixel wide and high: the smallest font has fewer pixels than columns, and
 * no extreme of a chart gets lost for that. */
size_t tg__plot_cell_bars(const tg_cell *cell, tg__rect at, tg__rect bars[TG_PLOT_COLUMNS])
{
    size_t count = 0;
    for (unsigned column = 0; column < TG_PLOT_COLUMNS; column++) {
        const tg_plot_bar bar = tg_plot_bar_of(cell, column);
        if (!tg_plot_bar_is_drawn(bar)) {
            continue;
        }
        const int left = (int)column * at.width / TG_PLOT_COLUMNS;
        const int right = ((int)column + 1) * at.width / TG_PLOT_COLUMNS;
        const int top = bar.top * at.height / TG_PLOT_LEVELS;
        const int bottom = bar.bottom * at.height / TG_PLOT_LEVELS;
        bars[count++] =
            (tg__rect){at.x + left, at.y + top, right > left ? right - left : 1, bottom - top + 1};
    }
    return count;
}

void tg__plot_cell_paint(const tg_cell *cell, tg__canvas *canvas, tg__rect at)
{
    tg__rect bars[TG_PLOT_COLUMNS];
    const size_t count = tg__plot_cell_bars(cell, at, bars);
    tg__canvas_fill(canvas, at, cell->background);
    for (size_t i = 0; i < count; i++) {
        tg__canvas_fill(canvas, bars[i], cell->foreground);
    }
}
