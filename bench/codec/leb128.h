/* The usual layout, for comparison: presence mask and LEB128 deltas, with the same header, times,
 * versions and digest as DELTA. */
#ifndef BENCH_LEB128_H
#define BENCH_LEB128_H

#include <tickglass/internal/frame.h>

size_t leb128_encode(const tg__channel *channel, const tg__frame *frame, const tg__update *updates,
                     uint8_t *out);
tg_err leb128_decode(const tg__channel *channel, const uint8_t *message, size_t size,
                     tg__frame *frame, tg__update *updates);

#endif
