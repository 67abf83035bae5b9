/** Lines of a plain or compressed file, numbered from 1. */
#ifndef TG_GATEWAY_LINE_READER_H
#define TG_GATEWAY_LINE_READER_H

#include "byte_stream.h"

typedef struct tg__line_reader {
    tg__byte_stream *stream;
    const char *path; /* the caller's */
    uint64_t line_number;
    size_t line_size_max; /* bytes; a longer line is an error */
    size_t at;
    size_t filled;
    size_t capacity;
    char *buffer;
} tg__line_reader;

/* Allocates what the longest line needs. TG_ERR_IO, TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__line_reader_init(tg__line_reader *reader, const char *path,
                                          size_t line_size_max, tg__cause *cause);
/* Idempotent, and right for one that is all zero. */
void tg__line_reader_deinit(tg__line_reader *reader);

/*
 * The next line without its end ("\n" or "\r\n"); valid until the next call. TG_ERR_NOT_FOUND at
 * the end of the file; TG_ERR_TAPE: the line is too long. Others as tg__byte_stream_read().
 */
TG_MUST_CHECK tg_err tg__line_reader_next(tg__line_reader *reader, const char **line,
                                          size_t *length, tg__cause *cause);

#endif
