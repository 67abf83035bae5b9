/** The bytes of a file, plain or .xz, read as a stream. The only file that knows liblzma. */
#ifndef TG_GATEWAY_XZ_STREAM_H
#define TG_GATEWAY_XZ_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "cause.h"

typedef struct tg__xz_stream tg__xz_stream;

/*
 * Told apart by content, not by name: a file that begins with the xz magic is decompressed.
 * TG_ERR_IO, TG_ERR_NO_MEMORY; *out is NULL then.
 */
TG_MUST_CHECK tg_err tg__xz_stream_open(const char *path, tg__xz_stream **out, tg__cause *cause);
void tg__xz_stream_close(tg__xz_stream *stream);

/*
 * *size bytes, at most capacity; 0 at the end.
 * TG_ERR_IO: reading failed; TG_ERR_TAPE: damaged or cut xz data.
 */
TG_MUST_CHECK tg_err tg__xz_stream_read(tg__xz_stream *stream, void *out, size_t capacity,
                                        size_t *size, tg__cause *cause);

#endif
