#include "line_reader.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

tg_err tg__line_reader_init(tg__line_reader *reader, const char *path, tg__cause *cause)
{
    reader->path = path;
    reader->line_number = 0;
    reader->at = 0;
    reader->filled = 0;
    return tg__xz_stream_open(path, &reader->stream, cause);
}

void tg__line_reader_deinit(tg__line_reader *reader)
{
    tg__xz_stream_close(reader->stream);
    reader->stream = NULL;
}

/* Moves the unfinished line to the front and reads on; *ended if nothing more comes. */
static tg_err refill(tg__line_reader *r, bool *ended, tg__cause *cause)
{
    const size_t kept = r->filled - r->at;
    memmove(r->buffer, r->buffer + r->at, kept);
    r->at = 0;
    r->filled = kept;
    size_t size = 0;
    TG_TRY(tg__xz_stream_read(r->stream, r->buffer + kept, sizeof r->buffer - kept, &size, cause));
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
    while (end == NULL && !ended && r->filled - r->at <= TG__LINE_SIZE_MAX) {
        TG_TRY(refill(r, &ended, cause));
        end = memchr(r->buffer + r->at, '\n', r->filled - r->at);
    }
    const size_t size = (end != NULL) ? (size_t)(end - (r->buffer + r->at)) : r->filled - r->at;
    if (end == NULL && ended && size == 0) {
        return TG_ERR_NOT_FOUND;
    }
    r->line_number++;
    if (size > TG__LINE_SIZE_MAX) {
        return tg__cause_set(cause, TG_ERR_TAPE, "%s:%" PRIu64 ": line is longer than %u bytes",
                             r->path, r->line_number, TG__LINE_SIZE_MAX);
    }
    *line = r->buffer + r->at;
    *length = size;
    r->at += size + (end != NULL ? 1 : 0);
    if (*length > 0 && (*line)[*length - 1] == '\r') {
        (*length)--;
    }
    return TG_OK;
}
