/* What the panels show of one instrument, all of it from one pinned view. */
#ifndef TG_TERMINAL_INSTRUMENT_VIEW_H
#define TG_TERMINAL_INSTRUMENT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/store.h>

#include "watch_row.h"
#include "watchlist_panel.h"

typedef struct instrument_view {
    bool opened;            /* an instrument was chosen; the rest means something only then */
    watch_view seen;        /* names, entry, row, and the word for its quality */
    const watch_row *watch; /* how the prices moved; may be NULL */
    const char *priority;   /* what the gateway said of the priority channel */
    bool priority_given;    /* and that it sends every tick on it, with depth where it has it */
    bool has_depth;
    tg_depth depth;
    bool has_history;
    size_t history_count;
    size_t history_capacity;
    tg_history_point *history;
    size_t history_read;         /* points that are in it from a view before */
    tg_instrument_id history_of; /* and whose they are */
    uint64_t lost;               /* ticks, of the ledger */
    int64_t now_mono_ns;
    int64_t now_utc_ns;
} instrument_view;

/* Room for so many points of history. TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err instrument_view_open(instrument_view *shown, size_t history_capacity);
/* Thread: owner. */
void instrument_view_close(instrument_view *shown);

/* Nothing is chosen. Thread: owner. */
void instrument_view_clear(instrument_view *shown);

/* Take from the view what belongs to a row that was looked up in it. Points into view and seen: for
 * as long as the view is pinned. Thread: owner. */
void instrument_view_read(instrument_view *shown, const tg_view *view, const watch_view *seen,
                          int64_t now_mono_ns, int64_t now_utc_ns);

/* There is a row, and it may be old; also if there is none. Thread: any. */
bool instrument_view_is_suspect(const instrument_view *shown);

/* A field of the row; false if it is not there. Thread: any. */
bool instrument_view_value(const instrument_view *shown, tg_field field, int64_t *value);

#endif
