#include "storm_queue.h"

#include <stdlib.h>

static bool is_before(const storm_event *a, const storm_event *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

void storm_queue_put(storm_queue *queue, const storm_event *event)
{
    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity == 0 ? 1024 : 2 * queue->capacity;
        queue->heap = realloc(queue->heap, queue->capacity * sizeof *queue->heap);
        if (queue->heap == NULL) {
            abort();
        }
    }
    storm_event put = *event;
    put.order = queue->order++;
    size_t at = queue->count++;
    while (at > 0 && is_before(&put, &queue->heap[(at - 1) / 2])) {
        queue->heap[at] = queue->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->heap[at] = put;
}

bool storm_queue_take(storm_queue *queue, storm_event *event)
{
    if (queue->count == 0) {
        return false;
    }
    *event = queue->heap[0];
    const storm_event last = queue->heap[--queue->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < queue->count && is_before(&queue->heap[child + 1], &queue->heap[child])) {
            child++;
        }
        if (child >= queue->count || is_before(&last, &queue->heap[child])) {
            break;
        }
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    queue->heap[at] = last;
    return true;
}

void storm_queue_deinit(storm_queue *queue)
{
    for (size_t i = 0; i < queue->count; i++) {
        free(queue->heap[i].bytes);
    }
    free(queue->heap);
    *queue = (storm_queue){NULL, 0, 0, 0};
}
