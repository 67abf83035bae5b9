/** Bytes into a FILE, compressed with xz. */
#ifndef TG_GATEWAY_XZ_WRITER_H
#define TG_GATEWAY_XZ_WRITER_H

#include <stddef.h>
#include <stdio.h>

#include <tickglass/err.h>

typedef struct tg__xz_writer tg__xz_writer;

/* The file is the caller's. TG_ERR_NO_MEMORY; *out is NULL then. */
TG_MUST_CHECK tg_err tg__xz_writer_open(FILE *file, tg__xz_writer **out);
/* TG_ERR_IO (errno), TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__xz_writer_add(tg__xz_writer *writer, const void *bytes, size_t size);
/* Writes what is held back and the end of the data; nothing can be added behind it. */
TG_MUST_CHECK tg_err tg__xz_writer_finish(tg__xz_writer *writer);
void tg__xz_writer_close(tg__xz_writer *writer);

#endif
