/**
 * The gateway's side of tick to glass: rows that were written to a terminal's connections, by
 * instrument and version. Everything is a ring: what is too old is forgotten, and counted.
 */
#ifndef TICKGLASS_GLASS_ROWS_H
#define TICKGLASS_GLASS_ROWS_H

#include "glass_join.h"
#include "glass_site.h"

typedef struct tg__glass_row {
    tg__glass_tick tick; /**< the gateway's part of it */
    uint32_t next;       /**< of its bucket, 1 + place; 0: none */
    bool shown;
} tg__glass_row;

typedef struct tg__glass_rows tg__glass_rows;

/** @param[in] connections  the terminal's; stay the caller's. @retval TG_ERR_NO_MEMORY */
TG_MUST_CHECK tg_err tg__glass_rows_open(const uint64_t *connections, size_t connection_count,
                                         tg__glass_rows **out);
void tg__glass_rows_close(tg__glass_rows *rows);

/** A record of the gateway, in order of time. */
void tg__glass_rows_take(tg__glass_rows *rows, tg__glass_kind kind,
                         const tg__log_argument *arguments);

/** The row that brought the version, or NULL. */
tg__glass_row *tg__glass_rows_find(tg__glass_rows *rows, uint32_t instrument, uint32_t epoch,
                                   uint64_t seq);

/** The one that waits longest; it is taken out. NULL: there is none. */
const tg__glass_row *tg__glass_rows_pop(tg__glass_rows *rows);

/** True if there is no room for those of another frame: pop some first. */
bool tg__glass_rows_are_full(const tg__glass_rows *rows);

#endif
