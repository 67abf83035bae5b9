/* What is wrong with a configuration, all of it at once: whoever repairs a file wants the whole
 * list. */
#ifndef TG_TERMINAL_COMPLAINTS_H
#define TG_TERMINAL_COMPLAINTS_H

#include <stddef.h>

#include <tickglass/api.h>

#define COMPLAINTS_MAX 32
#define COMPLAINT_SIZE 512

/* Bounded: what comes after COMPLAINTS_MAX is counted only. */
typedef struct complaints {
    char line[COMPLAINTS_MAX][COMPLAINT_SIZE];
    size_t count;
    size_t dropped;
} complaints;

/* One line, cut where it does not fit. Thread: owner. */
void complaints_add(complaints *list, const char *format, ...) TG_PRINTF(2, 3);

#endif
