#include "row_qualities.h"

void row_qualities_read(row_qualities *out, rig *r)
{
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        tg_row row;
        const bool known = rig_row(r, (tg_instrument_id)id, &row) == TG_OK;
        out->of[id] = known ? row.quality : TG_QUALITY_UNKNOWN;
    }
}

int32_t row_qualities_changed(const row_qualities *before, rig *r, uint32_t except)
{
    row_qualities now;
    row_qualities_read(&now, r);
    for (uint32_t id = 0; id < SIM_INSTRUMENTS; id++) {
        if (id != except && now.of[id] != before->of[id]) {
            return (int32_t)id;
        }
    }
    return -1;
}
