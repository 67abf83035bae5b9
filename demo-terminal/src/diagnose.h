/* --diagnose: the way to each endpoint, step by step. */
#ifndef TG_TERMINAL_DIAGNOSE_H
#define TG_TERMINAL_DIAGNOSE_H

#include <stdio.h>

#include "settings.h"

/*
 * Prints what was found, errors of the configuration to wrong_to. 0: every endpoint works; 2: a
 * file or a value cannot be used; else the code of the first step that failed at the first endpoint
 * that does not work. seconds: for the first values of each; 0: 30. Thread: owner. Blocks: on the
 * network.
 */
int diagnose_run(const settings *settings, int seconds, FILE *to, FILE *wrong_to);

#endif
