/** The decoder of DELTA with the part that depends on the processor as an argument, for tests. */
#ifndef TG_DELTA_DECODE_H
#define TG_DELTA_DECODE_H

#include <tickglass/internal/frame.h>

#include "shaped_rows.h"

typedef struct tg__delta_input {
    const uint8_t *message;
    size_t size;
    size_t update_capacity;
} tg__delta_input;

tg_err tg__delta_decode_with(tg__shaped_rows_decoder *decoder, const tg__channel *channel,
                             const tg__delta_input *input, tg__frame *frame, tg__update *updates,
                             tg__fault *fault);

#endif
