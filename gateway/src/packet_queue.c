#include "packet_queue.h"

void tg__packet_queue_init(tg__packet_queue *queue, tg__packet **slots, uint32_t capacity)
{
    queue->slots = slots;
    queue->capacity = capacity;
    queue->first = 0;
    queue->count = 0;
    queue->bytes = 0;
}

bool tg__packet_queue_push(tg__packet_queue *queue, tg__packet *packet)
{
    if (queue->count == queue->capacity) {
        return false;
    }
    queue->slots[(queue->first + queue->count) % queue->capacity] = packet;
    queue->count++;
    queue->bytes += packet->size;
    return true;
}

tg__packet *tg__packet_queue_pop(tg__packet_queue *queue)
{
    if (queue->count == 0) {
        return NULL;
    }
    tg__packet *packet = queue->slots[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count--;
    queue->bytes -= packet->size;
    return packet;
}

const tg__packet *tg__packet_queue_newest(const tg__packet_queue *queue)
{
    return queue->count == 0 ? NULL
                             : queue->slots[(queue->first + queue->count - 1) % queue->capacity];
}

tg__packet *tg__packet_queue_pop_newest(tg__packet_queue *queue)
{
    if (queue->count == 0) {
        return NULL;
    }
    queue->count--;
    tg__packet *packet = queue->slots[(queue->first + queue->count) % queue->capacity];
    queue->bytes -= packet->size;
    return packet;
}

void tg__packet_queue_clear(tg__packet_queue *queue, tg__packet_pool *pool)
{
    for (tg__packet *packet = tg__packet_queue_pop(queue); packet != NULL;
         packet = tg__packet_queue_pop(queue)) {
        tg__packet_release(pool, packet);
    }
}
