/** Random bytes of the operating system, for what must not be guessed or repeated. */
#ifndef TG_GATEWAY_ENTROPY_H
#define TG_GATEWAY_ENTROPY_H

#include <stddef.h>

#include "cause.h"

TG_MUST_CHECK tg_err tg__entropy_get(void *out, size_t size, tg__cause *cause);

#endif
