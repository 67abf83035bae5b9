/* By what rows of the watchlist are put in order: exact values, never their text or a double. */
#ifndef TG_TERMINAL_ROW_SORT_H
#define TG_TERMINAL_ROW_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/decimal.h>

#include "columns.h"
#include "watchlist_panel.h"

/* In the order of the list itself. */
#define ROW_SORT_NONE COLUMN_COUNT

typedef struct row_sort {
    column_id column; /* or ROW_SORT_NONE */
    bool descending;
} row_sort;

/* What a row is compared by. */
typedef struct row_key {
    size_t index;     /* of the row in the list: decides between equal ones */
    const char *text; /* venue or symbol; NULL: value is compared */
    const char *then; /* the other of the two */
    bool present;
    bool descending;
    tg_decimal value;
} row_key;

/* Names are those of watch, which must outlive the key. Thread: owner. */
row_key row_sort_key(row_sort by, size_t index, const watch_row *watch, const watch_view *view);

/* Less than 0: a stands before b. Rows without the value stand last in both directions, equal ones
 * in the list's own order. Both keys must be of one sort. Thread: any. */
int row_key_compare(const row_key *a, const row_key *b);

/* -1, 0, 1, for any two numbers, of any two exponents. Thread: any. */
int row_sort_compare_decimals(tg_decimal a, tg_decimal b);

#endif
