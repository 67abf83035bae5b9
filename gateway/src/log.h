/** The gateway's log: one line per event on standard error, with the time. Never a secret. */
#ifndef TG_GATEWAY_LOG_H
#define TG_GATEWAY_LOG_H

#include <tickglass/api.h>

void tg__log(const char *format, ...) TG_PRINTF(1, 2);

#endif
