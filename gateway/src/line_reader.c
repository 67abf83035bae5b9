#include "line_reader.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#define READ_SIZE 65536u

tg_err tg__line_reader_init(tg__line_reader *reader, const char *path, size_t line_size_max,
                            tg__cause *cause)
{
    *reader = (tg__line_reader){
        .path = path,
        .line_size_max = line_size_max,
        .capacity = line_size_max + READ_SIZE,
    };
    reader->buffer = malloc(reader->capacity);
    if (reader->buffer == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to read it", path);
    }
    const tg_err err = tg__byte_stream_open(path, &reader->stream, cause);
    if (err != TG_OK) {
        tg__line_reader_deinit(reader);
    }
    return err;
}

void tg__line_reader_deinit(tg__line_reader *reader)
{
    tg__byte_stream_close(reader->stream);
    free(reader->buffer);
    reader->stream = NULL;
    reader->buffer = NULL;
}

/* Moves the unfinished line to the front and reads on; *ended if nothing more comes. */
static tg_err refill(tg__line_reader *r, bool *ended, tg__cause *cause)
{
    const size_t kept = r->filled - r->at;
    memmove(r->buffer, r->buffer + r->at, kept);
    r->at = 0;
    r->filled = kept;
    size_t size = 0;
    TG_TRY(tg__byte_stream_read(r->stream, r->buffer + kept, r->capacity - kept, &size, cause));
    r->filled += size;
    *ended = size == 0;
    return TG_OK;
}

tg_err tg__line_reader_next(tg__line_reader *reader, const char **line, size_t *length,
                            tg__cause *cause)
{
    tg__line_reader *const r = reader;
    const char *end = memchr(r->buffer + r->at, '\n', r->filled - r->at);
    bool ended = false;
    while (end == NULL && !ended && r->filled - r->at <= r->line_size_max) {
        TG_TRY(refill(r, &ended, cause));
        end = memchr(r->buffer + r->at, '\n', r->filled - r->at);
    }
    const size_t size = (end != NULL) ? (size_t)(end - (r->buffer + r->at)) : r->filled - r->at;
    if (end == NULL && ended && size == 0) {
        return TG_ERR_NOT_FOUND;
    }
    r->line_number++;
    if (size > r->line_size_max) {
        return tg__cause_set(cause, TG_ERR_TAPE, "%s:%" PRIu64 ": line is longer than %zu bytes",
                             r->path, r->line_number, r->line_size_max);
    }
    *line = r->buffer + r->at;
    *length = size;
    r->at += size + (end != NULL ? 1 : 0);
    if (*length > 0 && (*line)[*length - 1] == '\r') {
        (*length)--;
    }
    return TG_OK;
}
