/* Draw lists of any kind that a grid can make, from a seed. */
#ifndef TG_TESTS_RANDOM_DRAW_LIST_H
#define TG_TESTS_RANDOM_DRAW_LIST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/cell_grid.h>
#include <tickglass/plot_cell.h>

#include "tg_cmocka.h"

typedef struct random_source {
    uint64_t state;
} random_source;

static inline uint32_t random_below(random_source *from, uint32_t limit)
{
    from->state = from->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((from->state >> 33) % limit);
}

static inline tg_style random_style(random_source *from, unsigned styles)
{
    /* A few that come again and again, or another one each time. */
    const uint32_t which = random_below(from, styles);
    const tg_style style = {which * UINT32_C(0x9e3779) & 0xffffff,
                            which * UINT32_C(0x7f4a7c) & 0xffffff,
                            which & (TG_CELL_BOLD | TG_CELL_UNDERLINE)};
    return style;
}

static inline void random_text(random_source *from, char text[64])
{
    static const char *const words[] = {"\xE2\x96\xB2", "\xE2\x80\x93", "\xE4\xB8\xAD\xE6\x96\x87",
                                        "LIVE",         "e\xCC\x81",    "\xF0\x9F\x93\x88",
                                        "~!@#",         "        ",     "----------------"};
    if (random_below(from, 3) > 0) {
        (void)snprintf(text, 64, "%u.%02u,%u", random_below(from, 100000), random_below(from, 100),
                       random_below(from, 1000));
    } else {
        (void)snprintf(text, 64, "%s", words[random_below(from, sizeof words / sizeof words[0])]);
    }
}

/* What a pass may do to a grid. */
static inline void random_write(random_source *from, tg_grid *grid, unsigned styles)
{
    const uint16_t row = (uint16_t)random_below(from, tg_grid_rows(grid));
    const uint16_t column = (uint16_t)random_below(from, tg_grid_columns(grid));
    const tg_style style = random_style(from, styles);
    char text[64];
    switch (random_below(from, 8)) {
    case 0:
        tg_grid_fill(grid, (tg_span){row, column, (uint16_t)random_below(from, 60)}, style);
        break;
    case 1: {
        tg_plot_bar bars[TG_PLOT_COLUMNS];
        const bool empty = random_below(from, 2) == 0;
        for (unsigned i = 0; i < TG_PLOT_COLUMNS; i++) {
            bars[i] = (tg_plot_bar){(uint8_t)random_below(from, TG_PLOT_LEVELS),
                                    (uint8_t)random_below(from, TG_PLOT_LEVELS)};
            bars[i] = empty ? (tg_plot_bar){0, 0} : bars[i]; /* packed: NUL only */
        }
        for (uint32_t i = random_below(from, 4); i > 0; i--) {
            tg_grid_plot(grid, row, (uint16_t)(column + i), style, bars);
        }
        break;
    }
    default:
        random_text(from, text);
        (void)tg_grid_put(grid, row, column, style, text);
    }
}

#endif
