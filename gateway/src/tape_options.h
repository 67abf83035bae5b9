/** The command line of tickglass-tape. */
#ifndef TG_GATEWAY_TAPE_OPTIONS_H
#define TG_GATEWAY_TAPE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cause.h"

typedef enum tg__tape_command {
    TG__TAPE_CONVERT,
    TG__TAPE_CHECK,
    TG__TAPE_HELP,
    TG__TAPE_VERSION
} tg__tape_command;

#define TG__TAPE_INPUTS_MAX 256u

typedef struct tg__tape_options {
    tg__tape_command command;
    const char *from; /* NULL: told by the content */
    const char *out;
    uint64_t errors_max; /* bad records that are skipped */
    bool progress;
    const char *inputs[TG__TAPE_INPUTS_MAX];
    size_t input_count;
} tg__tape_options;

extern const char tg__tape_options_help[];

/* TG_ERR_INVALID_ARGUMENT: the cause names the option and what was expected. */
TG_MUST_CHECK tg_err tg__tape_options_parse(tg__tape_options *options, int argc, char **argv,
                                            tg__cause *cause);

#endif
