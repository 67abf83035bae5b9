/**
 * A recorded market in CSV form, plain or .xz.
 *
 * Opening reads the whole file once: every line is checked and the exponents, tick sizes and
 * cadences of its instruments are learnt, so that a bad line is reported before anything is played.
 */
#ifndef TG_GATEWAY_TAPE_H
#define TG_GATEWAY_TAPE_H

#include "cause.h"
#include "directory.h"
#include "row.h"

typedef struct tg__tape tg__tape;

/*
 * merge_feeds: the venues NAME_A to NAME_Z are feeds of the one venue NAME.
 * TG_ERR_IO, TG_ERR_TAPE (cause: file, line, field), TG_ERR_FULL, TG_ERR_NO_MEMORY; *out is NULL
 * then and directory may hold a part of the instruments.
 */
TG_MUST_CHECK tg_err tg__tape_open(const char *path, bool merge_feeds, tg__directory *directory,
                                   tg__tape **out, tg__cause *cause);
void tg__tape_close(tg__tape *tape);

/* Rows with the tape's own times. TG_ERR_NOT_FOUND at the end. */
TG_MUST_CHECK tg_err tg__tape_next(tg__tape *tape, tg__row *row, tg__cause *cause);

/* Back to the first row. */
TG_MUST_CHECK tg_err tg__tape_rewind(tg__tape *tape, tg__cause *cause);

/* Of the first line; 0 for a tape without rows. */
int64_t tg__tape_start_ns(const tg__tape *tape);

#endif
