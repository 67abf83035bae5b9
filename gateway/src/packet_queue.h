/** A bounded queue of messages to one connection. What happens when it is full is the caller's
 * choice: data frames are dropped and restated, control messages close the connection. */
#ifndef TG_GATEWAY_PACKET_QUEUE_H
#define TG_GATEWAY_PACKET_QUEUE_H

#include <stdbool.h>

#include "packet.h"

typedef struct tg__packet_queue {
    tg__packet **slots; /* the caller's, capacity of them */
    uint32_t capacity;
    uint32_t first;
    uint32_t count;
    size_t bytes;
} tg__packet_queue;

void tg__packet_queue_init(tg__packet_queue *queue, tg__packet **slots, uint32_t capacity);

/* Takes the caller's reference over; false, and the reference stays the caller's, when full. */
bool tg__packet_queue_push(tg__packet_queue *queue, tg__packet *packet);

/* The oldest, with its reference; NULL: none. */
tg__packet *tg__packet_queue_pop(tg__packet_queue *queue);

/* The newest, which stays; NULL: none. */
const tg__packet *tg__packet_queue_newest(const tg__packet_queue *queue);
/* The newest, with its reference; NULL: none. */
tg__packet *tg__packet_queue_pop_newest(tg__packet_queue *queue);

void tg__packet_queue_clear(tg__packet_queue *queue, tg__packet_pool *pool);

#endif
