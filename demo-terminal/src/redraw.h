/* --redraw: one picture of a record, as it stood on the glass. */
#ifndef TG_TERMINAL_REDRAW_H
#define TG_TERMINAL_REDRAW_H

#include <stdio.h>

#include "options.h"

/*
 * Says which pass it was, writes its picture (--screenshot) and its text (--text); errors go to
 * wrong_to. 0: done; 2: the record, the time, the pass or the fonts are not there or others; 4: the
 * picture cannot be written. Thread: the first. Blocks: on the disk.
 */
int redraw_run(const terminal_options *options, FILE *to, FILE *wrong_to);

#endif
