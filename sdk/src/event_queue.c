#include "event_queue.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

tg_err tg__event_queue_init(tg__event_queue *queue, uint32_t capacity)
{
    memset(queue, 0, sizeof *queue);
    queue->events = calloc(capacity, sizeof *queue->events);
    TG_ENSURE(queue->events != NULL, TG_ERR_NO_MEMORY);
    if (pthread_mutex_init(&queue->lock, NULL) != 0) {
        free(queue->events);
        queue->events = NULL;
        return TG_ERR_NO_MEMORY;
    }
    queue->capacity = capacity;
    return TG_OK;
}

void tg__event_queue_deinit(tg__event_queue *queue)
{
    if (queue->events != NULL) {
        (void)pthread_mutex_destroy(&queue->lock);
        free(queue->events);
        queue->events = NULL;
    }
}

void tg__event_queue_put(tg__event_queue *queue, const tg_event *event)
{
    (void)pthread_mutex_lock(&queue->lock);
    if (queue->count == queue->capacity) {
        queue->first = (queue->first + 1) % queue->capacity;
        queue->count--;
        /* One writer at a time under the lock; readers only want the number. */
        atomic_fetch_add_explicit(&queue->dropped, 1, memory_order_relaxed);
    }
    queue->events[(queue->first + queue->count) % queue->capacity] = *event;
    queue->count++;
    (void)pthread_mutex_unlock(&queue->lock);
}

bool tg__event_queue_take(tg__event_queue *queue, tg_event *event)
{
    (void)pthread_mutex_lock(&queue->lock);
    const bool any = queue->count > 0;
    if (any) {
        *event = queue->events[queue->first];
        queue->first = (queue->first + 1) % queue->capacity;
        queue->count--;
    }
    (void)pthread_mutex_unlock(&queue->lock);
    return any;
}
