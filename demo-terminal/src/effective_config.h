/* --check-config: what is in effect, where it comes from, and whether it can be used. */
#ifndef TG_TERMINAL_EFFECTIVE_CONFIG_H
#define TG_TERMINAL_EFFECTIVE_CONFIG_H

#include <stdio.h>

#include "complaints.h"
#include "settings.h"

/* A line for each setting, without secrets. Thread: owner. */
void effective_config_print(const settings *settings, FILE *to);

/*
 * Reads every file that is named, and opens a client without connecting it. Commands are not run.
 * Thread: owner. Blocks: on the disk.
 */
void effective_config_check(const settings *settings, complaints *wrong);

#endif
