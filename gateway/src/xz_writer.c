#include "xz_writer.h"

#include <stdint.h>
#include <stdlib.h>

#include <lzma.h>

#include <tickglass/internal/control_flow.h>

#define PRESET 6u /* what the xz program uses */

struct tg__xz_writer {
    FILE *file;
    lzma_stream stream;
    uint8_t out[65536];
};

tg_err tg__xz_writer_open(FILE *file, tg__xz_writer **out)
{
    const lzma_stream fresh = LZMA_STREAM_INIT;
    *out = NULL;
    tg__xz_writer *writer = malloc(sizeof *writer);
    TG_ENSURE(writer != NULL, TG_ERR_NO_MEMORY);
    writer->file = file;
    writer->stream = fresh;
    if (lzma_easy_encoder(&writer->stream, PRESET, LZMA_CHECK_CRC64) != LZMA_OK) {
        tg__xz_writer_close(writer);
        return TG_ERR_NO_MEMORY;
    }
    *out = writer;
    return TG_OK;
}

static tg_err run(tg__xz_writer *writer, lzma_action action)
{
    lzma_ret code = LZMA_OK;
    do {
        writer->stream.next_out = writer->out;
        writer->stream.avail_out = sizeof writer->out;
        code = lzma_code(&writer->stream, action);
        TG_ENSURE(code == LZMA_OK || code == LZMA_STREAM_END, TG_ERR_NO_MEMORY);
        const size_t size = sizeof writer->out - writer->stream.avail_out;
        TG_ENSURE(fwrite(writer->out, 1, size, writer->file) == size, TG_ERR_IO);
    } while (action == LZMA_FINISH ? code != LZMA_STREAM_END : writer->stream.avail_in > 0);
    return TG_OK;
}

tg_err tg__xz_writer_add(tg__xz_writer *writer, const void *bytes, size_t size)
{
    writer->stream.next_in = bytes;
    writer->stream.avail_in = size;
    return run(writer, LZMA_RUN);
}

tg_err tg__xz_writer_finish(tg__xz_writer *writer)
{
    writer->stream.next_in = NULL;
    writer->stream.avail_in = 0;
    return run(writer, LZMA_FINISH);
}

void tg__xz_writer_close(tg__xz_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    lzma_end(&writer->stream);
    free(writer);
}
