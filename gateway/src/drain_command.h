/** `tickglass-gateway drain`: asks the gateway that has a state directory to drain. */
#ifndef TG_GATEWAY_DRAIN_COMMAND_H
#define TG_GATEWAY_DRAIN_COMMAND_H

#include <stdbool.h>

#include "cause.h"

typedef struct tg__drain_command {
    const char *state_dir; /* NULL: the usual one */
    bool wait;             /* until the gateway has ended */
    bool help;
} tg__drain_command;

extern const char tg__drain_command_help[];

/* arguments: those behind "drain", kept by pointer. TG_ERR_INVALID_ARGUMENT: cause names it. */
TG_MUST_CHECK tg_err tg__drain_command_parse(tg__drain_command *command, int count,
                                             char *const *arguments, tg__cause *cause);

/* Tells stdout which process it asked. Errors: running_gateway.h, and those of the folder's name.
 */
TG_MUST_CHECK tg_err tg__drain_command_run(const tg__drain_command *command, tg__cause *cause);

#endif
