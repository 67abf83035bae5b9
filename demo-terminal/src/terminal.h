/* The program from the opened parts to the exit code. */
#ifndef TG_TERMINAL_TERMINAL_H
#define TG_TERMINAL_TERMINAL_H

#include "options.h"
#include "settings.h"
#include "state_keeper.h"

typedef enum terminal_exit {
    TERMINAL_FINE = 0,
    TERMINAL_USAGE = 2,   /* the command line, the configuration, or a file named there */
    TERMINAL_NO_DATA = 3, /* no connection, or no data, in the time given */
    TERMINAL_WRITE = 4,   /* a file could not be written */
    TERMINAL_SCRIPT = 5   /* a step of the script could not be done, or was not reached */
} terminal_exit;

/* Errors are said in one line each on standard error. Thread: the first. Blocks: until the end. */
terminal_exit terminal_run(const terminal_options *options, const settings *settings,
                           const state_keeper *keeper);

#endif
