/**
 * What a venue tells a handler that connects: its newest rows of each instrument, one of each kind.
 * Kept beside the handlers, because it is the venue's knowledge: what was missed on the way is
 * here.
 */
#ifndef TG_GATEWAY_LATEST_ROWS_H
#define TG_GATEWAY_LATEST_ROWS_H

#include <stddef.h>

#include <tickglass/err.h>

#include "row.h"

#define TG__ROW_KINDS 3u

typedef struct tg__latest_rows {
    tg__row *rows; /* TG__ROW_KINDS for each instrument id */
    bool *known;
    uint32_t instruments;
} tg__latest_rows;

/* TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__latest_rows_init(tg__latest_rows *latest, uint32_t instruments);
void tg__latest_rows_deinit(tg__latest_rows *latest);

void tg__latest_rows_add(tg__latest_rows *latest, const tg__row *row);
/* The venue begins anew. */
void tg__latest_rows_clear(tg__latest_rows *latest);

/* The rows of an instrument in the order in which they came; returns how many. */
unsigned tg__latest_rows_get(const tg__latest_rows *latest, tg_instrument_id id,
                             tg__row out[TG__ROW_KINDS]);

#endif
