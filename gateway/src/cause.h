/** Why something failed, in one line for a person: an error number alone names no file and no line.
 */
#ifndef TG_GATEWAY_CAUSE_H
#define TG_GATEWAY_CAUSE_H

#include <tickglass/err.h>

#define TG__CAUSE_SIZE 512

typedef struct tg__cause {
    char text[TG__CAUSE_SIZE];
} tg__cause;

/* Sets the text and returns err, so that a failing function can end with it. Cut when too long. */
tg_err tg__cause_set(tg__cause *cause, tg_err err, const char *format, ...) TG_PRINTF(3, 4);

#endif
