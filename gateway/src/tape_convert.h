/**
 * What the program tickglass-tape does: recorded market data into one tape, and rebuilt books
 * against what the venue itself says.
 */
#ifndef TG_GATEWAY_TAPE_CONVERT_H
#define TG_GATEWAY_TAPE_CONVERT_H

#include <stdio.h>

#include "tape_options.h"

/*
 * Several inputs become one tape, in the order of time. Bad records are written to log and skipped,
 * up to options->errors_max; at the end log gets the counts. TG_ERR_TAPE: more bad records, or an
 * input that cannot be read on; TG_ERR_IO, TG_ERR_NO_MEMORY. The output is not there then.
 */
TG_MUST_CHECK tg_err tg__tape_convert(const tg__tape_options *options, FILE *log, tg__cause *cause);

/*
 * Writes to out how often the rebuilt books were compared and found equal, for each input.
 * *different: how often not. Errors as tg__tape_convert().
 */
TG_MUST_CHECK tg_err tg__tape_check(const tg__tape_options *options, FILE *out, FILE *log,
                                    uint64_t *different, tg__cause *cause);

#endif
