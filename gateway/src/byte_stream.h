/** The bytes of a file, plain or compressed with xz, gzip or zstd, read as a stream. */
#ifndef TG_GATEWAY_BYTE_STREAM_H
#define TG_GATEWAY_BYTE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "cause.h"

typedef struct tg__byte_stream tg__byte_stream;

/*
 * Told apart by content, not by name: a file that begins with one of the magics is decompressed.
 * TG_ERR_IO, TG_ERR_NO_MEMORY; *out is NULL then.
 */
TG_MUST_CHECK tg_err tg__byte_stream_open(const char *path, tg__byte_stream **out,
                                          tg__cause *cause);
void tg__byte_stream_close(tg__byte_stream *stream);

/*
 * *size bytes, at most capacity; 0 at the end.
 * TG_ERR_IO: reading failed; TG_ERR_TAPE: damaged or cut compressed data.
 */
TG_MUST_CHECK tg_err tg__byte_stream_read(tg__byte_stream *stream, void *out, size_t capacity,
                                          size_t *size, tg__cause *cause);

/* How much of the file was read so far, in percent; 100 for one whose size is not known. */
unsigned tg__byte_stream_percent(const tg__byte_stream *stream);

#endif
