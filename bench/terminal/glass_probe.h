/* Somebody in front of the terminal: presses keys, hides the window, looks at the screen. */
#ifndef BENCH_TERMINAL_GLASS_PROBE_H
#define BENCH_TERMINAL_GLASS_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <x_server.h>

typedef struct glass_probe glass_probe;

/* Waits for a window of that size to be on the screen, and gives it the focus. NULL: the reason is
 * printed. */
glass_probe *glass_probe_open(const x_server *server, int width_px, int height_px);
void glass_probe_close(glass_probe *probe);

/* False: built without libXtst, keys do nothing. */
extern const bool glass_probe_has_keys;

/*
 * Moves the selection of the watchlist and waits for it to be on the screen: milliseconds from
 * before the key was given to the server. Below 0: nothing happened within seconds.
 */
double glass_probe_key_ms(glass_probe *probe);

/* Takes the window from the screen. */
void glass_probe_hide(glass_probe *probe);

#endif
