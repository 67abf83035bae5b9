/* The search in the directory as it is used: what is typed, which result is selected. */
#ifndef TG_TERMINAL_SEARCH_BOX_H
#define TG_TERMINAL_SEARCH_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feed.h"
#include "panel_pen.h"
#include "text_line.h"

typedef struct search_box {
    feed *feed; /* its search is what is asked */
    text_line line;
    size_t selected;
    size_t top;
    panel_area area; /* of the last drawing */
} search_box;

/* Nothing is typed, nothing asked. Thread: owner, all of these. */
void search_box_clear(search_box *box);

/* False: nothing has changed. */
bool search_box_type(search_box *box, const char *text);
bool search_box_rub_out(search_box *box);

void search_box_move(search_box *box, int rows_down);
/* False: there is no result in that row of the grid. */
bool search_box_click(search_box *box, uint16_t row);
/* NULL: there is none. */
const search_result *search_box_selected(const search_box *box);

/* focused: keys go there. */
void search_box_draw(search_box *box, tg_grid *grid, const tg_palette *palette, panel_area area,
                     bool focused);

#endif
