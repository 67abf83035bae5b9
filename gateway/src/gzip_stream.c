#include "gzip_stream.h"

#include <limits.h>
#include <stdlib.h>

#define ZLIB_CONST /* next_in points to const */
#include <zlib.h>

#include <tickglass/internal/control_flow.h>

#define GZIP_WINDOW_BITS (15 + 16) /* + 16: with gzip's header and checksum */

typedef struct gzip_state {
    z_stream stream;
    bool between_members;
} gzip_state;

static uInt at_most_uint(size_t size)
{
    return size < UINT_MAX ? (uInt)size : UINT_MAX;
}

static const char *decode(void *state, tg__decode_step *step)
{
    gzip_state *s = state;
    if (s->between_members) {
        if (step->in_size == 0) {
            step->ended = step->in_is_last;
            return NULL;
        }
        (void)inflateReset(&s->stream); /* fails for a stream that was never opened only */
        s->between_members = false;
    }
    const uInt in_size = at_most_uint(step->in_size);
    const uInt out_size = at_most_uint(step->out_size);
    s->stream.next_in = step->in;
    s->stream.avail_in = in_size;
    s->stream.next_out = step->out;
    s->stream.avail_out = out_size;
    const int code = inflate(&s->stream, Z_NO_FLUSH);
    step->in += in_size - s->stream.avail_in;
    step->in_size -= in_size - s->stream.avail_in;
    step->out += out_size - s->stream.avail_out;
    step->out_size -= out_size - s->stream.avail_out;
    if (code == Z_STREAM_END) {
        s->between_members = true;
        step->ended = step->in_is_last && step->in_size == 0;
        return NULL;
    }
    if (code == Z_OK || (code == Z_BUF_ERROR && !step->in_is_last)) {
        return NULL;
    }
    return code == Z_BUF_ERROR ? "the gzip data ends too early" : "the gzip data is damaged";
}

static void close_stream(void *state)
{
    gzip_state *s = state;
    (void)inflateEnd(&s->stream);
    free(s);
}

tg_err tg__gzip_stream_open(tg__stream_decoder *out)
{
    gzip_state *s = calloc(1, sizeof *s);
    TG_ENSURE(s != NULL, TG_ERR_NO_MEMORY);
    if (inflateInit2(&s->stream, GZIP_WINDOW_BITS) != Z_OK) {
        free(s);
        return TG_ERR_NO_MEMORY;
    }
    *out = (tg__stream_decoder){s, decode, close_stream};
    return TG_OK;
}
