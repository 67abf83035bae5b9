/*
 * Round trips for the recording: which ECHO_REPLY (PROTOCOL.md 4.5) the client took, when it was
 * asked for and when it came. A gateway's record has the same cookie, and when it was seen there.
 *
 * Thread: network, all of it.
 */
#ifndef TG_TERMINAL_ECHO_WATCH_H
#define TG_TERMINAL_ECHO_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/client.h>

typedef struct echo_times {
    uint64_t cookie;
    int64_t sent_mono_ns;
    int64_t received_mono_ns;
} echo_times;

/* Zero-initialised. */
typedef struct echo_watch {
    bool waiting; /* for the client to have taken this reply */
    uint64_t cookie;
    int64_t received_mono_ns;
} echo_watch;

/* A message, before the client decodes it. */
void echo_watch_message(echo_watch *watch, const void *bytes, size_t size,
                        int64_t received_mono_ns);

/* True, once: with the next message the client has measured by the reply before. A reply to an echo
 * that it had given up is forgotten. */
bool echo_watch_take(echo_watch *watch, const tg_client *client, echo_times *out);

#endif
