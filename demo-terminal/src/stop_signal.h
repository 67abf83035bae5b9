/* SIGINT and SIGTERM as a call on an ordinary thread. */
#ifndef TG_TERMINAL_STOP_SIGNAL_H
#define TG_TERMINAL_STOP_SIGNAL_H

#include <stdbool.h>

#include <tickglass/err.h>

typedef struct stop_signal stop_signal;

/*
 * Keeps the two signals from every thread that is started after this. Call it before any is.
 * Thread: the first.
 */
void stop_signal_block(void);

/* From here on they end the process as ever: for an orderly end that hangs. Thread: any. */
void stop_signal_unblock(void);

/*
 * Waits for the signals on a thread of its own; on_stop runs there at the first one.
 * TG_ERR_NO_MEMORY. Thread: owner.
 */
TG_MUST_CHECK tg_err stop_signal_open(void (*on_stop)(void *ctx), void *ctx, stop_signal **out);

/* on_stop does not run after this. NULL is allowed. Thread: owner. Blocks: until on_stop is over.
 */
void stop_signal_close(stop_signal *stop);

bool stop_signal_came(const stop_signal *stop);

#endif
