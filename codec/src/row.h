/** Absolute rows, as SNAPSHOT and TICKS carry them, and values in wire units. PROTOCOL.md 7. */
#ifndef TG_ROW_H
#define TG_ROW_H

#include <tickglass/internal/channel.h>

#include "cursor.h"

TG_MUST_CHECK tg_err tg__row_put(tg__sink *out, const tg__update *row, uint32_t time_resolution_ns);

/* unknown_fields is added to, for values of field numbers from TG_FIELD_COUNT on. */
TG_MUST_CHECK tg_err tg__row_get(tg__cursor *in, uint32_t time_resolution_ns, tg__update *row,
                                 uint32_t *unknown_fields);

/* A time in units of the resolution. TG_ERR_INVALID_ARGUMENT unless it is a multiple. */
TG_MUST_CHECK tg_err tg__time_put(tg__sink *out, int64_t ns, uint32_t resolution_ns);
/* TG_ERR_DELTA_OVERFLOW if the nanoseconds do not fit. */
TG_MUST_CHECK tg_err tg__time_get(tg__cursor *in, uint32_t resolution_ns, int64_t *ns);

#endif
