/** Which call sites of a gateway and of a terminal say when a tick passed where. */
#ifndef TICKGLASS_GLASS_SITE_H
#define TICKGLASS_GLASS_SITE_H

#include "log_file.h"
#include "log_merge.h"
#include "log_text.h"

typedef enum tg__glass_kind {
    TG__GLASS_OTHER = 0,
    /* of a gateway */
    TG__GLASS_INSTRUMENT, /**< id, venue, symbol */
    TG__GLASS_ROW,        /**< instrument, epoch, seq, due, taken, ended, queued */
    TG__GLASS_FRAME,      /**< boundary, begun, queued, rows */
    TG__GLASS_WRITTEN,    /**< connection, queued, written */
    TG__GLASS_ECHO_SEEN,  /**< connection, cookie, seen */
    /* of a terminal */
    TG__GLASS_SLOT,    /**< slot, venue, symbol */
    TG__GLASS_SHOWS,   /**< pass, slot, epoch, seq, received, committed, exchange */
    TG__GLASS_HANDED,  /**< pass, view, cells, pinned, drawn, handed, handed UTC */
    TG__GLASS_VISIBLE, /**< view, received, visible */
    TG__GLASS_ECHO     /**< cookie, sent, received */
} tg__glass_kind;

typedef struct tg__glass_sites {
    uint8_t kind[TG__SITES_MAX + 1]; /**< a tg__glass_kind by id */
} tg__glass_sites;

/** By format and types, whatever the file and the line. */
void tg__glass_sites_find(const tg__log_file *file, tg__glass_sites *out);

/** TG__GLASS_OTHER, or what the record is, with its arguments. */
tg__glass_kind tg__glass_sites_read(const tg__glass_sites *sites, const tg__log_record *record,
                                    tg__log_argument *arguments);

#endif
