/* What the client told, newest first. Bounded: the oldest go. */
#ifndef TG_TERMINAL_EVENT_LOG_H
#define TG_TERMINAL_EVENT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/client.h>

#define EVENT_LOG_SIZE 128

typedef struct event_line {
    int64_t utc_ns;
    bool bad;
    char text[sizeof((tg_event *)0)->text];
} event_line;

typedef struct event_log {
    size_t count;
    size_t next; /* where the next one goes */
    uint64_t dropped;
    event_line line[EVENT_LOG_SIZE];
} event_log;

/* Events without a text are left out. Thread: owner. */
void event_log_take(event_log *log, const tg_event *event, int64_t utc_ns);

/* The newest is 0; index < count. Thread: owner. */
const event_line *event_log_line(const event_log *log, size_t index);

#endif
