/*
 * A program that prints a token, run by /bin/sh -c: what people write into a configuration are
 * pipes, quotes and variables, and quoting rules of our own would be one more thing to get wrong.
 * The file that names the command is trusted as much as the user's shell profile is.
 */
#ifndef TG_TERMINAL_TOKEN_COMMAND_H
#define TG_TERMINAL_TOKEN_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#include "secret.h"

/*
 * Runs command in folder (NULL: the current one) and takes the first line of its output, without
 * blanks around it. It is ended, with all that it started, after limit_ms or when cancel_fd is
 * readable. why tells exit status or signal and the first line of its standard error, without the
 * token. TG_ERR_UNAUTHORIZED: it failed, or printed no token; TG_ERR_TIMEOUT; TG_ERR_CLOSED:
 * cancelled; TG_ERR_IO: it could not be started. Thread: any, one at a time. Blocks: as long as it
 * runs. Owner of the token: the caller, who wipes it.
 */
TG_MUST_CHECK tg_err token_command_run(const char *command, const char *folder, int64_t limit_ms,
                                       int cancel_fd, char token[SECRET_SIZE], char *why,
                                       size_t why_size);

/* Kills the one that runs, with all that it started: for a process that a signal ends at once.
 * Thread: any. */
void token_command_abandon(void);

#endif
