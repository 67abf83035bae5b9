#include "xz_stream.h"

#include <stdlib.h>

#include <lzma.h>

#include <tickglass/internal/control_flow.h>

static const char *fault_text(lzma_ret code)
{
    if (code == LZMA_BUF_ERROR) {
        return "the xz data ends too early";
    }
    if (code == LZMA_MEMLIMIT_ERROR || code == LZMA_MEM_ERROR) {
        return "the xz data asks for more memory than is allowed";
    }
    return code == LZMA_OPTIONS_ERROR ? "the xz data uses an unknown option"
                                      : "the xz data is damaged";
}

static const char *decode(void *state, tg__decode_step *step)
{
    lzma_stream *stream = state;
    stream->next_in = step->in;
    stream->avail_in = step->in_size;
    stream->next_out = step->out;
    stream->avail_out = step->out_size;
    const lzma_ret code = lzma_code(stream, step->in_is_last ? LZMA_FINISH : LZMA_RUN);
    step->in = stream->next_in;
    step->in_size = stream->avail_in;
    step->out = stream->next_out;
    step->out_size = stream->avail_out;
    step->ended = code == LZMA_STREAM_END;
    return code == LZMA_OK || step->ended ? NULL : fault_text(code);
}

static void close_stream(void *state)
{
    lzma_end(state);
    free(state);
}

tg_err tg__xz_stream_open(tg__stream_decoder *out)
{
    const lzma_stream fresh = LZMA_STREAM_INIT;
    lzma_stream *stream = malloc(sizeof *stream);
    TG_ENSURE(stream != NULL, TG_ERR_NO_MEMORY);
    *stream = fresh;
    if (lzma_stream_decoder(stream, TG__DECODER_MEM_MAX, LZMA_CONCATENATED) != LZMA_OK) {
        close_stream(stream);
        return TG_ERR_NO_MEMORY;
    }
    *out = (tg__stream_decoder){stream, decode, close_stream};
    return TG_OK;
}
