/**
 * A tape being written: CSV to a file or stdout, through xz if the name ends with .xz.
 *
 * A file is written beside its place and moved there by the commit: a run that fails leaves no half
 * tape, and what stood there stays.
 */
#ifndef TG_GATEWAY_TAPE_OUTPUT_H
#define TG_GATEWAY_TAPE_OUTPUT_H

#include "cause.h"
#include "tape_line.h"

typedef struct tg__tape_output tg__tape_output;

/* path "-": stdout. Writes the header. TG_ERR_IO, TG_ERR_NO_MEMORY; *out is NULL then. */
TG_MUST_CHECK tg_err tg__tape_output_open(const char *path, tg__tape_output **out,
                                          tg__cause *cause);
TG_MUST_CHECK tg_err tg__tape_output_add(tg__tape_output *output, const tg__tape_line *row,
                                         tg__cause *cause);
/* Everything is on the disk and in its place. TG_ERR_IO. */
TG_MUST_CHECK tg_err tg__tape_output_commit(tg__tape_output *output, tg__cause *cause);
/* Without a commit before: what was written is taken away. */
void tg__tape_output_close(tg__tape_output *output);

#endif
