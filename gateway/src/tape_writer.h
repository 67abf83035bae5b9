/** Writes rows in tape form, so that an independent reader can judge what clients saw. */
#ifndef TG_GATEWAY_TAPE_WRITER_H
#define TG_GATEWAY_TAPE_WRITER_H

#include "cause.h"
#include "directory.h"
#include "row.h"

typedef struct tg__tape_writer tg__tape_writer;

/* Creates or empties the file and writes the header. TG_ERR_IO, TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__tape_writer_open(const char *path, const tg__directory *directory,
                                          tg__tape_writer **out, tg__cause *cause);
TG_MUST_CHECK tg_err tg__tape_writer_add(tg__tape_writer *writer, const tg__row *row,
                                         tg__cause *cause);
/* Hands everything to the operating system. */
TG_MUST_CHECK tg_err tg__tape_writer_flush(tg__tape_writer *writer, tg__cause *cause);
void tg__tape_writer_close(tg__tape_writer *writer);

#endif
