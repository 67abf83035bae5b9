#include "byte_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "gzip_stream.h"
#include "xz_stream.h"
#include "zstd_stream.h"

#define INPUT_SIZE 65536u

struct tg__byte_stream {
    FILE *file;
    char *path;
    tg__stream_decoder decoder; /* state is NULL: a plain file */
    bool input_ended;
    bool ended;
    uint64_t file_size; /* 0: not known */
    uint64_t taken;     /* bytes of the file */
    size_t at;          /* next unread byte of input */
    size_t filled;
    uint8_t input[INPUT_SIZE];
};

typedef struct magic {
    size_t size;
    uint8_t bytes[6];
    tg_err (*open)(tg__stream_decoder *out);
} magic;

static const magic magics[] = {
    {6, {0xfd, '7', 'z', 'X', 'Z', 0x00}, tg__xz_stream_open},
    {3, {0x1f, 0x8b, 0x08}, tg__gzip_stream_open},
    {4, {0x28, 0xb5, 0x2f, 0xfd}, tg__zstd_stream_open},
};

static tg_err fill(tg__byte_stream *s, tg__cause *cause)
{
    s->at = 0;
    s->filled = fread(s->input, 1, sizeof s->input, s->file);
    s->taken += s->filled;
    if (s->filled < sizeof s->input) {
        if (ferror(s->file)) {
            return tg__cause_set(cause, TG_ERR_IO, "%s: cannot be read: %s", s->path,
                                 strerror(errno));
        }
        s->input_ended = true;
    }
    return TG_OK;
}

static tg_err start_decoder(tg__byte_stream *s, tg__cause *cause)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        if (s->filled >= magics[i].size && memcmp(s->input, magics[i].bytes, magics[i].size) == 0) {
            return magics[i].open(&s->decoder) == TG_OK
                       ? TG_OK
                       : tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory for its decoder",
                                       s->path);
        }
    }
    return TG_OK;
}

/* Of progress reports only: what cannot be asked, such as a pipe, stays 0. */
static uint64_t size_of(FILE *file)
{
    long size = 0;
    if (fseek(file, 0, SEEK_END) == 0) {
        size = ftell(file);
        rewind(file);
    }
    return size > 0 ? (uint64_t)size : 0;
}

tg_err tg__byte_stream_open(const char *path, tg__byte_stream **out, tg__cause *cause)
{
    *out = NULL;
    tg__byte_stream *s = calloc(1, sizeof *s);
    tg_err err = TG_OK;
    if (s == NULL || (s->path = strdup(path)) == NULL) {
        err = tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to read it", path);
        goto fail;
    }
    s->file = fopen(path, "rb");
    if (s->file == NULL) {
        err = tg__cause_set(cause, TG_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
        goto fail;
    }
    s->file_size = size_of(s->file);
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
    tg__byte_stream_close(s);
    return err;
}

void tg__byte_stream_close(tg__byte_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    if (stream->decoder.state != NULL) {
        stream->decoder.close(stream->decoder.state);
    }
    if (stream->file != NULL) {
        (void)fclose(stream->file); /* opened for reading: nothing can be lost */
    }
    free(stream->path);
    free(stream);
}

static tg_err read_plain(tg__byte_stream *s, void *out, size_t capacity, size_t *size,
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

static tg_err read_compressed(tg__byte_stream *s, void *out, size_t capacity, size_t *size,
                              tg__cause *cause)
{
    tg__decode_step step = {.out = out, .out_size = capacity};
    while (step.out_size == capacity && !s->ended) {
        if (s->at == s->filled && !s->input_ended) {
            TG_TRY(fill(s, cause));
        }
        step.in = s->input + s->at;
        step.in_size = s->filled - s->at;
        step.in_is_last = s->input_ended;
        const char *what = s->decoder.decode(s->decoder.state, &step);
        if (what != NULL) {
            return tg__cause_set(cause, TG_ERR_TAPE, "%s: %s", s->path, what);
        }
        s->at = s->filled - step.in_size;
        s->ended = step.ended;
    }
    *size = capacity - step.out_size;
    return TG_OK;
}

tg_err tg__byte_stream_read(tg__byte_stream *stream, void *out, size_t capacity, size_t *size,
                            tg__cause *cause)
{
    *size = 0;
    return stream->decoder.state != NULL ? read_compressed(stream, out, capacity, size, cause)
                                         : read_plain(stream, out, capacity, size, cause);
}

unsigned tg__byte_stream_percent(const tg__byte_stream *stream)
{
    const uint64_t consumed = stream->taken - (stream->filled - stream->at);
    if (stream->file_size == 0 || consumed >= stream->file_size) {
        return 100;
    }
    return (unsigned)(consumed * 100 / stream->file_size);
}
