/* The watchlist from run to run. */
#ifndef TG_TERMINAL_LIST_MEMORY_H
#define TG_TERMINAL_LIST_MEMORY_H

#include <stdbool.h>

#include "columns.h"
#include "feed.h"
#include "list_view.h"
#include "price_alert.h"
#include "saved_state.h"

/* What is kept of it. */
typedef struct list_memory {
    feed *feed;
    list_view *list;
    column_layout *layout;
    price_alerts *alerts;
} list_memory;

/* At the beginning of a run. False: a full list had no room for all of it. Thread: owner. */
bool list_memory_restore(const list_memory *memory, const saved_state *from);
/* Thread: owner. */
void list_memory_save(const list_memory *memory, saved_state *to);

#endif
