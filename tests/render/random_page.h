/* Random changes of a grid, for tests that compare two ways to draw it. */
#ifndef RANDOM_PAGE_H
#define RANDOM_PAGE_H

#include <stdint.h>

#include <tickglass/cell_grid.h>
#include <tickglass/palette.h>

/* From TG_TEST_SEED, else always the same; prints which. */
void random_page_seed(void);
uint32_t random_page_below(uint32_t limit);

/* One random step: words, numbers, fills, bars, a clear, a change of theme. */
void random_page_change(tg_grid *grid, const tg_palette **palette);

#endif
