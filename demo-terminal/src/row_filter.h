/* Which rows of the watchlist are shown: those that have every word of what was typed. */
#ifndef TG_TERMINAL_ROW_FILTER_H
#define TG_TERMINAL_ROW_FILTER_H

#include <stdbool.h>

/*
 * Every word of filter stands somewhere in "VENUE:SYMBOL"; "" fits all. Letters of ASCII are equal
 * in both cases, other characters are compared as they are. Thread: any.
 */
bool row_filter_fits(const char *filter, const char *venue, const char *symbol);

#endif
