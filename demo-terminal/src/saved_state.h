/*
 * What is kept from run to run: window, letters, palette, panels; of the watchlist the selection,
 * order, columns, filter, what was added and taken away, and the prices that are waited for. A file
 * for each profile in the user's folder, written whole or not at all.
 */
#ifndef TG_TERMINAL_SAVED_STATE_H
#define TG_TERMINAL_SAVED_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include <tickglass/err.h>
#include <tickglass/market.h>

#include "layout.h"
#include "price_alert.h"
#include "row_sort.h"
#include "text_line.h"
#include "user_folder.h"

#define SAVED_STATE_WHY_SIZE 512
#define SAVED_NAMES_MAX      256

typedef struct saved_name {
    char venue[TG_VENUE_NAME_SIZE];
    char symbol[TG_SYMBOL_SIZE];
} saved_name;

typedef struct saved_names {
    size_t count;
    saved_name name[SAVED_NAMES_MAX];
} saved_names;

/* Empty texts and zeros: nothing is known. */
typedef struct saved_state {
    char palette[32];
    int width_px;
    int height_px;
    int font_size_px;
    char venue[TG_VENUE_NAME_SIZE]; /* of the selected row */
    char symbol[TG_SYMBOL_SIZE];
    bool has_panels; /* it is known which are shown */
    bool panel[PANEL_COUNT];
    char sort[16]; /* column_name(); "": the list's own order */
    bool descending;
    bool column_off[COLUMN_COUNT];
    char filter[TEXT_LINE_SIZE];
    saved_names added;   /* to what the symbols say */
    saved_names removed; /* from it */
    saved_names alert_of;
    tg_decimal alert_price[SAVED_NAMES_MAX]; /* of each name of alert_of */
} saved_state;

/* False: there is no room for another one. Thread: owner. */
bool saved_names_add(saved_names *names, const char *venue, const char *symbol);

/* The file of a profile; NULL: of runs without one. TG_ERR_NOT_FOUND: no folder is known. */
TG_MUST_CHECK tg_err saved_state_path(const char *profile, char path[USER_PATH_SIZE]);

/*
 * TG_OK, also where there is no file yet: *out is empty then. TG_ERR_SYNTAX: it is broken, why says
 * where; TG_ERR_UNSUPPORTED: a later version wrote it; TG_ERR_IO. With an error *out is empty.
 * Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err saved_state_read(const char *path, saved_state *out, char *why,
                                      size_t why_size);

/*
 * Moves the file to the first of PATH.broken-1, PATH.broken-2, … that does not exist, and writes
 * that name to kept. TG_ERR_IO: errno says why not. Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err saved_state_set_aside(const char *path, char kept[USER_PATH_SIZE]);

/*
 * Written beside path, brought to the disk, then renamed; folders are made. TG_ERR_IO: errno says
 * why not, and what was there before is still there. Thread: owner. Blocks: on the disk.
 */
TG_MUST_CHECK tg_err saved_state_write(const char *path, const saved_state *state);

#endif
