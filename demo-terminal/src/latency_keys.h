/* Keys of the latency panel while it has the focus. */
#ifndef TG_TERMINAL_LATENCY_KEYS_H
#define TG_TERMINAL_LATENCY_KEYS_H

#include <stdbool.h>

#include <tickglass/window.h>

#include "latency_span.h"

/* False: no key that moves anything there. Thread: any. */
bool latency_key_move(const tg_input *input, span_move *move);

/* The chosen windows are to be written to files. Thread: any. */
bool latency_key_is_export(const tg_input *input);

#endif
