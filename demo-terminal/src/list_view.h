/*
 * The watchlist as it is looked at: which rows, in which order, which one is selected, which one
 * stands first on the screen.
 *
 * The order is made when it is asked for and stands until it is asked for again, whatever the
 * prices do: a row that moves while somebody reads it, or is about to click it, shows him another
 * instrument. That the order is not that of the values any more is known, and shown. Rows that
 * come later stand at the end. The filter leaves rows out and never moves any.
 */
#ifndef TG_TERMINAL_LIST_VIEW_H
#define TG_TERMINAL_LIST_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#include "row_sort.h"
#include "text_line.h"
#include "watch_row.h"

#define LIST_VIEW_NO_ROW SIZE_MAX

typedef struct list_view list_view;

/* Room for rows of an index below capacity; nothing is allocated afterwards. TG_ERR_NO_MEMORY.
 * Thread: owner, all of these. */
TG_MUST_CHECK tg_err list_view_open(size_t capacity, list_view **out);
/* NULL is allowed. */
void list_view_close(list_view *list);

/* The listed ones of these rows, if number is not that of the call before: it grows with each
 * change of names. Of rows over the capacity nothing is known. */
void list_view_take(list_view *list, const watch_row *rows, size_t count, uint64_t number);

/* What was typed; "": every row is shown. The functions say whether anything has changed. */
const char *list_view_filter(const list_view *list);
bool list_view_type(list_view *list, const char *text);
bool list_view_rub_out(list_view *list);
bool list_view_clear_filter(list_view *list);

size_t list_view_total(const list_view *list); /* without the filter */
size_t list_view_count(const list_view *list); /* with it */
/* The index of the row at a place, place < list_view_count(). */
size_t list_view_at(const list_view *list, size_t place);
/* Where the filter or nothing leaves it, or LIST_VIEW_NO_ROW. */
size_t list_view_place(const list_view *list, size_t index);

/* How it is ordered; keys are those of this sort. */
row_sort list_view_sort(const list_view *list);
void list_view_set_sort(list_view *list, row_sort sort);

/* The rows without the filter, in their order, for whoever makes keys of them. */
size_t list_view_unfiltered(const list_view *list, size_t place);
/* Puts all rows into the order of the keys, one for each of them; keys are changed. */
void list_view_order(list_view *list, row_key *keys, size_t count);

/* The row that is selected, LIST_VIEW_NO_ROW where none is shown. */
size_t list_view_selected(const list_view *list);
void list_view_select(list_view *list, size_t index);
void list_view_move(list_view *list, int rows_down);

/* Rows on the screen: the selected one is kept among them. */
void list_view_fit(list_view *list, size_t height);
size_t list_view_top(const list_view *list);
/* Moves the rows; the selection only if it would be left behind. */
void list_view_scroll(list_view *list, int rows_down);

#endif
