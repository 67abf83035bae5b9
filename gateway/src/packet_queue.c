#include "packet_queue.h"

bool tg__packet_queue_push(tg__packet_queue *queue, tg__packet *packet)
{
    if (queue->count == TG__PACKET_QUEUE_MAX) {
        return false;
    }
    queue->packets[(queue->first + queue->count) % TG__PACKET_QUEUE_MAX] = packet;
    queue->count++;
    queue->bytes += packet->size;
    return true;
}

tg__packet *tg__packet_queue_pop(tg__packet_queue *queue)
{
    if (queue->count == 0) {
        return NULL;
    }
    tg__packet *packet = queue->packets[queue->first];
    queue->first = (queue->first + 1) % TG__PACKET_QUEUE_MAX;
    queue->count--;
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
