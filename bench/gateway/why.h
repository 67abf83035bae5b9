/* What went wrong, in words for a person: which file, line or option, and why. */
#ifndef BENCH_GATEWAY_WHY_H
#define BENCH_GATEWAY_WHY_H

#include <stdbool.h>

#include <tickglass/api.h>

typedef struct why {
    char text[384];
} why;

/* Always false, so that a failing function can return it. */
bool why_say(why *into, const char *format, ...) TG_PRINTF(2, 3);

#endif
