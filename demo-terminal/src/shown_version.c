#include "shown_version.h"

shown_version shown_version_of(size_t slot, const watch_row *watch, const tg_row *row)
{
    const tg_image *image = &row->image;
    const shown_version shown = {
        .slot = slot,
        .venue = watch->venue,
        .symbol = watch->symbol,
        .version = tg_image_version(image),
        .received_mono_ns = row->received_mono_ns,
        .committed_mono_ns = row->committed_mono_ns,
        .ts_exchange_ns =
            tg_image_has(image, TG_FIELD_TS_EXCHANGE) ? image->value[TG_FIELD_TS_EXCHANGE] : 0,
    };
    return shown;
}
