#include "line_source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>

#define BLOCK_SIZE 65536

struct line_source {
    FILE *file;
    bool compressed;
    bool file_ended;
    bool ended;
    lzma_stream lzma;
    size_t at; /* of the text that is still to be given */
    size_t size;
    uint64_t number;
    char line[LINE_SOURCE_LINE_SIZE];
    uint8_t raw[BLOCK_SIZE];
    uint8_t text[BLOCK_SIZE];
};

tg_err line_source_open(const char *path, line_source **out)
{
    static const uint8_t magic[6] = {0xFD, '7', 'z', 'X', 'Z', 0};
    *out = NULL;
    line_source *source = calloc(1, sizeof *source);
    if (source == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    tg_err err = TG_ERR_IO;
    source->file = fopen(path, "rb");
    if (source->file == NULL) {
        goto fail;
    }
    const size_t peeked = fread(source->raw, 1, sizeof magic, source->file);
    if (ferror(source->file) != 0 || fseek(source->file, 0, SEEK_SET) != 0) {
        goto fail;
    }
    source->compressed = peeked == sizeof magic && memcmp(source->raw, magic, sizeof magic) == 0;
    if (source->compressed) {
        const lzma_stream fresh = LZMA_STREAM_INIT;
        source->lzma = fresh;
        if (lzma_stream_decoder(&source->lzma, UINT64_C(256) << 20, LZMA_CONCATENATED) != LZMA_OK) {
            err = TG_ERR_NO_MEMORY;
            goto fail;
        }
    }
    *out = source;
    return TG_OK;
fail:
    line_source_close(source);
    return err;
}

void line_source_close(line_source *source)
{
    if (source == NULL) {
        return;
    }
    const int why = errno;
    if (source->compressed) {
        lzma_end(&source->lzma);
    }
    if (source->file != NULL) {
        (void)fclose(source->file);
    }
    free(source);
    errno = why;
}

static tg_err read_block(line_source *source, uint8_t *into, size_t *size)
{
    *size = fread(into, 1, BLOCK_SIZE, source->file);
    if (*size < BLOCK_SIZE) {
        source->file_ended = true;
        return ferror(source->file) != 0 ? TG_ERR_IO : TG_OK;
    }
    return TG_OK;
}

static tg_err refill_plain(line_source *source)
{
    const tg_err err = read_block(source, source->text, &source->size);
    source->at = 0;
    source->ended = source->file_ended;
    return err;
}

static tg_err refill_compressed(line_source *source)
{
    source->lzma.next_out = source->text;
    source->lzma.avail_out = BLOCK_SIZE;
    while (source->lzma.avail_out == BLOCK_SIZE && !source->ended) {
        if (source->lzma.avail_in == 0 && !source->file_ended) {
            size_t size = 0;
            const tg_err err = read_block(source, source->raw, &size);
            if (err != TG_OK) {
                return err;
            }
            source->lzma.next_in = source->raw;
            source->lzma.avail_in = size;
        }
        const lzma_ret code = lzma_code(&source->lzma, source->file_ended ? LZMA_FINISH : LZMA_RUN);
        if (code == LZMA_STREAM_END) {
            source->ended = true;
        } else if (code != LZMA_OK) {
            return TG_ERR_SYNTAX;
        }
    }
    source->at = 0;
    source->size = BLOCK_SIZE - source->lzma.avail_out;
    return TG_OK;
}

tg_err line_source_next(line_source *source, const char **line)
{
    size_t length = 0;
    bool any = false;
    for (;;) {
        if (source->at == source->size) {
            if (source->ended) {
                break;
            }
            const tg_err err =
                source->compressed ? refill_compressed(source) : refill_plain(source);
            if (err != TG_OK) {
                source->number++;
                return err;
            }
            continue;
        }
        const char c = (char)source->text[source->at++];
        any = true;
        if (c == '\n') {
            break;
        }
        if (length + 1 == sizeof source->line) {
            source->number++;
            return TG_ERR_SYNTAX;
        }
        source->line[length++] = c;
    }
    if (!any) {
        return TG_ERR_NOT_FOUND;
    }
    if (length > 0 && source->line[length - 1] == '\r') {
        length--;
    }
    source->line[length] = '\0';
    source->number++;
    *line = source->line;
    return TG_OK;
}

uint64_t line_source_number(const line_source *source)
{
    return source->number;
}
