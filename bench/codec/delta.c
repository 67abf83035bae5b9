/* The codec under measurement behind the interface of the other layouts. */
#include "layout.h"

#include <tickglass/internal/control_flow.h>

#include "delta_decode.h"

size_t delta_encode(const tg__channel *channel, const tg__frame *frame, const tg__update *updates,
                    uint8_t *out)
{
    size_t size = 0;
    return tg__delta_encode(channel, frame, updates, out, LAYOUT_SIZE_MAX, &size) == TG_OK ? size
                                                                                           : 0;
}

static tg_err decode_with(tg__shaped_rows_decoder *decoder, const tg__channel *channel,
                          const tg__delta_input *input, tg__frame *frame, tg__update *updates)
{
    tg__fault fault;
    return tg__delta_decode_with(decoder, channel, input, frame, updates, &fault);
}

tg_err delta_decode_scalar(const tg__channel *channel, const uint8_t *message, size_t size,
                           tg__frame *frame, tg__update *updates)
{
    const tg__delta_input input = {message, size, TG__SET_MAX};
    return decode_with(tg__shaped_rows_decode_scalar, channel, &input, frame, updates);
}

#if defined(__x86_64__)
tg_err delta_decode_avx2(const tg__channel *channel, const uint8_t *message, size_t size,
                         tg__frame *frame, tg__update *updates)
{
    const tg__delta_input input = {message, size, TG__SET_MAX};
    return decode_with(tg__shaped_rows_decode_avx2, channel, &input, frame, updates);
}
#endif

size_t snapshot_encode(const tg__channel *channel, const tg__frame *frame,
                       const tg__update *updates, uint8_t *out)
{
    size_t size = 0;
    if (tg__snapshot_header_encode(frame, TG__SNAPSHOT_SET_CHANGE, channel->time_resolution_ns, out,
                                   LAYOUT_SIZE_MAX, &size) != TG_OK) {
        return 0;
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        size_t row_size = 0;
        if (tg__snapshot_row_encode(&updates[i], channel->time_resolution_ns, out + size,
                                    LAYOUT_SIZE_MAX - size, &row_size) != TG_OK) {
            return 0;
        }
        size += row_size;
    }
    return size;
}

tg_err snapshot_decode(const tg__channel *channel, const uint8_t *message, size_t size,
                       tg__frame *frame, tg__update *updates)
{
    tg__snapshot_reason reason = TG__SNAPSHOT_SET_CHANGE;
    tg__fault fault;
    return tg__snapshot_decode(message, size, channel->time_resolution_ns, frame, &reason, updates,
                               TG__SET_MAX, &fault);
}
