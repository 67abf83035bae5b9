#include "layout.h"

#include <string.h>

#include <tickglass/internal/control_flow.h>

size_t raw_encode(const tg__channel *channel, const tg__frame *frame, const tg__update *updates,
                  uint8_t *out)
{
    (void)channel;
    memcpy(out, frame, sizeof *frame);
    memcpy(out + sizeof *frame, updates, frame->count * sizeof *updates);
    return sizeof *frame + frame->count * sizeof *updates;
}

tg_err raw_decode(const tg__channel *channel, const uint8_t *message, size_t size, tg__frame *frame,
                  tg__update *updates)
{
    TG_ENSURE(size >= sizeof *frame, TG_ERR_TRUNCATED);
    memcpy(frame, message, sizeof *frame);
    TG_ENSURE(frame->count <= channel->count &&
                  size == sizeof *frame + frame->count * sizeof *updates,
              TG_ERR_TRUNCATED);
    memcpy(updates, message + sizeof *frame, size - sizeof *frame);
    return TG_OK;
}
