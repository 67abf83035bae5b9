/* The watchlist as a CSV file. */
#ifndef TG_TERMINAL_WATCHLIST_EXPORT_H
#define TG_TERMINAL_WATCHLIST_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#include "watchlist_panel.h"

#define WATCHLIST_EXPORT_PATH_SIZE 64

typedef struct watchlist_export watchlist_export;

/* Room for so many rows. TG_ERR_NO_MEMORY. Thread: owner, all of these. */
TG_MUST_CHECK tg_err watchlist_export_open(size_t row_count, watchlist_export **out);
/* NULL is allowed. */
void watchlist_export_close(watchlist_export *to);

/* One row more, no more than there is room for. */
void watchlist_export_add(watchlist_export *to, const watch_view *view, int64_t now_utc_ns);

/* A name in the current folder that says when. */
void watchlist_export_path(int64_t now_utc_ns, char path[WATCHLIST_EXPORT_PATH_SIZE]);

/* A new file: TG_ERR_IO with EEXIST in errno where there is one, which stays as it is; any other
 * reason likewise, and nothing half written is left. Blocks: on the disk. */
TG_MUST_CHECK tg_err watchlist_export_write(const watchlist_export *to, const char *path);

#endif
