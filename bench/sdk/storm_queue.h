/* What is still to happen on virtual time, in order; what is due at the same time happens in the
 * order in which it was put. Grows as needed: a simulation must not lose an event. */
#ifndef BENCH_SDK_STORM_QUEUE_H
#define BENCH_SDK_STORM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy.h"

typedef enum storm_event_kind {
    STORM_START,   /* the terminal is switched on */
    STORM_TIMER,   /* of a client's engine */
    STORM_SYN,     /* reaches the gateway's machine */
    STORM_UPGRADE, /* the request reaches the gateway */
    STORM_OPEN,    /* its 101 reaches the client */
    STORM_CLOSED,  /* the client sees the end of its connection or attempt */
    STORM_REQUEST, /* a client's message was answered: there and back */
    STORM_FRAME,
    STORM_BEAT, /* of the gateway: heartbeats to everybody */
    STORM_DEATH,
    STORM_RETURN,
    STORM_PAUSE,
    STORM_GO_ON,
    STORM_GENERATION,
    STORM_GAP,
    STORM_STALL,
    STORM_STALL_END,
    STORM_DRAIN
} storm_event_kind;

typedef struct storm_event {
    int64_t at_ns;
    uint64_t order; /* set by storm_queue_put() */
    storm_event_kind kind;
    uint32_t peer;
    uint32_t generation; /* of the peer's connection */
    tg__cause cause;     /* CLOSED */
    uint16_t code;
    uint32_t floor_ms;
    uint32_t again; /* SYN: how often it was sent before */
    size_t size;    /* REQUEST */
    uint8_t *bytes;
} storm_event;

typedef struct storm_queue {
    storm_event *heap;
    size_t count;
    size_t capacity;
    uint64_t order;
} storm_queue;

void storm_queue_put(storm_queue *queue, const storm_event *event);
/* False: nothing is left. */
bool storm_queue_take(storm_queue *queue, storm_event *event);
/* With the bytes of what never happened. */
void storm_queue_deinit(storm_queue *queue);

#endif
