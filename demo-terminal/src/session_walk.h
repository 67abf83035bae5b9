/* --diagnose: from the token to the first values, by the client itself. */
#ifndef TG_TERMINAL_SESSION_WALK_H
#define TG_TERMINAL_SESSION_WALK_H

#include <stdbool.h>

#include <tickglass/err.h>

#include "diagnosis.h"
#include "settings.h"

/*
 * Fills in what comes behind TCP, for the endpoint at url alone. seconds: for the first values
 * after WELCOME. An error: the client could not be opened, and why says so in one line. Thread:
 * owner. Blocks: on the network, with the client's own limits.
 */
TG_MUST_CHECK tg_err session_walk(const settings *settings, const char *url, int seconds,
                                  diagnosis *found, char *why, size_t why_size);

#endif
