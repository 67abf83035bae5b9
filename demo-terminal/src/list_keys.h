/* Which keys do what to the watchlist. */
#ifndef TG_TERMINAL_LIST_KEYS_H
#define TG_TERMINAL_LIST_KEYS_H

#include <stdbool.h>

#include <tickglass/window.h>

#include "list_pane.h"

/* False: the key means nothing to the watchlist. Thread: any. */
bool list_keys_find(const tg_input *input, list_action *action);

#endif
