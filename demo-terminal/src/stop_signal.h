/*
 * SIGINT and SIGTERM end the program, whatever it does. While its owner looks after them they are a
 * call on an ordinary thread, and the end is the owner's; where a call may never come back, as one
 * to a window system that does not answer, the process ends by the signal itself. Nothing runs in a
 * signal handler.
 */
#ifndef TG_TERMINAL_STOP_SIGNAL_H
#define TG_TERMINAL_STOP_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/err.h>

typedef struct stop_signal stop_signal;

/*
 * Keeps the two signals from every thread that is started after this. Call it before any is.
 * Thread: the first.
 */
void stop_signal_block(void);

/* From here on they end the process as ever. Thread: any. */
void stop_signal_unblock(void);

/*
 * Waits for the signals on a thread of its own. After the first one the owner has limit_ms for an
 * orderly end; then, or with a second one, the process ends by it. at_end runs on the thread ahead
 * of each such end; NULL: nothing. TG_ERR_NO_MEMORY. Thread: owner.
 */
TG_MUST_CHECK tg_err stop_signal_open(int64_t limit_ms, void (*at_end)(void), stop_signal **out);

/*
 * From here to stop_signal_back() the owner may hang. A signal, also one that has come already,
 * ends the process: end(ctx) runs ahead of it, on any thread, and may use what the owner leaves
 * alone meanwhile. NULL: nothing. Thread: owner.
 */
void stop_signal_away(stop_signal *stop, void (*end)(void *ctx), void *ctx);

/* Does not return if a signal ends the process. Idempotent. Thread: owner. */
void stop_signal_back(stop_signal *stop);

/*
 * From here on the owner looks whether a signal has come: on_stop runs once, on the thread with the
 * first one, or at once and on any thread if that has come. Thread: owner, once.
 */
void stop_signal_tell(stop_signal *stop, void (*on_stop)(void *ctx), void *ctx);

bool stop_signal_came(const stop_signal *stop);

/* on_stop does not run after this. NULL is allowed. Thread: owner. Blocks: until on_stop is over.
 */
void stop_signal_close(stop_signal *stop);

#endif
