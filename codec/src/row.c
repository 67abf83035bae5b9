#include "row.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "varint.h"

tg_err tg__time_put(tg__sink *out, int64_t ns, uint32_t resolution_ns)
{
    TG_ENSURE(resolution_ns > 0 && ns % (int64_t)resolution_ns == 0, TG_ERR_INVALID_ARGUMENT);
    return tg__put_zigzag(out, ns / (int64_t)resolution_ns);
}

tg_err tg__time_get(tg__cursor *in, uint32_t resolution_ns, int64_t *ns)
{
    const uint8_t *const start = in->at;
    int64_t units = 0;
    TG_TRY(tg__get_zigzag(in, &units));
    if (!tg__multiply_checked(units, (int64_t)resolution_ns, ns)) {
        in->at = start;
        return TG_ERR_DELTA_OVERFLOW;
    }
    return TG_OK;
}

tg_err tg__row_put(tg__sink *out, const tg__update *row, uint32_t time_resolution_ns)
{
    const tg_image *const image = &row->image;
    TG_ENSURE((image->present & ~TG_FIELD_ALL_BITS) == 0, TG_ERR_INVALID_ARGUMENT);
    TG_TRY(tg__put_u16(out, row->id));
    TG_TRY(tg__put_varint(out, image->epoch));
    TG_TRY(tg__put_varint(out, image->seq));
    TG_TRY(tg__put_varint(out, row->covered));
    TG_TRY(tg__put_varint(out, image->present));
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if ((image->present & TG_FIELD_BIT(field)) == 0) {
            continue;
        }
        if (field == TG_FIELD_TS_EXCHANGE) {
            TG_TRY(tg__time_put(out, image->value[field], time_resolution_ns));
        } else {
            TG_TRY(tg__put_zigzag(out, image->value[field]));
        }
    }
    return TG_OK;
}

static tg_err get_values(tg__cursor *in, uint32_t mask, uint32_t time_resolution_ns,
                         tg_image *image, uint32_t *unknown_fields)
{
    for (unsigned field = 0; field < 32; field++) {
        if ((mask & TG_FIELD_BIT(field)) == 0) {
            continue;
        }
        if (field == TG_FIELD_TS_EXCHANGE) {
            TG_TRY(tg__time_get(in, time_resolution_ns, &image->value[field]));
        } else if (field < TG_FIELD_COUNT) {
            TG_TRY(tg__get_zigzag(in, &image->value[field]));
        } else {
            int64_t unknown = 0;
            TG_TRY(tg__get_zigzag(in, &unknown));
            (*unknown_fields)++;
        }
    }
    return TG_OK;
}

tg_err tg__row_get(tg__cursor *in, uint32_t time_resolution_ns, tg__update *row,
                   uint32_t *unknown_fields)
{
    memset(row, 0, sizeof *row);
    const uint8_t *const start = in->at;
    TG_TRY(tg__get_u16(in, &row->id));
    if (row->id == TG_INSTRUMENT_NONE) {
        return tg__refuse(in, start, TG_ERR_VALUE_RANGE);
    }
    TG_TRY(tg__get_varint_u32(in, &row->image.epoch));
    TG_TRY(tg__get_varint(in, &row->image.seq));
    TG_TRY(tg__get_varint(in, &row->covered));
    uint32_t mask = 0;
    TG_TRY(tg__get_varint_u32(in, &mask));
    row->image.present = mask & TG_FIELD_ALL_BITS;
    return get_values(in, mask, time_resolution_ns, &row->image, unknown_fields);
}
