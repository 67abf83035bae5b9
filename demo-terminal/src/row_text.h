/* Rows of the watchlist as text for others: the clipboard, files. Nothing is shortened. */
#ifndef TG_TERMINAL_ROW_TEXT_H
#define TG_TERMINAL_ROW_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "columns.h"
#include "watchlist_panel.h"

#define ROW_TEXT_CELL_SIZE 128
#define ROW_TEXT_SIZE      1024

/* A cell as it is shown, "" where the row has no such value. Thread: owner. */
void row_text_cell(column_id column, const watch_view *view, char text[ROW_TEXT_CELL_SIZE]);

/* The columns that are shown, with tabs between them. Thread: owner. */
void row_text_tsv(const column_layout *layout, const watch_view *view, char text[ROW_TEXT_SIZE]);

/*
 * All columns for other programs, whatever is shown: prices and sizes as exact decimals with a
 * point, whatever the instrument's format and the locale; ages in milliseconds; times in UTC and
 * saying so. With the end of the line. Thread: owner.
 */
void row_text_csv(const watch_view *view, int64_t now_utc_ns, char text[ROW_TEXT_SIZE]);

/* The line of names above those. Thread: any. */
const char *row_text_csv_names(void);

#endif
