/** Lines of a plain or .xz file, numbered from 1. */
#ifndef TG_GATEWAY_LINE_READER_H
#define TG_GATEWAY_LINE_READER_H

#include "xz_stream.h"

#define TG__LINE_SIZE_MAX 1024u /* bytes; a longer line is an error, not an allocation */

typedef struct tg__line_reader {
    tg__xz_stream *stream;
    const char *path; /* the caller's */
    uint64_t line_number;
    size_t at;
    size_t filled;
    char buffer[65536];
} tg__line_reader;

TG_MUST_CHECK tg_err tg__line_reader_init(tg__line_reader *reader, const char *path,
                                          tg__cause *cause);
void tg__line_reader_deinit(tg__line_reader *reader);

/*
 * The next line without its end ("\n" or "\r\n"); valid until the next call. TG_ERR_NOT_FOUND at
 * the end of the file; TG_ERR_TAPE: the line is too long. Others as tg__xz_stream_read().
 */
TG_MUST_CHECK tg_err tg__line_reader_next(tg__line_reader *reader, const char **line,
                                          size_t *length, tg__cause *cause);

#endif
