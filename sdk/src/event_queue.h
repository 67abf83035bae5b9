/*
 * Events for the host's own thread. Bounded; when full, the oldest is dropped and counted.
 *
 * A lock of one copy on either side: events are rare, and data never passes here.
 */
#ifndef TG_SDK_EVENT_QUEUE_H
#define TG_SDK_EVENT_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <tickglass/client.h>

typedef struct tg__event_queue {
    tg_event *events;
    uint32_t capacity;
    pthread_mutex_t lock; /* guards first and count */
    uint32_t first;
    uint32_t count;
    _Atomic uint64_t dropped;
} tg__event_queue;

TG_MUST_CHECK tg_err tg__event_queue_init(tg__event_queue *queue, uint32_t capacity);
void tg__event_queue_deinit(tg__event_queue *queue);
void tg__event_queue_put(tg__event_queue *queue, const tg_event *event);
bool tg__event_queue_take(tg__event_queue *queue, tg_event *event);

#endif
