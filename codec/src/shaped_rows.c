#include "shaped_rows.h"

#include <string.h>

tg__shaped_rows_decoder *tg__shaped_rows_decoder_select(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return tg__shaped_rows_decode_avx2;
    }
#endif
    return tg__shaped_rows_decode_scalar;
}

void tg__move_last_bytes(tg__last_bytes *last, const uint8_t **at, const uint8_t **end)
{
    const size_t left = (size_t)(*end - *at);
    memset(last, 0, sizeof *last);
    memcpy(last->bytes, *at, left);
    *at = last->bytes;
    *end = last->bytes + sizeof last->bytes;
}
