#include "command_queue.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

tg_err tg__command_queue_init(tg__command_queue *queue, uint32_t capacity)
{
    memset(queue, 0, sizeof *queue);
    uint32_t size = 16;
    while (size < capacity && size < (UINT32_C(1) << 30)) {
        size *= 2;
    }
    queue->commands = calloc(size, sizeof *queue->commands);
    TG_ENSURE(queue->commands != NULL, TG_ERR_NO_MEMORY);
    if (pthread_mutex_init(&queue->lock, NULL) != 0) {
        free(queue->commands);
        queue->commands = NULL;
        return TG_ERR_NO_MEMORY;
    }
    queue->mask = size - 1;
    return TG_OK;
}

void tg__command_queue_deinit(tg__command_queue *queue)
{
    if (queue->commands != NULL) {
        (void)pthread_mutex_destroy(&queue->lock);
        free(queue->commands);
        queue->commands = NULL;
    }
}

/* Call with the lock held. */
static tg_err put(tg__command_queue *queue, tg__command_kind kind, uint32_t number)
{
    const uint32_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    /* Acquire: pairs with the release in take(); the slot's former content has been read. */
    const uint32_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
    TG_ENSURE(tail - head <= queue->mask, TG_ERR_FULL);
    queue->commands[tail & queue->mask].kind = kind;
    queue->commands[tail & queue->mask].number = number;
    /* Release: pairs with the acquire in take(); the command is written. */
    atomic_store_explicit(&queue->tail, tail + 1, memory_order_release);
    return TG_OK;
}

tg_err tg__command_queue_put(tg__command_queue *queue, tg__command_kind kind, uint32_t number)
{
    (void)pthread_mutex_lock(&queue->lock);
    const tg_err err = put(queue, kind, number);
    (void)pthread_mutex_unlock(&queue->lock);
    return err;
}

tg_err tg__command_queue_put_find(tg__command_queue *queue, const tg__find *find)
{
    (void)pthread_mutex_lock(&queue->lock);
    tg_err err = TG_ERR_FULL;
    for (uint32_t i = 0; i < TG__FIND_SLOTS && err == TG_ERR_FULL; i++) {
        /* Acquire: pairs with the release in free_find(); the consumer has read the slot. */
        if (atomic_load_explicit(&queue->find_taken[i], memory_order_acquire)) {
            continue;
        }
        queue->finds[i] = *find;
        atomic_store_explicit(&queue->find_taken[i], true, memory_order_relaxed);
        err = put(queue, TG__COMMAND_FIND, i);
        if (err != TG_OK) {
            atomic_store_explicit(&queue->find_taken[i], false, memory_order_relaxed);
            break;
        }
    }
    (void)pthread_mutex_unlock(&queue->lock);
    return err;
}

bool tg__command_queue_is_empty(const tg__command_queue *queue)
{
    /* Relaxed: what is put at the same time wakes the consumer. */
    return atomic_load_explicit(&queue->head, memory_order_relaxed) ==
           atomic_load_explicit(&queue->tail, memory_order_relaxed);
}

bool tg__command_queue_take(tg__command_queue *queue, tg__command *command)
{
    const uint32_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    /* Acquire: pairs with the release in put(). */
    if (head == atomic_load_explicit(&queue->tail, memory_order_acquire)) {
        return false;
    }
    *command = queue->commands[head & queue->mask];
    /* Release: pairs with the acquire in put(); the command is copied. */
    atomic_store_explicit(&queue->head, head + 1, memory_order_release);
    return true;
}

void tg__command_queue_free_find(tg__command_queue *queue, uint32_t slot)
{
    /* Release: pairs with the acquire in put_find(). */
    atomic_store_explicit(&queue->find_taken[slot], false, memory_order_release);
}
