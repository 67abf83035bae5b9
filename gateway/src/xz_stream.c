#include "xz_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>

#include <tickglass/internal/control_flow.h>

#define INPUT_SIZE      65536u
#define DECODER_MEM_MAX (UINT64_C(256) << 20) /* a file asking for more is refused */
#define MAGIC_SIZE      6u

struct tg__xz_stream {
    FILE *file;
    char *path;
    bool compressed;
    bool input_ended;
    bool ended;
    lzma_stream decoder;
    size_t at; /* next unread byte of input, plain files only */
    size_t filled;
    uint8_t input[INPUT_SIZE];
};

static tg_err fill(tg__xz_stream *s, tg__cause *cause)
{
    s->at = 0;
    s->filled = fread(s->input, 1, sizeof s->input, s->file);
    if (s->filled < sizeof s->input) {
        if (ferror(s->file)) {
            return tg__cause_set(cause, TG_ERR_IO, "%s: cannot be read: %s", s->path,
                                 strerror(errno));
        }
        s->input_ended = true;
    }
    return TG_OK;
}

static tg_err start_decoder(tg__xz_stream *s, tg__cause *cause)
{
    static const uint8_t magic[MAGIC_SIZE] = {0xfd, '7', 'z', 'X', 'Z', 0x00};
    s->compressed = s->filled >= MAGIC_SIZE && memcmp(s->input, magic, MAGIC_SIZE) == 0;
    if (!s->compressed) {
        return TG_OK;
    }
    if (lzma_stream_decoder(&s->decoder, DECODER_MEM_MAX, LZMA_CONCATENATED) != LZMA_OK) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory for the xz decoder", s->path);
    }
    s->decoder.next_in = s->input;
    s->decoder.avail_in = s->filled;
    return TG_OK;
}

tg_err tg__xz_stream_open(const char *path, tg__xz_stream **out, tg__cause *cause)
{
    *out = NULL;
    tg__xz_stream *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to read it", path);
    }
    const lzma_stream fresh = LZMA_STREAM_INIT;
    s->decoder = fresh;
    s->path = strdup(path);
    tg_err err = TG_OK;
    if (s->path == NULL) {
        err = tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to read it", path);
        goto fail;
    }
    s->file = fopen(path, "rb");
    if (s->file == NULL) {
        err = tg__cause_set(cause, TG_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
        goto fail;
    }
    err = fill(s, cause);
    if (err == TG_OK) {
        err = start_decoder(s, cause);
    }
    if (err != TG_OK) {
        goto fail;
    }
    *out = s;
    return TG_OK;

fail:
    tg__xz_stream_close(s);
    return err;
}

void tg__xz_stream_close(tg__xz_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    lzma_end(&stream->decoder);
    if (stream->file != NULL) {
        (void)fclose(stream->file); /* opened for reading: nothing can be lost */
    }
    free(stream->path);
    free(stream);
}

static tg_err read_plain(tg__xz_stream *s, void *out, size_t capacity, size_t *size,
                         tg__cause *cause)
{
    if (s->at == s->filled && !s->input_ended) {
        TG_TRY(fill(s, cause));
    }
    const size_t left = s->filled - s->at;
    *size = left < capacity ? left : capacity;
    memcpy(out, s->input + s->at, *size);
    s->at += *size;
    return TG_OK;
}

static tg_err decoder_fault(const tg__xz_stream *s, lzma_ret code, tg__cause *cause)
{
    const char *why = "the xz data is damaged";
    if (code == LZMA_BUF_ERROR) {
        why = "the xz data ends too early";
    } else if (code == LZMA_MEMLIMIT_ERROR || code == LZMA_MEM_ERROR) {
        why = "the xz data asks for more memory than is allowed";
    } else if (code == LZMA_OPTIONS_ERROR) {
        why = "the xz data uses an unknown option";
    }
    return tg__cause_set(cause, TG_ERR_TAPE, "%s: %s", s->path, why);
}

static tg_err read_compressed(tg__xz_stream *s, void *out, size_t capacity, size_t *size,
                              tg__cause *cause)
{
    s->decoder.next_out = out;
    s->decoder.avail_out = capacity;
    while (s->decoder.avail_out == capacity && !s->ended) {
        if (s->decoder.avail_in == 0 && !s->input_ended) {
            TG_TRY(fill(s, cause));
            s->decoder.next_in = s->input;
            s->decoder.avail_in = s->filled;
        }
        const lzma_ret code = lzma_code(&s->decoder, s->input_ended ? LZMA_FINISH : LZMA_RUN);
        if (code == LZMA_STREAM_END) {
            s->ended = true;
        } else if (code != LZMA_OK) {
            return decoder_fault(s, code, cause);
        }
    }
    *size = capacity - s->decoder.avail_out;
    return TG_OK;
}

tg_err tg__xz_stream_read(tg__xz_stream *stream, void *out, size_t capacity, size_t *size,
                          tg__cause *cause)
{
    *size = 0;
    return stream->compressed ? read_compressed(stream, out, capacity, size, cause)
                              : read_plain(stream, out, capacity, size, cause);
}
