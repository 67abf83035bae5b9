#include "zstd_stream.h"

#include <stdlib.h>

#include <zstd.h>

#include <tickglass/internal/control_flow.h>

typedef struct zstd_state {
    ZSTD_DStream *stream;
    bool between_frames;
} zstd_state;

static const char *decode(void *state, tg__decode_step *step)
{
    zstd_state *s = state;
    if (s->between_frames && step->in_size == 0) {
        step->ended = step->in_is_last;
        return NULL;
    }
    ZSTD_inBuffer in = {step->in, step->in_size, 0};
    ZSTD_outBuffer out = {step->out, step->out_size, 0};
    const size_t left = ZSTD_decompressStream(s->stream, &out, &in);
    if (ZSTD_isError(left)) {
        return "the zstd data is damaged";
    }
    step->in += in.pos;
    step->in_size -= in.pos;
    step->out += out.pos;
    step->out_size -= out.pos;
    s->between_frames = left == 0; /* and all of the frame was put out */
    const bool all_read = step->in_is_last && step->in_size == 0;
    step->ended = all_read && left == 0;
    /* An output that is not full means that nothing is held back. */
    return all_read && left != 0 && step->out_size > 0 ? "the zstd data ends too early" : NULL;
}

static void close_stream(void *state)
{
    zstd_state *s = state;
    (void)ZSTD_freeDStream(s->stream);
    free(s);
}

/* Memory: the library's own limit of the window, 128 MiB, is below TG__DECODER_MEM_MAX. */
tg_err tg__zstd_stream_open(tg__stream_decoder *out)
{
    zstd_state *s = calloc(1, sizeof *s);
    TG_ENSURE(s != NULL, TG_ERR_NO_MEMORY);
    s->stream = ZSTD_createDStream();
    if (s->stream == NULL) {
        free(s);
        return TG_ERR_NO_MEMORY;
    }
    *out = (tg__stream_decoder){s, decode, close_stream};
    return TG_OK;
}
