/* A version of an instrument that stands on the screen, as the record has it. */
#ifndef TG_TERMINAL_SHOWN_VERSION_H
#define TG_TERMINAL_SHOWN_VERSION_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/market.h>
#include <tickglass/store.h>

#include "watch_row.h"

typedef struct shown_version {
    size_t slot;       /* index of the feed */
    const char *venue; /* as asked for */
    const char *symbol;
    tg_version version;
    int64_t received_mono_ns;
    int64_t committed_mono_ns;
    int64_t ts_exchange_ns; /* UTC; 0: not known */
} shown_version;

/* Its names are those of watch. Thread: owner. */
shown_version shown_version_of(size_t slot, const watch_row *watch, const tg_row *row);

#endif
