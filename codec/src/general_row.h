/**
 * A DELTA row that can say everything, and the tail that gives a shaped row the fields that are in
 * no shape: LEB128 values behind a mask. PROTOCOL.md 8.5 and 8.6.
 */
#ifndef TG_GENERAL_ROW_H
#define TG_GENERAL_ROW_H

#include <tickglass/internal/channel.h>

#include "cursor.h"

TG_MUST_CHECK tg_err tg__general_row_put(tg__sink *out, const tg_image *base,
                                         const tg__update *update, uint32_t time_resolution_ns);

/* Fills update's image and covered. On error in stands at or behind the rejected item. */
TG_MUST_CHECK tg_err tg__general_row_get(tg__cursor *in, const tg_image *base,
                                         uint32_t time_resolution_ns, tg__update *update,
                                         uint32_t *unknown_fields);

/* Fields from TG__TAIL_FIELD_FIRST on that differ from base; at least one does. */
TG_MUST_CHECK tg_err tg__row_tail_put(tg__sink *out, const tg_image *base, const tg_image *image);

/* Adds to an image that holds base's values in these fields. */
TG_MUST_CHECK tg_err tg__row_tail_get(tg__cursor *in, const tg_image *base, tg_image *image,
                                      uint32_t *unknown_fields);

/* Fields whose value differs, nulls that become a value included. */
uint32_t tg__changed_fields(const tg_image *base, const tg_image *image);

#endif
